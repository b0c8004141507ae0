"""The cells of groups: what the members who rated an item gave it, and for which this is told."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recloak.clusterings import Groups, Points
from recloak.kernels.group_cells import carry_over
from recloak.progress import Progress
from recloak.ratings import Ratings
from recloak.recommenders.padding import Padding
from recloak.threads import in_threads


@dataclass(frozen=True, eq=False)
class GroupCells:
    """A row of items for each group, ascending; ``told`` where enough members rated the item.

    A value is the mean over the members who did; it means nothing where it is not told.
    """

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    values: NDArray[np.float32]
    told: NDArray[np.bool_]

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many items each group has."""
        return np.diff(self.offsets)

    def row(self, group: int) -> NDArray[np.int32]:
        """The items of a group."""
        return self.items[self.offsets[group] : self.offsets[group + 1]]

    def widened(self, offsets: NDArray[np.int64], items: NDArray[np.int32]) -> GroupCells:
        """The same cells among others, which nobody is known to have rated."""
        values, told = np.empty(len(items), np.float32), np.empty(len(items), np.bool_)
        mine = (self.offsets, self.items, self.values, self.told)
        carry_over(*mine, offsets, items, values, told)
        return GroupCells(offsets, items, values, told)

    def padded(self, padding: Padding, groups: Groups, progress: Progress) -> NDArray[np.float32]:
        """Every value; those that are not told are the mean of the group's padded ratings."""
        missing = ~self.told
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(missing)])
        cells = (before[self.offsets], self.items[missing])
        values = self.values.copy()
        values[missing] = padding.means(groups.starts, groups.members, *cells, progress)
        return values


def rated_cells(ratings: Ratings, groups: Groups, floor: int, progress: Progress) -> GroupCells:
    """The items that any member rated; told where at least ``floor`` members did."""
    points = _as_they_are(ratings)

    def means(first: int, end: int) -> GroupCells:
        found = groups.profiles(points, first, end)
        sizes = np.repeat(groups.sizes[first:end], np.diff(found.offsets))
        values = (found.values * sizes / found.raters).astype(np.float32)
        return GroupCells(found.offsets, found.items, values, found.raters >= floor)

    blocks = groups.blocks(points)
    with progress.task("Averaging the groups", len(blocks)) as task:
        parts = in_threads(means, blocks, task)
    counts = np.concatenate([part.counts for part in parts])
    return GroupCells(
        np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)]),
        np.concatenate([part.items for part in parts]),
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.told for part in parts]),
    )


def all_cells(groups: Groups, n_items: int) -> GroupCells:
    """Every item for every group, none of them told."""
    count = groups.count * n_items
    return GroupCells(
        n_items * np.arange(groups.count + 1),
        np.tile(np.arange(n_items, dtype=np.int32), groups.count),
        np.zeros(count, np.float32),
        np.zeros(count, np.bool_),
    )


def _as_they_are(ratings: Ratings) -> Points:
    """The ratings as points that are neither imputed nor standardised."""
    return Points(
        ratings.offsets,
        ratings.items,
        ratings.values.astype(np.float64),
        np.zeros(ratings.n_users),
        np.zeros(ratings.n_items),
        np.ones(ratings.n_items),
        np.empty(0, np.bool_),
        0.0,
    )
