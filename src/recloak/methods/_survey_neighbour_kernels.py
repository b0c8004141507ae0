"""Kernels that find proximate classes of equal answers, and delete records until all have enough.

Classes are in the order of their answers, so that those which begin alike stand together: a tree.
A search for neighbours goes down the branches whose answer is near, at most 2ε + 1 of them.
"""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Indices, Levels, Mask
from recloak.core.kernels import inner_kernel, kernel
from recloak.methods._survey_cost_kernels import spread_enough

MOST_TRIED = 24


@kernel
def branch_ends(columns: Levels) -> Codes:
    """For each issue and class: where those end that are alike up to this issue."""
    issues, classes = columns.shape
    ends = np.empty((issues, classes), np.int32)
    for at in range(classes - 1, -1, -1):
        alike = at + 1 < classes
        for issue in range(issues):
            alike = alike and columns[issue, at] == columns[issue, at + 1]
            ends[issue, at] = ends[issue, at + 1] if alike else at + 1
    return ends


@inner_kernel
def near(one: int, other: int, width: int) -> bool:
    """Are two cells within ``width`` levels? No answer (0) is near to none alone."""
    if one == 0 or other == 0:
        return one == other
    return abs(one - other) <= width


@inner_kernel
def neighbours(
    columns: Levels, ends: Codes, one: int, width: int, stack: Indices, found: Indices
) -> int:
    """Write the classes proximate to a class, itself included, into ``found``; how many."""
    issues, classes = columns.shape
    stack[0], stack[1], stack[2] = 0, 0, classes
    height, count = 1, 0
    while height > 0:
        height -= 1
        depth, at, end = stack[3 * height], stack[3 * height + 1], stack[3 * height + 2]
        if depth == issues:
            found[count] = at
            count += 1
            continue
        wanted = columns[depth, one]
        while at < end:
            branch = np.int64(ends[depth, at])
            if near(columns[depth, at], wanted, width):
                stack[3 * height] = depth + 1
                stack[3 * height + 1], stack[3 * height + 2] = at, branch
                height += 1
            at = branch
    return count


@kernel
def gather(
    first: int,
    last: int,
    columns: Levels,
    ends: Codes,
    width: int,
    r: int,
    sums: Indices,
    total: Indices,
) -> None:
    """Sum the rows of ``sums`` over the neighbours of the classes first..last into ``total``."""
    issues, classes = columns.shape
    stack, found = np.empty(3 * (issues + 1) * (r + 1), np.int64), np.empty(classes, np.int64)
    for one in range(first, last):
        count = neighbours(columns, ends, one, width, stack, found)
        for at in range(count):
            for column in range(sums.shape[1]):
                total[one, column] += sums[found[at], column]


@kernel
def mark_lacking(
    columns: Levels, ends: Codes, width: int, r: int, k: int, least: float, total: Indices
) -> Mask:
    """The classes that stand in a neighbourhood which lacks something."""
    issues, classes = columns.shape
    stack, found = np.empty(3 * (issues + 1) * (r + 1), np.int64), np.empty(classes, np.int64)
    marked = np.zeros(classes, np.bool_)
    for one in range(classes):
        if lacks(total, one, k, least):
            count = neighbours(columns, ends, one, width, stack, found)
            for at in range(count):
                marked[found[at]] = True
    return marked


@inner_kernel
def lacks(total: Indices, one: int, k: int, least: float) -> bool:
    """Is a neighbourhood too small, or a sensitive issue in it without deviation?

    A row of ``total`` holds the number of records, then number, sum and sum of squares of the
    answers to each issue.
    """
    if total[one, 0] < k:
        return True
    for at in range(1, total.shape[1], 3):
        if not spread_enough(total[one, at], total[one, at + 1], total[one, at + 2], least):
            return True
    return False


