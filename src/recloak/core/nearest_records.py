"""Nearest records: which of many lie nearest to each of others, over all cells, exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Codes, Floats, Indices, Mask, Offsets, Values
from recloak.core.kernels.record_distances import (
    OwnCandidates,
    SearchedRecords,
    beaten,
    centred_norms,
    decide,
    fill_dense,
    screen_by_items,
)
from recloak.core.parallel import in_threads
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings

Screen = Callable[[Indices], Values]
"""From rows of the queries to about |c|² − 2 q·c of each of them and every candidate c."""

MOST_PER_BLOCK = 512
ITEM_BYTES = 4
NOBODY = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Screening:
    """How candidates are screened; with any of these the same are found."""

    dense_share: float = 0.05
    """From which share of products of cells that are not 0 on full tables are multiplied."""
    dense_bytes: int = 2**29
    """Up to which size the full table of all candidates is made once and kept."""
    block_bytes: int = 2**26
    """What a block of screened distances, or of full rows, takes at most."""
    rivals: int = 1024
    """How many one's own candidates must beat before all others are looked at."""


USUAL = Screening()


class Nearest(NamedTuple):
    """For each query how many candidates tie, the first of them, and which own ones are there."""

    ties: Indices
    first: Indices
    own_tied: Mask


class Own(NamedTuple):
    """Which candidates are those of each query: ``candidates[offsets[q]:offsets[q + 1]]``."""

    offsets: Offsets
    candidates: Indices

    @classmethod
    def none(cls, count: int) -> Own:
        """For so many queries that have none."""
        return cls(np.zeros(count + 1, np.int64), np.empty(0, np.int64))


@dataclass(frozen=True, eq=False)
class CandidateRecords:
    """The records among which the nearest is looked for.

    Distances are Euclidean; a cell that a record does not list counts as the item's ``base``.
    ``weights`` tells how many rows each record stands for, ``ranks`` which comes first in a tie,
    and ``close`` up to which share of a squared distance two are a tie. Any ``screening`` finds
    the same: it spares comparisons, in single precision, and exact distances decide.
    """

    records: Ratings
    base: Floats
    weights: Indices
    ranks: Indices
    close: float
    screening: Screening = USUAL

    @classmethod
    def in_order(
        cls,
        records: Ratings,
        base: Floats,
        close: float,
        screening: Screening = USUAL,
    ) -> CandidateRecords:
        """Each record stands for itself, and of equally near ones the first comes first."""
        count = records.n_users
        return cls(records, base, np.ones(count, np.int64), np.arange(count), close, screening)

    def first_nearest(self, queries: Ratings, progress: Progress = SILENT) -> Indices:
        """The rank of the nearest record to each of ``queries``; of ties the first."""
        everyone = np.arange(queries.n_users)
        return self.nearest(queries, everyone, Own.none(len(everyone)), progress).first

    def nearest(
        self,
        queries: Ratings,
        chosen: Indices,
        own: Own,
        progress: Progress = SILENT,
        *,
        own_only: bool = False,
    ) -> Nearest:
        """For the ``chosen`` rows of ``queries``; memory is bounded by a block of them.

        With ``own_only`` the answer is right as far as one's own candidates go, and comes sooner
        where others are nearer: a query with none of its own among the nearest may get one tie
        with `NOBODY`.
        """
        search = _NearestSearch(self, queries, own)
        places = np.arange(len(chosen))
        if own_only:
            places = np.flatnonzero(~search.lost(chosen, progress))
        return search.run(chosen, places, progress)


