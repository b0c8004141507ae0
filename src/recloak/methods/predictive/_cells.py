"""The cells of groups: the mean of the members who rated an item, and where these are enough."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.clustering import Groups, Points
from recloak.core.arrays import (
    Codes,
    Integers,
    Mask,
    Offsets,
    Values,
    offsets_from,
)
from recloak.core.kernels import kernel
from recloak.core.parallel import in_threads
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.methods.predictive.padding import Padding


@kernel
def carry_over(
    offsets: Offsets,
    items: Codes,
    values: Values,
    enough_raters: Mask,
    new_offsets: Offsets,
    new_items: Codes,
    new_values: Values,
    new_enough_raters: Mask,
) -> None:
    """Put each cell where its item stands in the new row; new cells have no raters.

    Items ascend in both, and every new row holds all items of the old one.
    """
    for row in range(len(offsets) - 1):
        at, end = offsets[row], offsets[row + 1]
        for to in range(new_offsets[row], new_offsets[row + 1]):
            same = at < end and items[at] == new_items[to]
            new_values[to] = values[at] if same else np.float32(0)
            new_enough_raters[to] = enough_raters[at] if same else False
            at += same


@dataclass(frozen=True, eq=False)
class GroupCells:
    """A row of items for each group, ascending; ``enough_raters`` marks those that enough rated.

    A value is the mean over the members who did; it means nothing where they are too few.
    """

    offsets: Offsets
    items: Codes
    values: Values
    enough_raters: Mask

    @property
    def counts(self) -> Integers:
        """How many items each group has."""
        return np.diff(self.offsets)

    def row(self, group: int) -> Codes:
        """The items of a group."""
        return self.items[self.offsets[group] : self.offsets[group + 1]]

    def widened(self, offsets: Offsets, items: Codes) -> GroupCells:
        """The same cells among others, which nobody is known to have rated."""
        values, enough_raters = np.empty(len(items), np.float32), np.empty(len(items), np.bool_)
        mine = (self.offsets, self.items, self.values, self.enough_raters)
        carry_over(*mine, offsets, items, values, enough_raters)
        return GroupCells(offsets, items, values, enough_raters)

    def padded(self, padding: Padding, groups: Groups, progress: Progress) -> Values:
        """Every value; those that are not told are the mean of the group's padded ratings."""
        missing = ~self.enough_raters
        before = offsets_from(missing)
        cells = (before[self.offsets], self.items[missing])
        values = self.values.copy()
        values[missing] = padding.means(groups.starts, groups.members, *cells, progress)
        return values


def rated_cells(ratings: Ratings, groups: Groups, floor: int, progress: Progress) -> GroupCells:
    """The items that any member rated; ``floor`` members are enough raters."""
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
        offsets_from(counts),
        np.concatenate([part.items for part in parts]),
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.enough_raters for part in parts]),
    )


def all_cells(groups: Groups, n_items: int) -> GroupCells:
    """Every item for every group, none with enough raters."""
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
