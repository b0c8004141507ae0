"""Kernels that better a grouping of answers: moves, swaps, and ends of groups that cost too much.

At first a record may also make a change that costs something, with a chance that falls with the
cost and from round to round (annealing): taking only the best change soon gets stuck where
single changes save nothing. Then only changes that save are made. A group whose sensitive answers
lack deviation costs more than any change of answers, so that changes repair it and never break it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Codes, Integers
from recloak.core.kernels import inner_kernel
from recloak.methods._survey_cost_kernels import fit
from recloak.methods.proximity._group_kernels import (
    AnswerGroups,
    adding_costs,
    enter,
    lacks_deviation,
    leave,
    leaving_cost,
    trading_cost,
    update_costs,
)

LACKING = 1 << 40  # what a group without deviation costs: more than all answers of a survey
_NEAR_GROUPS = 16
_FEWEST_NEAR = 4
_SWAPS_LOOKED_AT = 100  # while chance plays a part; large groups have many members to swap with
_ROUNDS = 6
_WORTH_A_ROUND = 2000  # cells for each unit of cost that a round must save, or it is the last
_HEAT_FOR_COST = (
    2.5  # of a record; more, where groups cost next to nothing, would only undo what is good
)
_PLAIN_GAIN = 1e6  # beyond it a group got its deviation, and sums are too large to be exact
_UNLIKELY = 8.0  # luck beyond which a change is not looked at: one in 3,000


class NearbyGroups(NamedTuple):
    """Scratch arrays: the cost of a record in all groups, and the cheapest groups with theirs."""

    costs: Codes
    near: Integers
    near_costs: Integers


@inner_kernel
def _empty_nearby(groups: AnswerGroups, breadth: int) -> NearbyGroups:
    count = len(groups.sizes)
    breadth = min(breadth, count)
    return NearbyGroups(
        np.empty(count, np.int32), np.empty(breadth, np.int64), np.empty(breadth, np.int64)
    )


@inner_kernel
def anneal(
    groups: AnswerGroups,
    k: int,
    width: int,
    least: float,
    rounds: int,
    heat: float,
    rng: np.random.Generator,
) -> None:
    """Rounds in which records change places by chance, less and less against the cost."""
    nearby = _empty_nearby(groups, min(_NEAR_GROUPS, max(_FEWEST_NEAR, _SWAPS_LOOKED_AT // k)))
    cost = 0
    for group in range(len(groups.sizes)):
        cost += group_cost(groups, group, width)
    heat = min(heat, _HEAT_FOR_COST * cost / len(groups.labels))
    for turn in range(rounds):
        now = heat * (1.0 - turn / rounds)
        for one in range(len(groups.labels)):
            _change_place(groups, one, k, least, now, rng, nearby)


@inner_kernel
def improve(
    groups: AnswerGroups, k: int, width: int, least: float, rng: np.random.Generator
) -> None:
    """Rounds of moves, swaps and ends of groups that all save, until little is saved."""
    nearby = _empty_nearby(groups, _NEAR_GROUPS)
    for _ in range(_ROUNDS):
        saved = 0
        for one in range(len(groups.labels)):
            home = groups.labels[one]
            if groups.lacking[home] or groups.changed[home] > groups.looked[one]:
                saved += _change_place(groups, one, k, least, 0.0, rng, nearby)
        saved += _dissolve(groups, width, least, nearby.costs)
        if saved * _WORTH_A_ROUND <= groups.cells.size:
            return


@inner_kernel
def _change_place(
    groups: AnswerGroups,
    one: int,
    k: int,
    least: float,
    heat: float,
    rng: np.random.Generator,
    nearby: NearbyGroups,
) -> int:
    """Let a record make its best move or swap; how much that saves."""
    home = groups.labels[one]
    adding_costs(groups, one, nearby.costs)
    found = _near_groups(nearby, groups.sizes, home)
    groups.clock[0] += 1
    groups.looked[one] = groups.clock[0]
    gain, target, partner = _best(groups, k, least, one, nearby, found, heat, rng)
    if target >= 0:
        leave(groups, one)
        if partner >= 0:
            leave(groups, partner)
            enter(groups, partner, home)
        enter(groups, one, target)
        update_costs(groups, home, least, partner, one)
        update_costs(groups, target, least, one, partner)
    return int(gain)


@inner_kernel
def _near_groups(nearby: NearbyGroups, sizes: Integers, home: int) -> int:
    """Find the groups other than ``home`` that cost least, nearest first; how many."""
    near, costs = nearby.near, nearby.near_costs
    found, limit = 0, LACKING
    for group in range(len(sizes)):
        cost = int(nearby.costs[group])
        if cost >= limit or group == home or sizes[group] == 0:
            continue
        at = min(found, len(near) - 1)
        while at > 0 and costs[at - 1] > cost:
            costs[at], near[at] = costs[at - 1], near[at - 1]
            at -= 1
        costs[at], near[at] = cost, group
        found = min(found + 1, len(near))
        if found == len(near):
            limit = costs[found - 1]
    return found


@inner_kernel
def _best(
    groups: AnswerGroups,
    k: int,
    least: float,
    one: int,
    nearby: NearbyGroups,
    found: int,
    heat: float,
    rng: np.random.Generator,
) -> tuple[float, int, int]:
    """The best gain of a move or swap with a near group, luck included, and with whom.

    Luck is so distributed that a change is taken with a chance that falls exponentially with what
    it costs; group -1: none, the record stays.
    """
    home, mine = groups.labels[one], groups.cells[one]
    gain, target, partner = _gumbel_draw(heat, rng), -1, -1
    leaving = leaving_cost(groups.change[home], mine)
    for at in range(found):
        group = nearby.near[at]
        lacking = int(groups.lacking[home]) + int(groups.lacking[group])
        relief = float(lacking * LACKING)
        saved = relief - leaving - nearby.near_costs[at]
        if groups.sizes[home] > k and saved + _UNLIKELY * heat > gain:
            luck = _luck_to_win(saved, gain, heat, rng)
            if saved + luck > gain:
                saved -= _lacking_after(groups, home, group, one, -1, least) * LACKING
                if saved + luck > gain:
                    gain, target, partner = saved + luck, group, -1
        other = groups.first[group]
        while other >= 0:
            theirs = groups.cells[other]
            saved = relief - trading_cost(groups.change[home], mine, theirs)
            saved -= trading_cost(groups.change[group], theirs, mine)
            if saved + _UNLIKELY * heat > gain:
                luck = _luck_to_win(saved, gain, heat, rng)
                if saved + luck > gain:
                    saved -= _lacking_after(groups, home, group, one, other, least) * LACKING
                    if saved + luck > gain:
                        gain, target, partner = saved + luck, group, other
            other = groups.after[other]
    return gain, target, partner


@inner_kernel
def _gumbel_draw(heat: float, rng: np.random.Generator) -> float:
    """A draw of Gumbel's distribution; the highest of such is a draw by exponential weights."""
    return -heat * np.log(rng.standard_exponential()) if heat > 0.0 else 0.0