class _NearestSearch:
    """One question to candidates: rows that are asked for, and which candidates are their own."""

    def __init__(self, among: CandidateRecords, queries: Ratings, own: Own) -> None:
        self.among, self.queries = among, queries
        self.own_starts, self.own_ends = own.offsets[:-1], own.offsets[1:]
        self.own_candidates = own.candidates
        self.norms = centred_norms(*_arrays(among.records), among.base)
        self.searched = SearchedRecords(
            *_arrays(queries),
            *_arrays(among.records),
            base=among.base,
            norms=centred_norms(*_arrays(queries), among.base),
            largest_norm=float(self.norms.max()) if len(self.norms) else 0.0,
            close=among.close,
        )

    def _own_of(self, queries: Indices | slice) -> OwnCandidates:
        return OwnCandidates(self.own_starts[queries], self.own_ends[queries], self.own_candidates)

    def run(self, chosen: Indices, places: Indices, progress: Progress) -> Nearest:
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
                self.searched,
                self._own_of(here),
                self.among.weights,
                self.among.ranks,
                counted,
                earliest,
                own_tied,
            )
            ties[here], first[here] = counted, earliest

        self._in_blocks(seek, len(places), len(self.norms), progress)
        return Nearest(ties, first, own_tied)

    def lost(self, chosen: Indices, progress: Progress) -> Mask:
        """For whom of ``chosen`` is one of a few rivals nearer than all that are their own?"""
        count = min(self.among.screening.rivals, len(self.norms))
        rivals = np.linspace(0, len(self.norms) - 1, count).astype(np.int64)
        screen = self._screen(rivals)
        found = np.zeros(len(chosen), np.bool_)

        def seek(start: int, end: int) -> None:
            rows, here = chosen[start:end], slice(start, end)
            beaten(screen(rows), rows, self.searched, self._own_of(here), found[here])

        self._in_blocks(seek, len(chosen), len(rivals), progress)
        return found

    def _screen(self, some: Indices) -> Screen:
        records, norms = self.among.records, self.norms.astype(np.float32)
        if len(some) < len(norms):
            records, norms = records.take_users(some), norms[some]
        products = float(self.queries.item_support @ records.item_support)
        cells = self.queries.n_users * records.n_users * len(self.among.base)
        how = self.among.screening
        if products > how.dense_share * cells:
            return _by_tables(self.queries, records, self.among.base, norms, how)
        return _by_postings(self.queries, records, self.among.base, norms)

    def _in_blocks(
        self, seek: Callable[[int, int], None], count: int, width: int, progress: Progress
    ) -> None:
        most = self.among.screening.block_bytes // (ITEM_BYTES * max(1, width))
        size = int(np.clip(most, 1, MOST_PER_BLOCK))
        blocks = _blocks(count, size)
        with progress.task("Looking for the nearest records", len(blocks)) as task:
            in_threads(seek, blocks, task)


def _by_postings(queries: Ratings, records: Ratings, base: Floats, norms: Values) -> Screen:
    index = records.by_item

    def screen(rows: Indices) -> Values:
        out = np.empty((len(rows), len(norms)), np.float32)
        screen_by_items(rows, *_arrays(queries), base, *index, norms, out)
        return out

    return screen


def _by_tables(
    queries: Ratings,
    records: Ratings,
    base: Floats,
    norms: Values,
    how: Screening,
) -> Screen:
    """By products of full rows, those of the candidates made once if they have room."""

    def filled(table: Ratings, rows: Indices) -> Values:
        out = np.zeros((len(rows), len(base)), np.float32)
        fill_dense(rows, *_arrays(table), base, out)
        return out

    blocks = _blocks(len(norms), max(1, how.block_bytes // (ITEM_BYTES * max(1, len(base)))))
    kept: dict[int, Values] = {}
    if ITEM_BYTES * len(norms) * len(base) <= how.dense_bytes:
        kept = {start: filled(records, np.arange(start, end)) for start, end in blocks}

    def screen(rows: Indices) -> Values:
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
) -> tuple[Indices, Codes, Values]:
    return ratings.offsets, ratings.items, ratings.values


def _blocks(count: int, size: int) -> list[tuple[int, int]]:
    return [(start, min(start + size, count)) for start in range(0, count, size)]
