"""Kernels on groups of answers: what it costs to make a group alike, and to change its members.

Cells are coded 0 for no answer and 1..r for the levels. A group and an issue are told by their
histogram. Making them alike costs the cheaper of two ways: all are emptied, at r each, or empty
cells are filled, at r each, and answers are moved into the best interval of ``width`` + 1 levels.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import inner_kernel, kernel

ALL_NULL = -1
_NOBODY = -1


class AnswerGroups(NamedTuple):
    """A partition of records under change; members of a group are a linked list.

    ``cells`` and ``hidden`` hold the answers to non-sensitive and sensitive issues of each record,
    ``counts[g, issue, cell]`` the histograms, ``sums[g, issue]`` number, sum and sum of squares of
    the sensitive answers. ``change[g, issue, out, into]`` is what the cost rises by when a member
    with ``out`` leaves and one with ``into`` comes (r + 1: nobody); ``adding`` is the part of it
    where nobody leaves, close together because every record asks every group. ``changed`` and
    ``looked`` tell when a group last changed and a record last looked around.
    """

    cells: NDArray[np.int8]
    hidden: NDArray[np.int8]
    labels: NDArray[np.int64]
    first: NDArray[np.int64]
    after: NDArray[np.int64]
    before: NDArray[np.int64]
    sizes: NDArray[np.int64]
    counts: NDArray[np.int32]
    sums: NDArray[np.int64]
    adding: NDArray[np.int32]
    change: NDArray[np.int32]
    failing: NDArray[np.bool_]
    changed: NDArray[np.int64]
    looked: NDArray[np.int64]
    clock: NDArray[np.int64]


@inner_kernel
def empty_groups(
    cells: NDArray[np.int8], hidden: NDArray[np.int8], r: int, count: int
) -> AnswerGroups:
    """So many groups, nobody in them yet."""
    n, issues = cells.shape
    return AnswerGroups(
        cells=cells,
        hidden=hidden,
        labels=np.zeros(n, np.int64) + _NOBODY,
        first=np.zeros(count, np.int64) + _NOBODY,
        after=np.zeros(n, np.int64) + _NOBODY,
        before=np.zeros(n, np.int64) + _NOBODY,
        sizes=np.zeros(count, np.int64),
        counts=np.zeros((count, issues, r + 1), np.int32),
        sums=np.zeros((count, hidden.shape[1], 3), np.int64),
        adding=np.zeros((count, issues, r + 1), np.int32),
        change=np.zeros((count, issues, r + 2, r + 2), np.int32),
        failing=np.zeros(count, np.bool_),
        changed=np.zeros(count, np.int64),
        looked=np.zeros(n, np.int64),
        clock=np.zeros(1, np.int64),
    )


@inner_kernel
def outside(start: int, width: int, cell: int) -> int:
    """How far a cell lies outside the interval of levels that begins at ``start``."""
    level = cell - 1
    if level < start:
        return start - level
    return max(0, level - start - width)


@kernel
def fit(counts: NDArray[np.int32], width: int) -> tuple[int, int]:
    """The least cost of making cells alike, and where the interval starts (`ALL_NULL`: nowhere).

    The lowest of equally good intervals is taken, and answers rather than none.
    """
    levels = len(counts) - 1
    emptied = 0
    for cell in range(1, levels + 1):
        emptied += levels * counts[cell]
    best, chosen = emptied + 1, ALL_NULL
    for start in range(max(1, levels - width)):
        cost = levels * counts[0]
        for cell in range(1, levels + 1):
            cost += outside(start, width, cell) * counts[cell]
        if cost < best:
            best, chosen = cost, start
    if chosen == ALL_NULL:
        best = emptied
    return best, chosen


@kernel
def merged_cost(one: NDArray[np.int32], other: NDArray[np.int32], width: int) -> int:
    """The cost of two groups as one; each has a row of counts for each issue."""
    total = 0
    both = np.empty(one.shape[1], np.int32)
    for issue in range(one.shape[0]):
        for cell in range(one.shape[1]):
            both[cell] = one[issue, cell] + other[issue, cell]
        total += fit(both, width)[0]
    return total


@kernel
def cost_changes(counts: NDArray[np.int32], width: int, change: NDArray[np.int32]) -> None:
    """Fill ``change[out, into]`` for one issue; an ``out`` that nobody has is left alone."""
    levels = len(counts) - 1
    nobody, places = levels + 1, max(1, levels - width)
    emptied = 0
    filled = np.zeros(places, np.int64) + levels * counts[0]
    for cell in range(1, levels + 1):
        emptied += levels * counts[cell]
        for start in range(places):
            filled[start] += outside(start, width, cell) * counts[cell]
    now = emptied
    for start in range(places):
        now = min(now, filled[start])
    for out in range(levels + 2):
        if out < nobody and counts[out] == 0:
            continue
        for into in range(levels + 2):
            cost = emptied + levels * ((0 < into < nobody) - (0 < out < nobody))
            for start in range(places):
                moved = filled[start]
                if into < nobody:
                    moved += levels if into == 0 else outside(start, width, into)
                if out < nobody:
                    moved -= levels if out == 0 else outside(start, width, out)
                cost = min(cost, moved)
            change[out, into] = cost - now


@kernel
def spread_enough(count: int, total: int, squares: int, least: float) -> bool:
    """Is the deviation of sensitive answers at least ``least``? Where there are none it is."""
    if least <= 0.0 or count == 0:
        return True
    if count == 1:
        return False
    return float(count * squares - total * total) >= least * least * float(count) * float(count)


@inner_kernel
def fails(
    hidden: NDArray[np.int8], sums: NDArray[np.int64], out: int, into: int, least: float
) -> bool:
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
def renew(groups: AnswerGroups, group: int, width: int, least: float) -> None:
    """Bring what a group's changes would cost up to date."""
    nobody = groups.change.shape[2] - 1
    for issue in range(groups.cells.shape[1]):
        cost_changes(groups.counts[group, issue], width, groups.change[group, issue])
        for cell in range(nobody):
            groups.adding[group, issue, cell] = groups.change[group, issue, nobody, cell]
    groups.failing[group] = groups.sizes[group] > 0 and fails(
        groups.hidden, groups.sums[group], -1, -1, least
    )
    groups.clock[0] += 1
    groups.changed[group] = groups.clock[0]