@inner_kernel
def _luck_to_win(saved: float, gain: float, heat: float, rng: np.random.Generator) -> float:
    """A draw of Gumbel's distribution, or −∞ if it is too low for ``saved`` to exceed ``gain``.

    Few draws are high enough. As e^t is more than the first terms of its series, most of the others
    are known without a logarithm.
    """
    if heat <= 0.0:
        return 0.0
    drawn = rng.standard_exponential()
    needed = (gain - saved) / heat
    if needed > 0.0 and gain < _PLAIN_GAIN:
        at_least = 1.0 + needed * (1.0 + needed * (0.5 + needed / 6.0))
        if drawn * at_least > 1.0 + 1e-6:
            return -np.inf
    return float(-heat * np.log(drawn))


@inner_kernel
def _lacking_after(
    groups: AnswerGroups, home: int, group: int, one: int, other: int, least: float
) -> int:
    """How many of two groups lack deviation once ``one`` and ``other`` changed places."""
    if least <= 0.0:
        return 0
    here = lacks_deviation(groups.hidden, groups.sums[home], one, other, least)
    there = lacks_deviation(groups.hidden, groups.sums[group], other, one, least)
    return int(here) + int(there)


@inner_kernel
def cheapest_group(groups: AnswerGroups, one: int, least: float, costs: Codes) -> tuple[int, int]:
    """The group, other than its own, that a record costs least, and how much."""
    chosen, best = -1, 4 * LACKING
    adding_costs(groups, one, costs)
    for group in range(len(costs)):
        cost = int(costs[group])
        if cost - LACKING * int(groups.lacking[group]) >= best:
            continue  # not even if the record brought deviation
        if group == groups.labels[one] or groups.sizes[group] == 0:
            continue
        if least > 0.0:
            after = lacks_deviation(groups.hidden, groups.sums[group], -1, one, least)
            cost += LACKING * (int(after) - int(groups.lacking[group]))
        if cost < best:
            chosen, best = group, cost
    return chosen, best


@inner_kernel
def _dissolve(groups: AnswerGroups, width: int, least: float, costs: Codes) -> int:
    """Give the members of groups to others where that costs less; how much is saved."""
    total = 0
    for group in range(len(groups.sizes)):
        saved = int(groups.lacking[group]) * LACKING
        saved += group_cost(groups, group, width)
        one, target = groups.first[group], 0
        while one >= 0 and saved > 0 and target >= 0:
            target, cost = cheapest_group(groups, one, least, costs)
            saved -= cost
            one = groups.after[one]
        if saved > 0 and target >= 0 and groups.sizes[group] > 0:
            total += saved
            _scatter(groups, group, least, costs)
    return total


@inner_kernel
def group_cost(groups: AnswerGroups, group: int, width: int) -> int:
    """What it costs to make a group alike."""
    total = 0
    for issue in range(groups.cells.shape[1]):
        total += fit(groups.counts[group, issue], width)[0]
    return total


@inner_kernel
def _scatter(groups: AnswerGroups, group: int, least: float, costs: Codes) -> None:
    while groups.first[group] >= 0:
        one = groups.first[group]
        target, _ = cheapest_group(groups, one, least, costs)
        leave(groups, one)
        enter(groups, one, target)
        update_costs(groups, target, least, one, -1)
    update_costs(groups, group, least, -1, -1)
