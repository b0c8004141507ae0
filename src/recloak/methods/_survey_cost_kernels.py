"""Kernels that compute the cost of making a group of answers alike, and make them alike.

Cells are coded 0 for no answer and 1..r for the levels. A group's answers to an issue are a
histogram. Making them alike costs the cheaper of two ways: all are emptied, at r each, or empty
cells are filled, at r each, and answers are moved into the best interval of ``width`` + 1 levels.
"""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Indices, Integers, Levels, Offsets
from recloak.core.kernels import inner_kernel, kernel

ALL_NULL = -1


@inner_kernel
def outside(start: int, width: int, cell: int) -> int:
    """How far a cell lies outside the interval of levels that begins at ``start``."""
    level = cell - 1
    if level < start:
        return start - level
    return max(0, level - start - width)


@kernel
def fit(counts: Codes, width: int) -> tuple[int, int]:
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
def merged_cost(one: Codes, other: Codes, width: int) -> int:
    """The cost of two groups as one; each has a row of counts for each issue."""
    total = 0
    both = np.empty(one.shape[1], np.int32)
    for issue in range(one.shape[0]):
        for cell in range(one.shape[1]):
            both[cell] = one[issue, cell] + other[issue, cell]
        total += fit(both, width)[0]
    return total


@kernel
def cell_costs(levels: int, width: int) -> Integers:
    """The cost of each cell (row) in each of the intervals, or emptied (last column).

    The last row stands for nobody and costs nothing.
    """
    places = max(1, levels - width)
    table = np.zeros((levels + 2, places + 1), np.int64)
    for place in range(places):
        table[0, place] = levels
        for cell in range(1, levels + 1):
            table[cell, place] = outside(place, width, cell)
    table[1 : levels + 1, places] = levels
    return table


@kernel
def cost_changes(counts: Codes, cell_costs: Integers, change: Levels) -> None:
    """Fill ``change[out, into]`` for one issue; an ``out`` that nobody has is left alone."""
    nobody, places = len(counts), cell_costs.shape[1]
    totals = np.zeros(places, np.int64)
    for cell in range(nobody):
        for place in range(places):
            totals[place] += counts[cell] * cell_costs[cell, place]
    now = totals.min()
    for out in range(nobody + 1):
        if out < nobody and counts[out] == 0:
            continue
        for into in range(nobody + 1):
            cost = totals[0] - cell_costs[out, 0] + cell_costs[into, 0]
            for place in range(1, places):
                cost = min(cost, totals[place] - cell_costs[out, place] + cell_costs[into, place])
            change[out, into] = cost - now


@kernel
def spread_enough(count: int, total: int, squares: int, least: float) -> bool:
    """Is the deviation of sensitive answers at least ``least``? Where there are none it is."""
    if least <= 0.0 or count == 0:
        return True
    if count == 1:
        return False
    apart = float(count * squares - total * total)  # 0 if all are the same
    return apart > 0.0 and apart >= least * least * float(count) * float(count)


@kernel
def fit_cells(
    first: int,
    last: int,
    order: Indices,
    starts: Offsets,
    widths: Integers,
    r: int,
    cells: Levels,
    fitted: Levels,
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
            usual = _most_frequent(counts, start, width)
            for at in range(len(members)):
                cell = cells[members[at], issue]
                if cell == 0 or start == ALL_NULL:
                    fitted[members[at], issue] = usual
                else:
                    fitted[members[at], issue] = min(max(cell, start + 1), start + 1 + width)
    return total


@inner_kernel
def _most_frequent(counts: Codes, start: int, width: int) -> int:
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