@inner_kernel
def adding_cost(adding: NDArray[np.int32], record: NDArray[np.int8]) -> int:
    """What the cost of a group rises by if a record comes."""
    total = 0
    for issue in range(len(record)):
        total += adding[issue, record[issue]]
    return total


@inner_kernel
def leaving_cost(change: NDArray[np.int32], record: NDArray[np.int8]) -> int:
    """What the cost of a group rises by if a member leaves; no more than 0."""
    total, nobody = 0, change.shape[1] - 1
    for issue in range(len(record)):
        total += change[issue, record[issue], nobody]
    return total


@inner_kernel
def trading_cost(
    change: NDArray[np.int32], leaver: NDArray[np.int8], comer: NDArray[np.int8]
) -> int:
    """What the cost of a group rises by if one record leaves and another comes."""
    total = 0
    for issue in range(len(leaver)):
        total += change[issue, leaver[issue], comer[issue]]
    return total


@kernel
def fit_cells(
    first: int,
    last: int,
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    widths: NDArray[np.int64],
    r: int,
    cells: NDArray[np.int8],
    fitted: NDArray[np.int8],
) -> int:
    """Write the cells of the groups first..last, made alike, into ``fitted``; what that costs.

    The members of group g are ``order[starts[g]:starts[g + 1]]``, its interval is ``widths[g]``
    wide. Who gave no answer where answers stay gets the most frequent one, the lowest of several.
    """
    total = 0
    for group in range(first, last):
        members, width = order[starts[group] : starts[group + 1]], widths[group]
        for issue in range(cells.shape[1]):
            counts = np.zeros(r + 1, np.int32)
            for at in range(len(members)):
                counts[cells[members[at], issue]] += 1
            cost, start = fit(counts, width)
            total += cost
            usual = _usual(counts, start, width)
            for at in range(len(members)):
                cell = cells[members[at], issue]
                if cell == 0 or start == ALL_NULL:
                    fitted[members[at], issue] = usual
                else:
                    fitted[members[at], issue] = min(max(cell, start + 1), start + 1 + width)
    return total


@inner_kernel
def _usual(counts: NDArray[np.int32], start: int, width: int) -> int:
    """The most frequent cell once answers are moved into the interval; 0 if all are emptied."""
    if start == ALL_NULL:
        return 0
    best, chosen = -1, 0
    for cell in range(start + 1, min(start + width + 2, len(counts))):
        count = 0
        for moved in range(1, len(counts)):
            if min(max(moved, start + 1), start + 1 + width) == cell:
                count += counts[moved]
        if count > best:
            best, chosen = count, cell
    return chosen
