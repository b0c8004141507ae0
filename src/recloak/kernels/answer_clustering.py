"""Kernel that puts records of answers into groups of at least k, at a low cost of making alike.

k-member clustering comes first, then moves and swaps of single records and the end of groups that
cost more than their members do elsewhere, while the true cost falls. A group whose sensitive
answers lack deviation costs more than any change of answers, so that swaps repair it; what they
cannot repair is merged.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import inner_kernel, kernel
from recloak.kernels.answer_groups import (
    AnswerGroups,
    adding_cost,
    empty_groups,
    enter,
    fails,
    fit,
    leave,
    leaving_cost,
    merged_cost,
    renew,
    spread_enough,
    trading_cost,
)

_LACKING = 1 << 40  # what a group without deviation costs: more than all answers of a survey
_NEAR_GROUPS = 16
_ROUNDS = 6
_WORTH_A_ROUND = 2000  # cells for each unit of cost that a round must save, or it is the last


@kernel
def cluster(
    cells: NDArray[np.int8], hidden: NDArray[np.int8], r: int, k: int, width: int, least: float
) -> NDArray[np.int64]:
    """The group of each record; all have k or more, and deviation if all records together do."""
    groups = empty_groups(cells, hidden, r, max(1, len(cells) // k))
    _grow(groups, k, width, least)
    _refine(groups, k, width, least)
    if _merge_failing(groups, width, least) > 0:
        _refine(groups, k, width, least)
    return groups.labels


@inner_kernel
def _grow(groups: AnswerGroups, k: int, width: int, least: float) -> None:
    """The record farthest from the last group founds the next and takes the k - 1 cheapest."""
    free = np.arange(len(groups.labels))
    left, chosen = len(free), 0
    for group in range(len(groups.sizes)):
        for _ in range(min(k, left)):
            one = free[chosen]
            left -= 1
            free[chosen] = free[left]
            enter(groups, one, group)
            renew(groups, group, width, least)
            chosen = _nearest(groups.adding[group], groups.cells, free[:left], 1)
        chosen = _nearest(groups.adding[group], groups.cells, free[:left], -1)
    for at in range(left):
        target, _ = _best_home(groups, free[at], least)
        enter(groups, free[at], target)
        renew(groups, target, width, least)


@inner_kernel
def _nearest(
    adding: NDArray[np.int32], cells: NDArray[np.int8], free: NDArray[np.int64], sign: int
) -> int:
    """Where in ``free`` stands the record that costs a group least (sign -1: most)."""
    chosen, best = 0, _LACKING
    for at in range(len(free)):
        cost = sign * adding_cost(adding, cells[free[at]])
        if cost < best:
            chosen, best = at, cost
    return chosen


@inner_kernel
def _best_home(groups: AnswerGroups, one: int, least: float) -> tuple[int, int]:
    """The group, other than its own, that a record costs least, and how much."""
    chosen, best = -1, 4 * _LACKING
    for group in range(len(groups.sizes)):
        if group == groups.labels[one] or groups.sizes[group] == 0:
            continue
        cost = adding_cost(groups.adding[group], groups.cells[one])
        if least > 0.0 and cost - _LACKING < best:
            after = fails(groups.hidden, groups.sums[group], -1, one, least)
            cost += _LACKING * (int(after) - int(groups.failing[group]))
        if cost < best:
            chosen, best = group, cost
    return chosen, best


@inner_kernel
def _refine(groups: AnswerGroups, k: int, width: int, least: float) -> None:
    """Rounds of moves, swaps and ends of groups, until little is saved."""
    breadth = min(_NEAR_GROUPS, len(groups.sizes))
    near, costs = np.empty(breadth, np.int64), np.empty(breadth, np.int64)
    for _ in range(_ROUNDS):
        saved = 0
        for one in range(len(groups.labels)):
            home = groups.labels[one]
            if groups.failing[home] or groups.changed[home] > groups.looked[one]:
                saved += _improve(groups, one, k, width, least, near, costs)
        saved += _dissolve(groups, width, least)
        if saved * _WORTH_A_ROUND <= groups.cells.size:
            return


@inner_kernel
def _improve(
    groups: AnswerGroups,
    one: int,
    k: int,
    width: int,
    least: float,
    near: NDArray[np.int64],
    costs: NDArray[np.int64],
) -> int:
    """Let a record make its best move or swap; how much that saves."""
    home = groups.labels[one]
    found = _near_groups(groups.adding, groups.sizes, groups.cells[one], home, near, costs)
    groups.clock[0] += 1
    groups.looked[one] = groups.clock[0]
    gain, target, partner = _best(groups, k, least, one, near[:found], costs)
    if target >= 0:
        leave(groups, one)
        if partner >= 0:
            leave(groups, partner)
            enter(groups, partner, home)
        enter(groups, one, target)
        renew(groups, home, width, least)
        renew(groups, target, width, least)
    return gain


@inner_kernel
def _near_groups(
    adding: NDArray[np.int32],
    sizes: NDArray[np.int64],
    record: NDArray[np.int8],
    home: int,
    near: NDArray[np.int64],
    costs: NDArray[np.int64],
) -> int:
    """The groups other than ``home`` that a record costs least, nearest first; how many."""
    found = 0
    for group in range(len(sizes)):
        if group == home or sizes[group] == 0:
            continue
        cost = adding_cost(adding[group], record)
        if found == len(near) and cost >= costs[found - 1]:
            continue
        at = min(found, len(near) - 1)
        while at > 0 and costs[at - 1] > cost:
            costs[at], near[at] = costs[at - 1], near[at - 1]
            at -= 1
        costs[at], near[at] = cost, group
        found = min(found + 1, len(near))
    return found


@inner_kernel
def _best(
    groups: AnswerGroups,
    k: int,
    least: float,
    one: int,
    near: NDArray[np.int64],
    costs: NDArray[np.int64],
) -> tuple[int, int, int]:
    """The best gain of a move or swap with the groups ``near``, and with whom; group -1: none."""
    home, mine = groups.labels[one], groups.cells[one]
    gain, target, partner = 0, -1, -1
    leaving = leaving_cost(groups.change[home], mine)
    for at in range(len(near)):
        group = near[at]
        failing = int(groups.failing[home]) + int(groups.failing[group])
        saved = -leaving - costs[at] + failing * _LACKING
        if groups.sizes[home] > k and saved > gain:
            saved -= _failing_after(groups, home, group, one, -1, least) * _LACKING
            if saved > gain:
                gain, target, partner = saved, group, -1
        other = groups.first[group]
        while other >= 0:
            theirs = groups.cells[other]
            saved = failing * _LACKING - trading_cost(groups.change[home], mine, theirs)
            saved -= trading_cost(groups.change[group], theirs, mine)
            if saved > gain:
                saved -= _failing_after(groups, home, group, one, other, least) * _LACKING
                if saved > gain:
                    gain, target, partner = saved, group, other
            other = groups.after[other]
    return gain, target, partner


@inner_kernel
def _failing_after(
    groups: AnswerGroups, home: int, group: int, one: int, other: int, least: float
) -> int:
    """How many of two groups lack deviation once ``one`` and ``other`` changed places."""
    if least <= 0.0:
        return 0
    here = fails(groups.hidden, groups.sums[home], one, other, least)
    there = fails(groups.hidden, groups.sums[group], other, one, least)
    return int(here) + int(there)


@inner_kernel
def _dissolve(groups: AnswerGroups, width: int, least: float) -> int:
    """Give the members of groups to others where that costs less; how much is saved."""
    total = 0
    for group in range(len(groups.sizes)):
        saved = int(groups.failing[group]) * _LACKING
        for issue in range(groups.cells.shape[1]):
            saved += fit(groups.counts[group, issue], width)[0]
        one, target = groups.first[group], 0
        while one >= 0 and saved > 0 and target >= 0:
            target, cost = _best_home(groups, one, least)
            saved -= cost
            one = groups.after[one]
        if saved > 0 and target >= 0 and groups.sizes[group] > 0:
            total += saved
            _scatter(groups, group, width, least)
    return total


@inner_kernel
def _scatter(groups: AnswerGroups, group: int, width: int, least: float) -> None:
    while groups.first[group] >= 0:
        one = groups.first[group]
        target, _ = _best_home(groups, one, least)
        leave(groups, one)
        enter(groups, one, target)
        renew(groups, target, width, least)
    renew(groups, group, width, least)


@inner_kernel
def _merge_failing(groups: AnswerGroups, width: int, least: float) -> int:
    """Merge groups without deviation, the smallest first, by what it truly costs; how many."""
    for merged in range(len(groups.sizes)):
        smallest = -1
        for group in range(len(groups.sizes)):
            if groups.failing[group] and (
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
        renew(groups, smallest, width, least)
        renew(groups, partner, width, least)
    return len(groups.sizes)


@inner_kernel
def _partner(groups: AnswerGroups, one: int, width: int, least: float) -> int:
    """The group with which another costs least, those first with which it has deviation."""
    chosen, best = -1, 4 * _LACKING
    for group in range(len(groups.sizes)):
        if group == one or groups.sizes[group] == 0:
            continue
        cost = merged_cost(groups.counts[one], groups.counts[group], width)
        for issue in range(groups.cells.shape[1]):
            cost -= fit(groups.counts[group, issue], width)[0]
        for issue in range(groups.sums.shape[1]):
            both = groups.sums[one, issue] + groups.sums[group, issue]
            if not spread_enough(both[0], both[1], both[2], least):
                cost += _LACKING
                break
        if cost < best:
            chosen, best = group, cost
    return chosen
