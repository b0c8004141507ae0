"""Nearest records: whole records of both sides in one space, and which lie nearest to which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.attacks.gains import Units
from recloak.grouped import GroupedRelease
from recloak.kernels.oracle import centred_norms, decide, fill_dense, screen_by_items
from recloak.progress import Progress
from recloak.ratings import Ratings
from recloak.scene import Scene, match_items
from recloak.threads import in_threads

Codes = NDArray[np.int64]
Screen = Callable[[Codes], NDArray[np.float64]]
"""From rows of the queries to |c|² − 2 q·c of each of them and every candidate c."""

DENSE_SHARE = 0.03  # from here on products of dense blocks are faster than postings
DENSE_BYTES = 2**29
BLOCK_BYTES = 2**26
MOST_PER_BLOCK = 512


@dataclass(frozen=True, eq=False)
class Space:
    """Original and rows in codes of the same items and on the same scale.

    ``base`` is what a cell counts as that is not listed, by item.
    """

    original: Ratings
    rows: Ratings
    base: NDArray[np.float64]

    @classmethod
    def of(cls, scene: Scene) -> Space:
        """On the scale of the release; by items alone where one side has no values to compare."""
        units = Units.between(scene.original.scale, scene.rows.scale)
        original, rows, n_items, code = _same_items(scene)
        if not units.comparable:
            return cls(_marks(original), _marks(rows), np.zeros(n_items))
        converted = units.converted(original.values)
        if converted is not original.values:
            original = original.with_values(converted, rows.scale)
        middle = units.factor * scene.original.scale.middle + units.shift
        base = np.full(n_items, middle)
        release = scene.release
        if isinstance(release, GroupedRelease) and release.implied is not None:
            base[code] = release.implied
        return cls(original, rows, base)


class Nearest(NamedTuple):
    """For each query how many candidates tie, the first of them, and which own ones are there."""

    ties: Codes
    first: Codes
    own_tied: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Candidates:
    """The records among which the nearest is looked for.

    ``weights`` tells how many rows each stands for, and ``ranks`` which comes first in a tie.
    """

    records: Ratings
    base: NDArray[np.float64]
    weights: Codes
    ranks: Codes

    def nearest(
        self,
        queries: Ratings,
        chosen: Codes,
        own_offsets: Codes,
        own_candidates: Codes,
        progress: Progress,
    ) -> Nearest:
        """For the ``chosen`` rows of ``queries``; memory is bounded by a block of them."""
        norms = centred_norms(*_arrays(self.records), self.base)
        own_norms = centred_norms(*_arrays(queries), self.base)
        largest = float(norms.max()) if len(norms) else 0.0
        screen = self._screen(queries, norms)
        found = Nearest(
            np.zeros(len(chosen), np.int64),
            np.zeros(len(chosen), np.int64),
            np.zeros(len(own_candidates), np.bool_),
        )

        def attack(start: int, end: int) -> None:
            decide(
                screen(chosen[start:end]),
                chosen[start:end],
                *_arrays(queries),
                *_arrays(self.records),
                self.base,
                own_norms,
                largest,
                self.weights,
                self.ranks,
                own_offsets[start : end + 1],
                own_candidates,
                found.ties[start:end],
                found.first[start:end],
                found.own_tied,
            )

        size = int(np.clip(BLOCK_BYTES // (8 * max(1, len(norms))), 1, MOST_PER_BLOCK))
        blocks = [(at, min(at + size, len(chosen))) for at in range(0, len(chosen), size)]
        with progress.task("Looking for the nearest records", len(blocks)) as task:
            in_threads(attack, blocks, task)
        return found

    def _screen(self, queries: Ratings, norms: NDArray[np.float64]) -> Screen:
        cells = self.records.n_users * len(self.base)
        full = len(self.records) >= DENSE_SHARE * cells and 8 * cells <= DENSE_BYTES
        return (_by_blocks if full else _by_postings)(queries, self.records, self.base, norms)


def _by_postings(
    queries: Ratings, records: Ratings, base: NDArray[np.float64], norms: NDArray[np.float64]
) -> Screen:
    index = records.by_item

    def screen(rows: Codes) -> NDArray[np.float64]:
        out = np.empty((len(rows), len(norms)))
        screen_by_items(rows, *_arrays(queries), base, *index, norms, out)
        return out

    return screen


def _by_blocks(
    queries: Ratings, records: Ratings, base: NDArray[np.float64], norms: NDArray[np.float64]
) -> Screen:
    def filled(table: Ratings, rows: Codes) -> NDArray[np.float64]:
        out = np.zeros((len(rows), len(base)))
        fill_dense(rows, *_arrays(table), base, out)
        return out

    lines = filled(records, np.arange(records.n_users))

    def screen(rows: Codes) -> NDArray[np.float64]:
        screened = (-2.0 * filled(queries, rows)) @ lines.T
        screened += norms
        return screened

    return screen


def _arrays(
    ratings: Ratings,
) -> tuple[Codes, NDArray[np.int32], NDArray[np.float32]]:
    return ratings.offsets, ratings.items, ratings.values


def _marks(ratings: Ratings) -> Ratings:
    """What is left where values cannot be compared: 1 for every cell that is there."""
    return ratings.with_values(np.ones(len(ratings), np.float32))


def _same_items(scene: Scene) -> tuple[Ratings, Ratings, int, Codes]:
    """Both sides in codes of the same items, their number, and that of each item of the release.

    Items that only the release has come after those of the original.
    """
    original, rows = scene.original, scene.rows
    if original.n_items == rows.n_items and np.array_equal(
        scene.item_in_release, np.arange(rows.n_items)
    ):
        return original, rows, rows.n_items, np.arange(rows.n_items)
    code = match_items(rows, original)
    fresh = np.flatnonzero(code < 0)
    code[fresh] = original.n_items + np.arange(len(fresh))
    labels = np.arange(original.n_items + len(fresh))
    wide = replace(original, item_labels=labels)
    return wide, _recoded(rows, code, labels), len(labels), code


def _recoded(rows: Ratings, code: Codes, labels: Codes) -> Ratings:
    """The rows with other item codes, each in ascending order of them."""
    items = code[rows.items]
    order = np.lexsort((items, rows.user_codes()))
    return replace(
        rows,
        items=items[order].astype(np.int32),
        values=rows.values[order],
        item_labels=labels,
        times=None,
    )
