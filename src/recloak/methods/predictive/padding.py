"""Padding: the table of all users and items, its empty cells filled by a factorisation.

The table is never stored. Means over groups of users are summed up cell by cell where they are
asked for, and users are compared by where their padded rows lie.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import (
    Codes,
    Floats,
    Integers,
    Offsets,
    Values,
    offsets_from,
)
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.parallel import in_threads, row_blocks
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.methods.predictive._folding import LearntItems, LearntUsers, folded
from recloak.recommenders.factorization import Factorization, factorized

FACTORS_AT_ONCE = 4


class Directions(NamedTuple):
    """Orthonormal ``axes`` (items × dimensions) and ``lengths`` with items.T = axes @ lengths."""

    axes: Floats
    lengths: Floats


class PaddedTable(NamedTuple):
    """Ratings by row, and the factorisation that fills the other cells of the table.

    ``columns`` are the item factors, factor by factor, and ``item_base`` the mean with each item's
    bias. The number of factors is a multiple of `FACTORS_AT_ONCE`.
    """

    offsets: Offsets
    items: Codes
    values: Values
    user_bias: Values
    user_factors: Values
    item_base: Values
    columns: Values
    low: float
    high: float


@kernel
def padded_means(
    first: int,
    end: int,
    starts: Offsets,
    members: Offsets,
    cell_offsets: Offsets,
    cell_items: Codes,
    padded: PaddedTable,
    means: Values,
) -> None:
    """The mean padded rating of the groups first..end in the cells listed for each of them."""
    n_items = len(padded.item_base)
    place = np.full(n_items, -1, np.int64)
    columns = np.empty(padded.columns.shape, np.float32)
    base, row = np.empty(n_items, np.float32), np.empty(n_items, np.float32)
    sums = np.empty(n_items, np.float64)
    for group in range(first, end):
        wanted = cell_items[cell_offsets[group] : cell_offsets[group + 1]]
        count = len(wanted)
        if count == 0:
            continue
        _gather(wanted, padded, columns, base, place)
        sums[:count] = 0.0
        for member in range(starts[group], starts[group + 1]):
            _pad_row(members[member], padded, columns, base, place, row[:count])
            for at in range(count):
                sums[at] += row[at]
        size = starts[group + 1] - starts[group]
        for at in range(count):
            means[cell_offsets[group] + at] = sums[at] / size
            place[wanted[at]] = -1


@inner_kernel
def _gather(
    wanted: Codes, padded: PaddedTable, columns: Values, base: Values, place: Offsets
) -> None:
    """Bring what is known of the wanted items side by side; ``place`` tells where each one is."""
    for at in range(len(wanted)):
        base[at] = padded.item_base[wanted[at]]
        place[wanted[at]] = at
    for factor in range(len(columns)):
        source, target = padded.columns[factor], columns[factor]
        for at in range(len(wanted)):
            target[at] = source[wanted[at]]


@inner_kernel
def _pad_row(
    user: int, padded: PaddedTable, columns: Values, base: Values, place: Offsets, row: Values
) -> None:
    """The predictions for a user, clipped to the scale; what the user rated stays as it is."""
    factors = padded.user_factors[user]
    for at in range(len(row)):
        row[at] = base[at] + padded.user_bias[user]
    for factor in range(0, len(factors), FACTORS_AT_ONCE):
        a, b, c, d = columns[factor], columns[factor + 1], columns[factor + 2], columns[factor + 3]
        w, x, y, z = factors[factor], factors[factor + 1], factors[factor + 2], factors[factor + 3]
        for at in range(len(row)):
            row[at] += (w * a[at] + x * b[at]) + (y * c[at] + z * d[at])
    low, high = np.float32(padded.low), np.float32(padded.high)
    for at in range(len(row)):
        row[at] = min(max(row[at], low), high)
    for cell in range(padded.offsets[user], padded.offsets[user + 1]):
        at = place[padded.items[cell]]
        if at >= 0:
            row[at] = padded.values[cell]


@kernel
def turn_rows(rows: Values, lengths: Floats, turned: Values) -> None:
    """Each row times the transpose of ``lengths``: a library would add up by how many there are."""
    for row in range(len(rows)):
        for axis in range(len(lengths)):
            total = 0.0
            for column in range(rows.shape[1]):
                total += np.float64(rows[row, column]) * lengths[axis, column]
            turned[row, axis] = total


@kernel
def add_corrections(first: int, end: int, padded: PaddedTable, axes: Floats, rows: Values) -> None:
    """Add to the rows first..end what the ratings differ by from their predictions, along ``axes``.

    ``axes`` is items × dimensions.
    """
    for user in range(first, end):
        here, factors = rows[user], padded.user_factors[user]
        for cell in range(padded.offsets[user], padded.offsets[user + 1]):
            item = padded.items[cell]
            predicted = np.float64(padded.item_base[item]) + padded.user_bias[user]
            for factor in range(len(factors)):
                predicted += factors[factor] * padded.columns[factor, item]
            gap = padded.values[cell] - predicted
            for axis in range(axes.shape[1]):
                here[axis] += np.float32(gap * axes[item, axis])


RATINGS_PER_BLOCK = 2_000_000
CELLS_PER_BLOCK = 20_000_000
_NO_DIRECTION = 1e-6  # of the longest: what rounding leaves of a direction that is none


class Padding:
    """Ratings and what a factorisation of them says of all other cells, clipped to the scale."""

    def __init__(self, ratings: Ratings, items: LearntItems, users: LearntUsers) -> None:
        self.n_users, self.n_items = ratings.n_users, ratings.n_items
        self.table = PaddedTable(
            ratings.offsets,
            ratings.items,
            ratings.values,
            users.bias,
            _full_width(users.factors),
            items.base,
            np.ascontiguousarray(_full_width(items.factors).T),
            ratings.scale.low,
            ratings.scale.high,
        )

    @classmethod
    def by(cls, ratings: Ratings, model: Factorization) -> Padding:
        """By a factorisation of the ratings themselves."""
        users = LearntUsers(model.user_bias, model.user_factors)
        return cls(ratings, LearntItems.of(model, ratings), users)

    @classmethod
    def folded(cls, ratings: Ratings, items: LearntItems, progress: Progress = SILENT) -> Padding:
        """By what was learnt of items from others, into which these people are folded."""
        return cls(ratings, items, folded(ratings, items, progress))

    def means(
        self,
        starts: Offsets,
        members: Integers,
        cell_offsets: Offsets,
        cell_items: Codes,
        progress: Progress = SILENT,
    ) -> Values:
        """The mean padded rating of each group in the cells listed for it.

        The members of a group are ``members[starts[g]:starts[g + 1]]``, its cells, ascending,
        ``cell_items[cell_offsets[g]:cell_offsets[g + 1]]``.
        """
        found = np.empty(len(cell_items), np.float32)
        work = offsets_from(np.diff(starts) * np.diff(cell_offsets))
        blocks = row_blocks(work, CELLS_PER_BLOCK)
        given = (starts, members, cell_offsets, cell_items, self.table, found)
        with progress.task("Averaging padded ratings", len(blocks)) as task:
            in_threads(lambda first, end: padded_means(first, end, *given), blocks, task)
        return found

    @property
    def directions(self) -> Directions:
        """Those in which the predicted rows of people can differ."""
        items = np.vstack([self.table.columns, np.ones(self.n_items, np.float32)])
        return _directions(items.astype(np.float64))

    def rows(self, progress: Progress = SILENT, directions: Directions | None = None) -> Values:
        """Where the padded rows lie: a few coordinates for each user.

        The distance of two users here is that of their padded rows as far as the item factors
        (and the bias of a user, a column of ones) can express a difference; predictions count as
        they are before clipping. The factors themselves tell less: items weigh in by how many
        there are of a kind, which is what L of LᵀL = Σ q qᵀ does.
        """
        axes, lengths = directions or self.directions
        users = np.column_stack([self.table.user_factors, self.table.user_bias])
        rows = np.zeros((self.n_users, _multiple(len(lengths))), np.float32)
        turn_rows(users, lengths, rows)
        blocks = row_blocks(self.table.offsets, RATINGS_PER_BLOCK)
        with progress.task("Comparing padded rows", len(blocks)) as task:
            in_threads(
                lambda first, end: add_corrections(first, end, self.table, axes, rows), blocks, task
            )
        return rows


def pad(ratings: Ratings, seed: int, progress: Progress = SILENT) -> Padding:
    """Learn the common factorisation from the ratings and fill all other cells by it."""
    return Padding.by(ratings, factorized(ratings, progress, seed=seed))


def _full_width(columns: Values) -> Values:
    missing = _multiple(columns.shape[1]) - columns.shape[1]
    return np.ascontiguousarray(np.pad(columns, ((0, 0), (0, missing))))


def _multiple(columns: int) -> int:
    return columns + -columns % FACTORS_AT_ONCE


def _directions(items: Floats) -> Directions:
    """Those of items, which are columns."""
    moments, turned = np.linalg.eigh(items @ items.T)
    roots = np.sqrt(np.maximum(moments, 0.0))
    real = roots > _NO_DIRECTION * max(roots.max(initial=0.0), 1e-300)
    inverse = np.where(real, 1.0 / np.where(real, roots, 1.0), 0.0)
    return Directions((items.T @ turned) * inverse, (turned * np.where(real, roots, 0.0)).T)
