"""Kernels on groups of answers under change: who is in which, and what changes would cost."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Bytes, Codes, Integers, Levels, Mask
from recloak.core.kernels import inner_kernel
from recloak.core.kernels.layout import put
from recloak.methods._survey_cost_kernels import cell_costs, cost_changes, spread_enough

_NOBODY = -1
_HISTOGRAM_BITS = 10
_HISTOGRAMS = 1 << _HISTOGRAM_BITS
_MIXER = np.uint64(0x9E3779B97F4A7C15)


class AnswerGroups(NamedTuple):
    """A partition of records under change; members of a group are a linked list.

    ``cells`` and ``hidden`` hold the answers to non-sensitive and sensitive issues of each record,
    ``counts[g, issue, cell]`` the histograms, ``sums[g, issue]`` number, sum and sum of squares of
    the sensitive answers. ``change[g, issue, out, into]`` is what the cost rises by when a member
    with ``out`` leaves and one with ``into`` comes (r + 1: nobody), never more than r either way;
    ``adding[issue, into, g]`` is the part of it where nobody leaves, groups side by side because
    every record asks all of them. Groups with equal histograms of an issue have equal changes;
    ``seen_counts`` and ``seen_change`` keep those that were met last. ``changed`` and ``looked``
    tell when a group last changed and a record last looked around.
    """

    cell_costs: Integers
    cells: Bytes
    hidden: Levels
    labels: Integers
    first: Integers
    after: Integers
    before: Integers
    sizes: Integers
    counts: Codes
    sums: Integers
    adding: Levels
    change: Levels
    seen_counts: Codes
    seen_change: Levels
    lacking: Mask
    changed: Integers
    looked: Integers
    clock: Integers


@inner_kernel
def empty_groups(cells: Levels, hidden: Levels, r: int, width: int, count: int) -> AnswerGroups:
    """So many groups, nobody in them yet."""
    n, issues = cells.shape
    return AnswerGroups(
        cell_costs=cell_costs(r, width),
        cells=cells.view(np.uint8),  # unsigned indices need no look at their sign
        hidden=hidden,
        labels=np.zeros(n, np.int64) + _NOBODY,
        first=np.zeros(count, np.int64) + _NOBODY,
        after=np.zeros(n, np.int64) + _NOBODY,
        before=np.zeros(n, np.int64) + _NOBODY,
        sizes=np.zeros(count, np.int64),
        counts=np.zeros((count, issues, r + 1), np.int32),
        sums=np.zeros((count, hidden.shape[1], 3), np.int64),
        adding=np.zeros((issues, r + 1, count), np.int8),
        change=np.zeros((count, issues, r + 2, r + 2), np.int8),
        seen_counts=np.zeros((_HISTOGRAMS, r + 1), np.int32) - 1,
        seen_change=np.zeros((_HISTOGRAMS, r + 2, r + 2), np.int8),
        lacking=np.zeros(count, np.bool_),
        changed=np.zeros(count, np.int64),
        looked=np.zeros(n, np.int64),
        clock=np.zeros(1, np.int64),
    )


@inner_kernel
def lacks_deviation(hidden: Levels, sums: Integers, out: int, into: int, least: float) -> bool:
    """Would a group lack deviation if record ``out`` left and ``into`` came (-1: nobody)?"""
    for issue in range(len(sums)):
        count, total, squares = sums[issue]
        if out >= 0 and hidden[out, issue] > 0:
            level = np.int64(hidden[out, issue])
            count, total, squares = count - 1, total - level, squares - level * level
        if into >= 0 and hidden[into, issue] > 0:
            level = np.int64(hidden[into, issue])
            count, total, squares = count + 1, total + level, squares + level * level
        if not spread_enough(count, total, squares, least):
            return True
    return False


@inner_kernel
def enter(groups: AnswerGroups, one: int, group: int) -> None:
    """Make a record a member; `renew` must follow."""
    groups.labels[one] = group
    head = groups.first[group]
    groups.after[one], groups.before[one] = head, _NOBODY
    if head >= 0:
        groups.before[head] = one
    groups.first[group] = one
    groups.sizes[group] += 1
    _count(groups, one, group, 1)


@inner_kernel
def leave(groups: AnswerGroups, one: int) -> None:
    """Take a record out of its group; `renew` must follow."""
    group = groups.labels[one]
    nearer, farther = groups.before[one], groups.after[one]
    if nearer >= 0:
        groups.after[nearer] = farther
    else:
        groups.first[group] = farther
    if farther >= 0:
        groups.before[farther] = nearer
    groups.labels[one] = _NOBODY
    groups.sizes[group] -= 1
    _count(groups, one, group, -1)


@inner_kernel
def _count(groups: AnswerGroups, one: int, group: int, sign: int) -> None:
    for issue in range(groups.cells.shape[1]):
        groups.counts[group, issue, groups.cells[one, issue]] += sign
    for issue in range(groups.hidden.shape[1]):
        level = np.int64(groups.hidden[one, issue])
        if level > 0:
            groups.sums[group, issue, 0] += sign
            groups.sums[group, issue, 1] += sign * level
            groups.sums[group, issue, 2] += sign * level * level


@inner_kernel
def update_costs(groups: AnswerGroups, group: int, least: float, one: int, other: int) -> None:
    """Bring what a group's changes would cost up to date after ``one`` took the place of ``other``.

    -1 stands for nobody. Where both gave the same answer, nothing is new.
    """
    nobody = groups.change.shape[2] - 1
    for issue in range(groups.cells.shape[1]):
        if one >= 0 and other >= 0 and groups.cells[one, issue] == groups.cells[other, issue]:
            continue
        _change_costs(groups, groups.counts[group, issue], groups.change[group, issue])
        for cell in range(nobody):
            groups.adding[issue, cell, group] = groups.change[group, issue, nobody, cell]
    groups.lacking[group] = groups.sizes[group] > 0 and lacks_deviation(
        groups.hidden, groups.sums[group], -1, -1, least
    )
    groups.clock[0] += 1
    groups.changed[group] = groups.clock[0]


@inner_kernel
def _change_costs(groups: AnswerGroups, counts: Codes, change: Levels) -> None:
    """What changes of a histogram cost: as it was found before, or anew."""
    mixed = np.uint64(0)
    for count in counts:
        mixed = (mixed ^ np.uint64(count)) * _MIXER
    slot = mixed >> np.uint64(64 - _HISTOGRAM_BITS)
    seen, costs = groups.seen_counts[slot], groups.seen_change[slot]
    same = True
    for cell in range(len(counts)):
        same &= seen[cell] == counts[cell]
    if not same:
        cost_changes(counts, groups.cell_costs, costs)
        put(counts, seen)
    put(costs.reshape(-1), change.reshape(-1))


@inner_kernel
def adding_costs(groups: AnswerGroups, one: int, costs: Codes) -> None:
    """What the cost of each group rises by if a record comes."""
    costs[:] = 0
    for issue in range(groups.cells.shape[1]):
        of_groups = groups.adding[issue, groups.cells[one, issue]]
        for group in range(len(costs)):
            costs[group] += of_groups[group]


@inner_kernel
def adding_cost(change: Levels, record: Bytes) -> int:
    """What the cost of a group rises by if a record comes."""
    total, nobody = 0, change.shape[1] - 1
    for issue in range(len(record)):
        total += change[issue, nobody, record[issue]]
    return total


@inner_kernel
def leaving_cost(change: Levels, record: Bytes) -> int:
    """What the cost of a group rises by if a member leaves; no more than 0."""
    total, nobody = 0, change.shape[1] - 1
    for issue in range(len(record)):
        total += change[issue, record[issue], nobody]
    return total


@inner_kernel
def trading_cost(change: Levels, leaver: Bytes, comer: Bytes) -> int:
    """What the cost of a group rises by if one record leaves and another comes."""
    total = 0
    for issue in range(len(leaver)):
        total += change[issue, leaver[issue], comer[issue]]
    return total
