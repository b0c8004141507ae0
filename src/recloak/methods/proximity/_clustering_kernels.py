"""Kernel that puts records of answers into groups of at least k, at a low cost of making alike.

k-member clustering comes first, then the changes of `_refining_kernels` while the true cost falls.
What they cannot bring to deviation is merged.
"""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Bytes, Integers, Levels
from recloak.core.kernels import inner_kernel, kernel
from recloak.methods._survey_cost_kernels import merged_cost, spread_enough
from recloak.methods.proximity._group_kernels import (
    AnswerGroups,
    adding_cost,
    empty_groups,
    enter,
    leave,
    update_costs,
)
from recloak.methods.proximity._refining_kernels import (
    LACKING,
    anneal,
    cheapest_group,
    group_cost,
    improve,
)


@kernel
def grow(cells: Levels, hidden: Levels, r: int, k: int, width: int, least: float) -> AnswerGroups:
    """Groups of at least k, by k-member clustering alone."""
    groups = empty_groups(cells, hidden, r, width, max(1, len(cells) // k))
    _fill(groups, k, least)
    return groups


@kernel
def better(
    groups: AnswerGroups,
    k: int,
    width: int,
    least: float,
    rounds: int,
    heat: float,
    rng: np.random.Generator,
) -> None:
    """Change groups so that they cost less; they have deviation if all records together do."""
    anneal(groups, k, width, least, rounds, heat, rng)
    improve(groups, k, width, least, rng)
    if _merge_lacking(groups, width, least) > 0:
        improve(groups, k, width, least, rng)


@inner_kernel
def _fill(groups: AnswerGroups, k: int, least: float) -> None:
    """The record farthest from the last group founds the next and takes the k - 1 cheapest."""
    free = np.arange(len(groups.labels))
    left, chosen = len(free), 0
    for group in range(len(groups.sizes)):
        for _ in range(min(k, left)):
            one = free[chosen]
            left -= 1
            free[chosen] = free[left]
            enter(groups, one, group)
            update_costs(groups, group, least, one, -1)
            chosen = _nearest(groups.change[group], groups.cells, free[:left], 1)
        chosen = _nearest(groups.change[group], groups.cells, free[:left], -1)
    costs = np.empty(len(groups.sizes), np.int32)
    for at in range(left):
        target, _ = cheapest_group(groups, free[at], least, costs)
        enter(groups, free[at], target)
        update_costs(groups, target, least, free[at], -1)


@inner_kernel
def _nearest(change: Levels, cells: Bytes, free: Integers, sign: int) -> int:
    """Where in ``free`` stands the record that costs a group least (sign -1: most)."""
    chosen, best = 0, LACKING
    for at in range(len(free)):
        cost = sign * adding_cost(change, cells[free[at]])
        if cost < best:
            chosen, best = at, cost
    return chosen


@inner_kernel
def _merge_lacking(groups: AnswerGroups, width: int, least: float) -> int:
    """Merge groups without deviation, the smallest first, by what it truly costs; how many."""
    for merged in range(len(groups.sizes)):
        smallest = -1
        for group in range(len(groups.sizes)):
            if groups.lacking[group] and (
                smallest < 0 or groups.sizes[group] < groups.sizes[smallest]
            ):
                smallest = group
        partner = _partner(groups, smallest, width, least) if smallest >= 0 else -1
        if partner < 0:
            return merged
        while groups.first[smallest] >= 0:
            one = groups.first[smallest]
            leave(groups, one)
            enter(groups, one, partner)
        update_costs(groups, smallest, least, -1, -1)
        update_costs(groups, partner, least, -1, -1)
    return len(groups.sizes)


@inner_kernel
def _partner(groups: AnswerGroups, one: int, width: int, least: float) -> int:
    """The group with which another costs least, those first with which it has deviation."""
    chosen, best = -1, 4 * LACKING
    for group in range(len(groups.sizes)):
        if group == one or groups.sizes[group] == 0:
            continue
        cost = merged_cost(groups.counts[one], groups.counts[group], width)
        cost -= group_cost(groups, group, width)
        for issue in range(groups.sums.shape[1]):
            both = groups.sums[one, issue] + groups.sums[group, issue]
            if not spread_enough(both[0], both[1], both[2], least):
                cost += LACKING
                break
        if cost < best:
            chosen, best = group, cost
    return chosen
