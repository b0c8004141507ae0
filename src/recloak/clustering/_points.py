"""Points: the records of users in the space of items, imputed and standardised."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.clustering._record_kernels import RecordArrays
from recloak.core.arrays import (
    Codes,
    Floats,
    Mask,
    Offsets,
    offsets_from,
)
from recloak.core.errors import MachineError
from recloak.core.kernels.record_groups import gather_rows, item_moments, standardise
from recloak.core.memory import require_memory
from recloak.core.parallel import in_threads, row_blocks
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings

Imputation = Literal["midpoint", "item-mean", "item-median", "global-mean", "user-mean"]


def item_bases(ratings: Ratings, imputation: Imputation, least: int = 1) -> Floats:
    """The value that stands in for a missing cell of each item.

    It is published, so an item that fewer than ``least`` people rated has no mean or median of its
    own: it would tell what these few gave. The overall mean stands in for it.
    With ``user-mean`` it depends on the row instead: the base is then the middle of the scale,
    and `filled` stores every cell.
    """
    overall = float(ratings.values.mean(dtype=np.float64)) if len(ratings) else ratings.scale.middle
    if imputation == "global-mean":
        return np.full(ratings.n_items, overall)
    if imputation == "item-mean":
        return np.where(ratings.item_support < least, overall, _item_means(ratings, overall))
    if imputation == "item-median":
        return np.where(ratings.item_support < least, overall, _item_medians(ratings, overall))
    return np.full(ratings.n_items, ratings.scale.middle)


def filled(ratings: Ratings) -> tuple[Ratings, Mask]:
    """Every cell stored, a missing one as the mean of its row; and which cells were known.

    The only imputation that cannot be left implied, so it is refused where the full table does
    not fit into memory.
    """
    cells = ratings.n_users * ratings.n_items
    try:
        require_memory(40.0 * cells, "the imputation user-mean, which fills every cell,")
    except MachineError as problem:
        advice = "Any other imputation leaves missing cells implied and needs no such table."
        raise MachineError(problem.what, hint=advice) from None
    counts = ratings.user_counts
    sums = np.bincount(ratings.user_codes(), ratings.values, minlength=ratings.n_users)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), ratings.scale.middle)
    table = np.repeat(means.astype(np.float32), ratings.n_items)
    here = ratings.user_codes().astype(np.int64) * ratings.n_items + ratings.items
    table[here] = ratings.values
    known = np.zeros(cells, np.bool_)
    known[here] = True
    offsets = np.arange(ratings.n_users + 1, dtype=np.int64) * ratings.n_items
    items = np.tile(np.arange(ratings.n_items, dtype=np.int32), ratings.n_users)
    return replace(ratings, offsets=offsets, items=items, values=table, times=None), known


def _item_means(ratings: Ratings, overall: float) -> Floats:
    support = ratings.item_support
    sums = np.bincount(ratings.items, ratings.values, minlength=ratings.n_items)
    return np.where(support > 0, sums / np.maximum(support, 1), overall)


def _item_medians(ratings: Ratings, overall: float) -> Floats:
    view = ratings.by_item
    medians = np.full(ratings.n_items, overall)
    for item in np.flatnonzero(ratings.item_support):
        medians[item] = np.median(view.values[view.offsets[item] : view.offsets[item + 1]])
    return medians


CELLS_PER_BLOCK = 2_000_000
DENSE_SHARE = 0.1  # from here on an 8-bit table is swept faster than sparse rows
DENSE_BYTES = 2**31


class PointSpace(NamedTuple):
    """How records are standardised; the fields are those of `Points`."""

    base: Floats
    spread: Floats
    total: float


@dataclass(frozen=True, eq=False)
class Points:
    """One record per user, x = (value − base) / spread, over all items.

    ``base`` is what stands in for a missing cell of each item, so a missing cell is 0 and only
    the others are stored; distances do not change when all records are shifted alike. ``spread``
    is the standard deviation over all users (population, imputed cells included), 1 where an
    item does not vary. ``known`` tells rated cells from imputed ones where both are stored;
    empty when all stored cells were rated.
    """

    offsets: Offsets
    items: Codes
    values: Floats
    norms: Floats
    base: Floats
    spread: Floats
    known: Mask
    total: float
    """The sum of squares around the item means, in rating units, over all cells."""
    dense_share: float = DENSE_SHARE
    """From which share of stored cells on the records are kept as a table too."""

    @classmethod
    def of(
        cls,
        ratings: Ratings,
        imputation: Imputation = "midpoint",
        progress: Progress = SILENT,
        least: int = 1,
        *,
        dense_share: float = DENSE_SHARE,
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
        with progress.task("Adding up items", len(blocks)) as task:
            parts = in_threads(lambda a, b: item_moments(a, b, *cells), blocks, task)
        space = PointSpace(base, *_spread(sum(parts), ratings))
        points = cls.in_space(space, ratings, progress)
        return replace(points, known=known, dense_share=dense_share)

    @classmethod
    def in_space(cls, space: PointSpace, ratings: Ratings, progress: Progress = SILENT) -> Points:
        """Standardise as it is known already, from these or other ratings of the same items."""
        cells = (ratings.offsets, ratings.items, ratings.values, space.base, space.spread)
        blocks = row_blocks(ratings.offsets, CELLS_PER_BLOCK)
        values, norms = np.empty(len(ratings)), np.empty(ratings.n_users)
        with progress.task("Standardising", len(blocks)) as task:
            in_threads(lambda a, b: standardise(a, b, *cells, values, norms), blocks, task)
        known = np.empty(0, np.bool_)
        stored = (ratings.offsets, ratings.items, values, norms)
        return cls(*stored, space.base, space.spread, known, space.total)

    @property
    def space(self) -> PointSpace:
        """Where they lie."""
        return PointSpace(self.base, self.spread, self.total)

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
        full = len(self.values) >= self.dense_share * cells
        return cells > 0 and full and 8 * cells <= DENSE_BYTES

    @cached_property
    def records(self) -> RecordArrays:
        """The records as kernels take them."""
        shape = (self.n_records, self.n_items) if self.dense else (0, 0)
        matrix = np.zeros(shape)
        if self.dense:
            rows = np.repeat(np.arange(self.n_records), np.diff(self.offsets))
            matrix[rows, self.items] = self.values
        return RecordArrays(self.offsets, self.items, self.values, matrix, self.norms, self.n_items)

    def take(self, chosen: NDArray[np.integer[Any]]) -> Points:
        """Some of the records in the same space; ``total`` stays that of all of them."""
        counts = np.diff(self.offsets)[chosen]
        offsets = offsets_from(counts)
        items, values = np.empty(offsets[-1], np.int32), np.empty(offsets[-1])
        rows = np.asarray(chosen, np.int64)
        gather_rows(rows, self.offsets, self.items, self.values, offsets, items, values)
        known = self.known
        if len(known):
            starts = np.repeat(self.offsets[:-1][rows] - offsets[:-1], counts)
            known = known[starts + np.arange(offsets[-1])]
        norms = self.norms[rows]
        return replace(self, offsets=offsets, items=items, values=values, norms=norms, known=known)


def item_variances(moments: Any, n_records: int) -> Floats:
    """The variance of each item over all records, from `item_moments`; 0 if it does not vary."""
    sums, squares = moments / max(n_records, 1)
    variance = squares - sums**2
    return np.where(variance > 1e-12 * np.maximum(squares, 1e-12), variance, 0.0)


def _spread(moments: Any, ratings: Ratings) -> tuple[Floats, float]:
    """The standard deviation of each item, and the total sum of squares."""
    if ratings.n_users == 0 or len(ratings) == 0:
        return np.ones(ratings.n_items), 0.0
    variance = item_variances(moments, ratings.n_users)
    total = ratings.n_users * float(variance.sum())
    return np.sqrt(np.where(variance > 0, variance, 1.0)), total
