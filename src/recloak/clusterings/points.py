"""Points: users as records in the standardised space where their distance is measured."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recloak.clusterings.imputation import Imputation, filled, item_bases
from recloak.kernels.microaggregation import Cloud
from recloak.kernels.microaggregation_groups import gather_rows, item_moments, standardise
from recloak.progress import SILENT, Progress
from recloak.ratings import Ratings
from recloak.threads import in_threads, row_blocks

CELLS_PER_BLOCK = 2_000_000
DENSE_SHARE = 0.1  # from here on an 8-bit table is swept faster than sparse rows
DENSE_BYTES = 2**31


@dataclass(frozen=True, eq=False)
class Points:
    """One record per user, x = (value − base) / spread, over all items.

    ``base`` is what stands in for a missing cell of each item, so a missing cell is 0 and only
    the others are stored; distances do not change when all records are shifted alike. ``spread``
    is the standard deviation over all users (population, imputed cells included), 1 where an
    item does not vary. ``known`` tells rated cells from imputed ones where both are stored;
    empty when all stored cells were rated.
    """

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    values: NDArray[np.float64]
    norms: NDArray[np.float64]
    base: NDArray[np.float64]
    spread: NDArray[np.float64]
    known: NDArray[np.bool_]
    total: float
    """The sum of squares around the item means, in rating units, over all cells."""

    @classmethod
    def of(
        cls,
        ratings: Ratings,
        imputation: Imputation = "midpoint",
        progress: Progress = SILENT,
        least: int = 1,
    ) -> Points:
        """Impute and standardise; users without ratings are records like any other.

        Items with fewer than ``least`` ratings are imputed by the overall mean, not by their own.
        """
        base = item_bases(ratings, imputation, least)
        known = np.empty(0, np.bool_)
        if imputation == "user-mean":
            ratings, known = filled(ratings)
        cells = (ratings.offsets, ratings.items, ratings.values, base)
        blocks = row_blocks(ratings.offsets, CELLS_PER_BLOCK)
        values, norms = np.empty(len(ratings)), np.empty(ratings.n_users)
        with progress.task("Standardising", 2 * len(blocks)) as task:
            parts = in_threads(lambda a, b: item_moments(a, b, *cells), blocks, task)
            spread, total = _spread(sum(parts), ratings)
            in_threads(lambda a, b: standardise(a, b, *cells, spread, values, norms), blocks, task)
        return cls(ratings.offsets, ratings.items, values, norms, base, spread, known, total)

    @property
    def n_records(self) -> int:
        return len(self.norms)

    @property
    def n_items(self) -> int:
        return len(self.base)

    @property
    def dense(self) -> bool:
        """Are the records nearly full, and few enough to be stored as a table too?"""
        cells = self.n_records * self.n_items
        full = len(self.values) >= DENSE_SHARE * cells
        return cells > 0 and full and 8 * cells <= DENSE_BYTES

    @cached_property
    def cloud(self) -> Cloud:
        """The records as kernels take them."""
        shape = (self.n_records, self.n_items) if self.dense else (0, 0)
        matrix = np.zeros(shape)
        if self.dense:
            rows = np.repeat(np.arange(self.n_records), np.diff(self.offsets))
            matrix[rows, self.items] = self.values
        return Cloud(self.offsets, self.items, self.values, matrix, self.norms, self.n_items)

    def take(self, records: NDArray[np.integer[Any]]) -> Points:
        """Some of the records in the same space; ``total`` stays that of all of them."""
        counts = np.diff(self.offsets)[records]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        items, values = np.empty(offsets[-1], np.int32), np.empty(offsets[-1])
        rows = np.asarray(records, np.int64)
        gather_rows(rows, self.offsets, self.items, self.values, offsets, items, values)
        known = self.known
        if len(known):
            starts = np.repeat(self.offsets[:-1][rows] - offsets[:-1], counts)
            known = known[starts + np.arange(offsets[-1])]
        norms = self.norms[rows]
        return Points(offsets, items, values, norms, self.base, self.spread, known, self.total)


def item_variances(moments: Any, n_records: int) -> NDArray[np.float64]:
    """The variance of each item over all records, from `item_moments`; 0 if it does not vary."""
    sums, squares = moments / max(n_records, 1)
    variance = squares - sums**2
    return np.where(variance > 1e-12 * np.maximum(squares, 1e-12), variance, 0.0)


def _spread(moments: Any, ratings: Ratings) -> tuple[NDArray[np.float64], float]:
    """The standard deviation of each item, and the total sum of squares."""
    if ratings.n_users == 0 or len(ratings) == 0:
        return np.ones(ratings.n_items), 0.0
    variance = item_variances(moments, ratings.n_users)
    total = ratings.n_users * float(variance.sum())
    return np.sqrt(np.where(variance > 0, variance, 1.0)), total
