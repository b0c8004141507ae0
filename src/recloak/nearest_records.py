"""Nearest records: which of many lie nearest to each of others, over all cells, exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.kernels.nearest_records import (
    beaten,
    centred_norms,
    decide,
    fill_dense,
    screen_by_items,
)
from recloak.progress import SILENT, Progress
from recloak.ratings import Ratings
from recloak.threads import in_threads

Codes = NDArray[np.int64]
Table = NDArray[np.float32]
Screen = Callable[[Codes], Table]
"""From rows of the queries to about |c|² − 2 q·c of each of them and every candidate c."""

DENSE_SHARE = 0.05  # of all products of cells that are not 0; from here on full tables are faster
DENSE_BYTES = 2**29
BLOCK_BYTES = 2**26
MOST_PER_BLOCK = 512
ITEM_BYTES = 4
RIVALS = 1024  # whom one's own candidates must beat before all others are looked at
NOBODY = np.iinfo(np.int64).max


class Nearest(NamedTuple):
    """For each query how many candidates tie, the first of them, and which own ones are there."""

    ties: Codes
    first: Codes
    own_tied: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Candidates:
    """The records among which the nearest is looked for.

    Distances are Euclidean; a cell that a record does not list counts as the item's ``base``.
    ``weights`` tells how many rows each record stands for, ``ranks`` which comes first in a tie,
    and ``close`` up to which share of a squared distance two are a tie. Both ways to screen find
    the same: they spare comparisons, in single precision, and exact distances decide.
    """

    records: Ratings
    base: NDArray[np.float64]
    weights: Codes
    ranks: Codes
    close: float

    @classmethod
    def in_order(cls, records: Ratings, base: NDArray[np.float64], close: float) -> Candidates:
        """Each record stands for itself, and of equally near ones the first comes first."""
        count = records.n_users
        return cls(records, base, np.ones(count, np.int64), np.arange(count), close)

    def first_nearest(self, queries: Ratings, progress: Progress = SILENT) -> Codes:
        """The rank of the nearest record to each of ``queries``; of ties the first."""
        count, none = queries.n_users, np.empty(0, np.int64)
        nothing = np.zeros(count + 1, np.int64)
        return self.nearest(queries, np.arange(count), nothing, none, progress).first

    def nearest(
        self,
        queries: Ratings,
        chosen: Codes,
        own_offsets: Codes,
        own_candidates: Codes,
        progress: Progress = SILENT,
    ) -> Nearest:
        """For the ``chosen`` rows of ``queries``; memory is bounded by a block of them."""
        search = _Search(self, queries, own_offsets, own_candidates)
        return search.run(chosen, np.arange(len(chosen)), progress)

    def nearest_of_own(
        self,
        queries: Ratings,
        chosen: Codes,
        own_offsets: Codes,
        own_candidates: Codes,
        progress: Progress = SILENT,
    ) -> Nearest:
        """The same as far as one's own candidates go, sooner where others are nearer.

        Who has none of his own among the nearest may be told of one tie with nobody: whoever is
        nearer, it is not one of his own.
        """
        search = _Search(self, queries, own_offsets, own_candidates)
        lost = search.lost(chosen, progress)
        return search.run(chosen, np.flatnonzero(~lost), progress)


class _Search:
    """One question to candidates: rows that are asked for, and which candidates are their own."""

    def __init__(
        self, among: Candidates, queries: Ratings, own_offsets: Codes, own_candidates: Codes
    ) -> None:
        self.among, self.queries = among, queries
        self.own_starts, self.own_ends = own_offsets[:-1], own_offsets[1:]
        self.own_candidates = own_candidates
        self.norms = centred_norms(*_arrays(among.records), among.base)
        self.own_norms = centred_norms(*_arrays(queries), among.base)
        self.largest = float(self.norms.max()) if len(self.norms) else 0.0
        self.around = (*_arrays(queries), *_arrays(among.records), among.base, self.own_norms)

    def run(self, chosen: Codes, places: Codes, progress: Progress) -> Nearest:
        """Look among all for those at ``places`` of ``chosen``; the rest have found nobody."""
        screen = self._screen(np.arange(len(self.norms)))
        ties, first = np.ones(len(chosen), np.int64), np.full(len(chosen), NOBODY)
        own_tied = np.zeros(len(self.own_candidates), np.bool_)

        def seek(start: int, end: int) -> None:
            here = places[start:end]
            counted, earliest = np.zeros(len(here), np.int64), np.zeros(len(here), np.int64)
            decide(
                screen(chosen[here]),
                chosen[here],
                *self.around,
                self.largest,
                self.among.close,
                self.among.weights,
                self.among.ranks,
                self.own_starts[here],
                self.own_ends[here],
                self.own_candidates,
                counted,
                earliest,
                own_tied,
            )
            ties[here], first[here] = counted, earliest

        self._in_blocks(seek, len(places), len(self.norms), progress)
        return Nearest(ties, first, own_tied)

    def lost(self, chosen: Codes, progress: Progress) -> NDArray[np.bool_]:
        """For whom of ``chosen`` is one of a few rivals nearer than all that are their own?"""
        rivals = np.linspace(0, len(self.norms) - 1, min(RIVALS, len(self.norms))).astype(np.int64)
        screen = self._screen(rivals)
        found = np.zeros(len(chosen), np.bool_)

        def seek(start: int, end: int) -> None:
            beaten(
                screen(chosen[start:end]),
                chosen[start:end],
                *self.around,
                self.largest,
                self.among.close,
                self.own_starts[start:end],
                self.own_ends[start:end],
                self.own_candidates,
                found[start:end],
            )

        self._in_blocks(seek, len(chosen), len(rivals), progress)
        return found

    def _screen(self, some: Codes) -> Screen:
        records, norms = self.among.records, self.norms.astype(np.float32)
        if len(some) < len(norms):
            records, norms = records.take_users(some), norms[some]
        products = float(self.queries.item_support @ records.item_support)
        cells = self.queries.n_users * records.n_users * len(self.among.base)
        screen = _by_tables if products > DENSE_SHARE * cells else _by_postings
        return screen(self.queries, records, self.among.base, norms)

    @staticmethod
    def _in_blocks(
        seek: Callable[[int, int], None], count: int, width: int, progress: Progress
    ) -> None:
        size = int(np.clip(BLOCK_BYTES // (ITEM_BYTES * max(1, width)), 1, MOST_PER_BLOCK))
        blocks = _blocks(count, size)
        with progress.task("Looking for the nearest records", len(blocks)) as task:
            in_threads(seek, blocks, task)


def _by_postings(
    queries: Ratings, records: Ratings, base: NDArray[np.float64], norms: Table
) -> Screen:
    index = records.by_item

    def screen(rows: Codes) -> Table:
        out = np.empty((len(rows), len(norms)), np.float32)
        screen_by_items(rows, *_arrays(queries), base, *index, norms, out)
        return out

    return screen


def _by_tables(
    queries: Ratings, records: Ratings, base: NDArray[np.float64], norms: Table
) -> Screen:
    """By products of full rows, those of the candidates made once if they have room."""

    def filled(table: Ratings, rows: Codes) -> Table:
        out = np.zeros((len(rows), len(base)), np.float32)
        fill_dense(rows, *_arrays(table), base, out)
        return out

    blocks = _blocks(len(norms), max(1, BLOCK_BYTES // (ITEM_BYTES * max(1, len(base)))))
    kept: dict[int, Table] = {}
    if ITEM_BYTES * len(norms) * len(base) <= DENSE_BYTES:
        kept = {start: filled(records, np.arange(start, end)) for start, end in blocks}

    def screen(rows: Codes) -> Table:
        screened = np.empty((len(rows), len(norms)), np.float32)
        pulls = np.float32(-2.0) * filled(queries, rows)
        for start, end in blocks:
            lines = kept[start] if kept else filled(records, np.arange(start, end))
            np.matmul(pulls, lines.T, out=screened[:, start:end])
        screened += norms
        return screened

    return screen


def _arrays(
    ratings: Ratings,
) -> tuple[Codes, NDArray[np.int32], NDArray[np.float32]]:
    return ratings.offsets, ratings.items, ratings.values


def _blocks(count: int, size: int) -> list[tuple[int, int]]:
    return [(start, min(start + size, count)) for start in range(0, count, size)]