@kernel
def delete_lacking(
    columns: Levels,
    ends: Codes,
    width: int,
    r: int,
    k: int,
    least: float,
    starts: Indices,
    hidden: Levels,
    total: Indices,
    kept: Mask,
) -> None:
    """Delete records until no neighbourhood of those that are left lacks anything.

    The records of class c are ``starts[c]:starts[c + 1]``. A class whose neighbourhood is too
    small is deleted as a whole, which leaves the one largest core if no deviation is asked for.
    Where deviation is lacking, one record is deleted: that of the neighbours (some of them are
    tried) which leaves the fewest records in neighbourhoods that lack something.
    """
    classes = columns.shape[1]
    stack = np.empty(3 * (columns.shape[0] + 1) * (r + 1), np.int64)
    found, around = np.empty(classes + 1, np.int64), np.empty(classes, np.int64)
    left = starts[1:] - starts[:-1]
    queue, queued = np.empty(classes + 1, np.int64), np.zeros(classes, np.bool_)
    head, tail = 0, 0
    for one in range(classes):
        tail = _push(queue, tail, queued, one, lacks(total, one, k, least))
    while head != tail:
        one = queue[head]
        head = (head + 1) % len(queue)
        queued[one] = False
        if left[one] == 0 or not lacks(total, one, k, least):
            continue
        goes, taken = one, np.zeros(total.shape[1], np.int64)
        if total[one, 0] < k:
            for record in range(starts[one], starts[one + 1]):
                _take_out(hidden, kept, record, taken)
        else:
            count = neighbours(columns, ends, one, width, stack, found)
            found[min(count, MOST_TRIED)] = one
            goes, record = _record_to_delete(
                found[: min(count, MOST_TRIED) + 1],
                columns,
                ends,
                width,
                stack,
                around,
                starts,
                hidden,
                kept,
                left,
                total,
                one,
                k,
                least,
            )
            _take_out(hidden, kept, record, taken)
        left[goes] -= taken[0]
        count = neighbours(columns, ends, goes, width, stack, found)
        for at in range(count):
            other = found[at]
            _subtract(total, other, taken)
            due = left[other] > 0 and not queued[other] and lacks(total, other, k, least)
            tail = _push(queue, tail, queued, other, due)


@inner_kernel
def _push(queue: Indices, tail: int, queued: Mask, one: int, due: bool) -> int:
    """Put a class at the end of the queue if it is due; where the queue ends then."""
    if not due:
        return tail
    queue[tail] = one
    queued[one] = True
    return (tail + 1) % len(queue)


@inner_kernel
def _record_to_delete(
    tried: Indices,
    columns: Levels,
    ends: Codes,
    width: int,
    stack: Indices,
    around: Indices,
    starts: Indices,
    hidden: Levels,
    kept: Mask,
    left: Indices,
    total: Indices,
    one: int,
    k: int,
    least: float,
) -> tuple[int, int]:
    """The class and the record among those ``tried`` to delete for the sake of ``one``."""
    goes, deleted, fewest = one, -1, len(kept) + 1
    for at in range(len(tried) - 1, -1, -1):
        other = tried[at]
        record = _most_average(starts, hidden, kept, other, total[one])
        if record >= 0:
            count = neighbours(columns, ends, other, width, stack, around)
            near_by = around[:count]
            lacking = _lacking_without(record, hidden, near_by, other, left, total, k, least)
            if lacking < fewest:
                goes, deleted, fewest = other, record, lacking
    return goes, deleted


@inner_kernel
def _subtract(total: Indices, one: int, taken: Indices) -> None:
    for column in range(len(taken)):
        total[one, column] -= taken[column]


@inner_kernel
def _lacking_without(
    record: int,
    hidden: Levels,
    around: Indices,
    own: int,
    left: Indices,
    total: Indices,
    k: int,
    least: float,
) -> int:
    """How many more records lack something once a record of class ``own`` is deleted."""
    more, taken = 0, np.zeros(total.shape[1], np.int64)
    _count_out(hidden, record, taken)
    for at in range(len(around)):
        one = around[at]
        more -= int(lacks(total, one, k, least)) * left[one]
        _subtract(total, one, taken)
        more += int(lacks(total, one, k, least)) * (left[one] - int(one == own))
        _subtract(total, one, -taken)
    return more


@inner_kernel
def _most_average(starts: Indices, hidden: Levels, kept: Mask, one: int, total: Indices) -> int:
    """The record of a class that is nearest to the means of a neighbourhood; -1 if none is left."""
    chosen, best = -1, np.inf
    for record in range(starts[one], starts[one + 1]):
        spread = 0.0
        for issue in range(hidden.shape[1]):
            answers, level = total[1 + 3 * issue], np.int64(hidden[record, issue])
            if level > 0 and answers > 0:
                away = level - total[2 + 3 * issue] / answers
                spread += away * away
        if kept[record] and spread < best:
            chosen, best = record, spread
    return chosen


@inner_kernel
def _take_out(hidden: Levels, kept: Mask, record: int, taken: Indices) -> None:
    if kept[record]:
        kept[record] = False
        _count_out(hidden, record, taken)


@inner_kernel
def _count_out(hidden: Levels, record: int, taken: Indices) -> None:
    taken[0] += 1
    for issue in range(hidden.shape[1]):
        level = np.int64(hidden[record, issue])
        if level > 0:
            taken[1 + 3 * issue] += 1
            taken[2 + 3 * issue] += level
            taken[3 + 3 * issue] += level * level
