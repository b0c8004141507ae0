"""Shared cut: a tree of cells of items, the same for everyone, along which rows are cut."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from recloak.core.arrays import Codes, Floats, Indices, Integers, offsets_from
from recloak.core.errors import InputError
from recloak.core.parallel import in_threads, row_blocks
from recloak.core.progress import Progress, Task
from recloak.core.ratings import Ratings
from recloak.methods.fragmentation._centroids import RATINGS_PER_BLOCK
from recloak.methods.fragmentation._shared_cut_kernels import count_cuts, cut_rows, fragment_on_path
from recloak.methods.fragmentation.item_features import Features

DEEPEST = 20
STEPS = 40


@dataclass(frozen=True)
class Fragments:
    """Where each rating goes: its fragment within its row, and the cells of all fragments."""

    starts: Indices
    fragment: Codes
    cells: Codes
    levels: Codes


@dataclass(frozen=True)
class SharedCut:
    """Cells of items, halved again and again: the path to an item's last cell is its ``code``.

    Halves hold as many ratings each and lie apart in the features. A person who aims at np
    fragments has every cell halved that holds more than |u| / np of their ratings.
    """

    ratings: Ratings
    code_of: Codes
    depth: int
    room: Floats

    @classmethod
    def of(cls, ratings: Ratings, code_of: Codes, depth: int, p2: float) -> SharedCut:
        """Of these ratings, along lines that were drawn."""
        return cls(ratings, code_of, depth, np.log1p(ratings.user_counts / p2))

    def strength_for(self, fragments: float, progress: Progress, flag: str) -> float:
        """The p1 whose mean number of fragments per person comes nearest to what is asked for."""
        people = max(int((self.ratings.user_counts > 0).sum()), 1)

        def mean(strength: float, task: Task) -> float:
            return float(self.counts(strength, task).sum() / people)

        with progress.task("Seeking the number of fragments") as task:
            low, high = 1e-9, 1e9
            most = mean(high, task)
            if fragments > most + 0.5 / people:
                raise InputError(
                    f"{fragments:g} fragments per person cannot be reached: these data allow "
                    f"{most:.2f} at most",
                    where=flag,
                    hint="Ask for fewer.",
                )
            for _ in range(STEPS):
                between = float(np.sqrt(low * high))
                enough = mean(between, task) >= fragments
                low, high = (low, between) if enough else (between, high)
            below, above = mean(low, task), mean(high, task)
        return low if fragments - below < above - fragments else high

    def counts(self, strength: float, task: Task) -> Indices:
        """How many fragments each person gets."""
        counts = np.zeros(self.ratings.n_users, dtype=np.int64)
        given = (self.ratings.offsets, self.ratings.items, self.code_of, self.depth)
        limits = self._limits(strength)
        in_threads(lambda a, b: count_cuts(a, b, *given, limits, counts), self._blocks(), task)
        return counts

    def fragments(self, strength: float, progress: Progress) -> Fragments:
        """Cut all rows."""
        blocks = self._blocks()
        given = (self.ratings.offsets, self.ratings.items, self.code_of, self.depth)
        fragment = np.empty(self.ratings.n_ratings, dtype=np.int32)
        with progress.task("Cutting rows along shared lines", 2 * len(blocks)) as task:
            starts = offsets_from(self.counts(strength, task))
            cells, levels = (np.zeros(starts[-1], dtype=np.int32) for _ in range(2))
            limits = self._limits(strength)

            def cut(first: int, end: int) -> None:
                cut_rows(first, end, *given, limits, starts, fragment, cells, levels)

            in_threads(cut, blocks, task)
        return Fragments(starts, fragment, cells, levels)

    def predicting_fragments(self, made: Fragments, users: Indices, items: Indices) -> Indices:
        """The fragment that predicts for each person and item."""
        lines = (self.code_of, self.depth, made.starts, made.cells, made.levels)
        return fragment_on_path(users, items, *lines)

    def _limits(self, strength: float) -> Floats:
        aims = np.maximum(strength * self.room, 1.0)
        return np.maximum(self.ratings.user_counts / aims, 1.0)

    def _blocks(self) -> list[tuple[int, int]]:
        return row_blocks(self.ratings.offsets, RATINGS_PER_BLOCK)


def shared_lines(support: Integers, features: Features, progress: Progress) -> tuple[Codes, int]:
    """Halve the items until each is alone, or often enough: paths to them, and their length."""
    depth = min(DEEPEST, max(1, int(np.ceil(np.log2(max(len(support), 2)))) + 2))
    mass = np.maximum(support, 1).astype(np.float64)
    code = np.zeros(len(support), dtype=np.int32)
    with progress.task("Drawing the lines to cut along", depth) as task:
        for _ in range(depth):
            code = _halved(code, features, mass)
            task.advance()
    return code, depth


def _halved(code: Codes, features: Features, mass: Floats) -> Codes:
    """Each cell in two, by the direction in which its items differ most."""
    order = np.argsort(code, kind="stable")
    edges = np.flatnonzero(np.diff(code[order], prepend=-1, append=-1))
    halves = code * 2
    for start, end in pairwise(edges.tolist()):
        if end - start > 1:
            items = order[start:end]
            halves[items] += _upper_half(features[items].astype(np.float64), mass[items])
    return halves


def _upper_half(positions: Floats, mass: Floats) -> Codes:
    """1 for items beyond the line that leaves as many ratings on either side; never all or none."""
    positions = positions - np.average(positions, axis=0, weights=mass)
    direction = np.linalg.eigh((positions * mass[:, None]).T @ positions)[1][:, -1]
    direction *= np.sign(direction[np.abs(direction).argmax()]) or 1.0
    order = np.argsort(positions @ direction, kind="stable")
    passed = np.cumsum(mass[order])
    cut = int(np.clip(np.searchsorted(passed, passed[-1] / 2) + 1, 1, len(order) - 1))
    upper = np.zeros(len(order), dtype=np.int32)
    upper[order[cut:]] = 1
    return upper
