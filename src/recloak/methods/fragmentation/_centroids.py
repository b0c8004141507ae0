"""Centroids: which of a person's rarest items found a fragment of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from recloak.core.arrays import Codes, Floats, Integers, Offsets
from recloak.core.errors import InputError
from recloak.core.parallel import in_threads, row_blocks
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.methods.fragmentation._fragment_kernels import (
    count_candidates,
    count_centroids,
    sort_candidates,
    strengths_needed,
)

RATINGS_PER_BLOCK = 1_000_000


@dataclass(frozen=True)
class CentroidCandidates:
    """For each row its items below the safe support, rarest first, as ranks of rarity.

    Items of equal support are ranked by their code, so that the order is the same every time.
    ``room`` is ln(1 + |u| / p2): how the number of fragments grows with the row.
    """

    ratings: Ratings
    rank: Codes
    item_of_rank: Codes
    offsets: Offsets
    ranks: Codes
    room: Floats
    support: Integers

    @classmethod
    def of(
        cls,
        ratings: Ratings,
        safe: float,
        p2: float,
        progress: Progress,
        support: Integers | None = None,
    ) -> CentroidCandidates:
        """Find them; items whose ``support`` (in all ratings) reaches ``safe`` are never one."""
        support = ratings.item_support if support is None else support
        item_of_rank = np.argsort(support, kind="stable").astype(np.int32)
        rank = np.empty_like(item_of_rank)
        rank[item_of_rank] = np.arange(len(rank), dtype=np.int32)
        below = int((support < safe).sum())
        offsets = np.zeros(ratings.n_users + 1, dtype=np.int64)
        cells, blocks = (ratings.offsets, ratings.items, rank, below), _blocks(ratings)
        with progress.task("Looking for rare items", 2 * len(blocks)) as task:
            in_threads(lambda a, b: count_candidates(a, b, *cells, offsets), blocks, task)
            np.cumsum(offsets, out=offsets)
            ranks = np.empty(offsets[-1], dtype=np.int32)
            in_threads(lambda a, b: sort_candidates(a, b, *cells, offsets, ranks), blocks, task)
        room = np.log1p(ratings.user_counts / p2)
        return cls(ratings, rank, item_of_rank, offsets, ranks, room, support)

    def rarest(self) -> Integers:
        """The rarest item of each row, also where it is too common to found a fragment; -1 if the
        row is empty.
        """
        found = np.full(self.ratings.n_users, -1, dtype=np.int64)
        people = self._people()
        ranks = self.rank[self.ratings.items]
        if len(people):
            least = np.minimum.reduceat(ranks, self.ratings.offsets[:-1][people])
            found[people] = self.item_of_rank[least]
        return found

    @property
    def most_per_person(self) -> float:
        """The most fragments per person that any strength gives."""
        people = self._people()
        return float(np.maximum(np.diff(self.offsets)[people], 1).sum() / max(len(people), 1))

    def strength_for(self, fragments: float, progress: Progress, flag: str) -> float:
        """The strength (tc · p1) whose mean number of fragments per person comes nearest.

        The number of fragments only grows with the strength, in steps at the strengths that
        single candidates need: the wanted one is a quantile of these.
        """
        people = len(self._people())
        further = round(fragments * people) - people
        needed = self._needed(progress)
        if further > len(needed):
            raise InputError(
                f"{fragments:g} fragments per person cannot be reached: these data allow "
                f"{self.most_per_person:.2f} at most",
                where=flag,
                hint="Ask for fewer, or raise the safe support so that it can start at more items.",
            )
        if further <= 0:
            return 0.0
        needed.sort()
        here = needed[further - 1]
        before, upto = np.searchsorted(needed, here), np.searchsorted(needed, here, side="right")
        if further - before < upto - further and before > 0:
            here = needed[before - 1]
        return float(here) * (1 + 1e-12)  # so that rounding never loses the step itself

    def counts(self, strength: float, progress: Progress) -> Integers:
        """How many centroids each row has at this strength; 0 for rows without a candidate."""
        counts = np.empty(self.ratings.n_users, dtype=np.int64)
        self._each_row(count_centroids, progress, strength, counts)
        return counts

    def _needed(self, progress: Progress) -> Floats:
        """The strength from which on each candidate but a row's first is a centroid."""
        needed = np.empty(len(self.ranks))
        self._each_row(strengths_needed, progress, needed)
        later = np.ones(len(needed), dtype=np.bool_)
        later[self.offsets[:-1][np.diff(self.offsets) > 0]] = False
        return needed[later]

    def _each_row(self, kernel: Callable[..., None], progress: Progress, *more: Any) -> None:
        support = self.support[self.item_of_rank]
        given, blocks = (self.offsets, self.ranks, support, self.room), _blocks(self.ratings)
        with progress.task("Choosing centroids", len(blocks)) as task:
            in_threads(lambda first, end: kernel(first, end, *given, *more), blocks, task)

    def _people(self) -> Integers:
        return np.flatnonzero(self.ratings.user_counts)


def _blocks(ratings: Ratings) -> list[tuple[int, int]]:
    return row_blocks(ratings.offsets, RATINGS_PER_BLOCK)
