"""Diversity of groups: which cells to add so that no few items point to a single group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.clustering import Groups, Sketch, means
from recloak.core.arrays import Codes, Integers, Labels, offsets_from, offsets_of_runs
from recloak.core.people_draws import PeopleDraws
from recloak.core.progress import Progress
from recloak.methods.predictive._cells import GroupCells
from recloak.methods.predictive.bounded_groups import bounded_groups


@dataclass(frozen=True)
class DiversityCost:
    """What diversity costs: links of people to items, and the share of all there could be."""

    links_before: int
    links_after: int
    possible: int

    @classmethod
    def of(
        cls, before: GroupCells, after: GroupCells, sizes: Integers, items: int
    ) -> DiversityCost:
        """Compare two supports of the same groups."""
        links = [int((cells.counts * sizes).sum()) for cells in (before, after)]
        return cls(links[0], links[1], int(sizes.sum()) * items)

    @property
    def density(self) -> float:
        """The share of all cells that will hold a value."""
        return self.links_after / max(self.possible, 1)

    def __str__(self) -> str:
        return (
            f"{self.links_after - self.links_before:,} more links, density {self.density:.1%} "
            f"instead of {self.links_before / max(self.possible, 1):.1%}"
        )


def diversified(
    cells: GroupCells,
    groups: Groups,
    rows: Sketch,
    b: int,
    wanted: int,
    item_labels: Labels,
    people: PeopleDraws,
    progress: Progress,
) -> GroupCells:
    """The cells with others added, so that any b items of a group are those of ``wanted`` groups.

    A group draws as its first member.

    For single items a few groups that lack them are drawn. For more, sets are not enumerated:
    like groups are put together by so many or more and given all items that any of them has, which
    serves sets of every size.
    """
    first = people[groups.members[groups.starts[:-1]]]
    if b == 1:
        return _with_every_item(cells, wanted, item_labels, first, progress)
    labels = np.empty(len(rows), np.int64)
    labels[groups.members] = np.repeat(np.arange(groups.count), groups.sizes)
    middles = means(rows, labels, groups.count)
    together = bounded_groups(middles, wanted, first.order("super-groups"), progress=progress)
    return _with_common_support(cells, Groups.of(together), progress)


def _with_every_item(
    cells: GroupCells, wanted: int, item_labels: Labels, groups: PeopleDraws, progress: Progress
) -> GroupCells:
    """Add items that fewer than ``wanted`` groups hold to random groups without them."""
    held = np.bincount(cells.items, minlength=len(item_labels))
    short = np.flatnonzero((held > 0) & (held < wanted))
    of_short = np.flatnonzero((held[cells.items] > 0) & (held[cells.items] < wanted))
    holders = np.searchsorted(cells.offsets, of_short, side="right") - 1
    order = np.argsort(cells.items[of_short], kind="stable")
    edges = offsets_from(held[short])
    added = []
    with progress.task("Looking for groups without an item", len(short)) as task:
        for at in range(len(short)):
            mine = holders[order[edges[at] : edges[at + 1]]]
            others = groups.order("diversity", str(item_labels[short[at]]))
            others = others[~np.isin(others, mine)][: wanted - len(mine)]
            added.append(np.column_stack([others, np.full(len(others), short[at])]))
            task.advance()
    return _with_added(cells, np.concatenate(added)) if added else cells


def _with_added(cells: GroupCells, added: Integers) -> GroupCells:
    """The cells and some more, given as (group, item)."""
    added = added[np.lexsort((added[:, 1], added[:, 0]))]
    places = [
        cells.offsets[group] + np.searchsorted(cells.row(group), item) for group, item in added
    ]
    items = np.insert(cells.items, places, added[:, 1].astype(np.int32))
    more = np.bincount(added[:, 0], minlength=len(cells.counts))
    return cells.widened(offsets_from(cells.counts + more), items)


def _with_common_support(cells: GroupCells, together: Groups, progress: Progress) -> GroupCells:
    """Give every group the items of all groups that it is put together with."""
    supports: list[Codes] = [cells.items[:0]] * len(cells.counts)
    with progress.task("Joining the items of like groups", together.count) as task:
        for one in range(together.count):
            members = together.members[together.starts[one] : together.starts[one + 1]]
            union = np.unique(np.concatenate([cells.row(group) for group in members]))
            for group in members:
                supports[group] = union
            task.advance()
    return cells.widened(offsets_of_runs(supports), np.concatenate(supports))
