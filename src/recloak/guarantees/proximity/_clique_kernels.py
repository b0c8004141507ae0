"""Kernels on cliques of ε-proximate records: how wide groups are, and a search for boxes."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Integers, Levels, Offsets
from recloak.core.kernels import inner_kernel, kernel
from recloak.guarantees.proximity._plain_kernels import NULL, gap


@kernel
def extents(
    known: Levels, order: Offsets, starts: Offsets, r: int, moments: Integers, sums: Integers
) -> tuple[Integers, Integers]:
    """Of groups ``order[starts[g]:starts[g + 1]]`` the widest issue and its width.

    ``sums`` gets the sums of their moments.
    """
    groups = len(starts) - 1
    widest, width = np.zeros(groups, np.int64), np.zeros(groups, np.int64)
    for group in range(groups):
        leader = order[starts[group]]
        lowest, highest = known[leader].copy(), known[leader].copy()
        for at in range(starts[group], starts[group + 1]):
            for moment in range(moments.shape[1]):
                sums[group, moment] += moments[order[at], moment]
            for issue in range(known.shape[1]):
                level = known[order[at], issue]
                lowest[issue] = min(lowest[issue], level)
                highest[issue] = max(highest[issue], level)
        for issue in range(known.shape[1]):
            wide = gap(lowest[issue], highest[issue], r)
            if wide > width[group]:
                widest[group], width[group] = issue, wide
    return widest, width


@inner_kernel
def best_low(column: Levels, level: int, epsilon: int, r: int, box: Codes, count: int) -> int:
    """Where an interval of width ε around ``level`` starts that holds most of the box."""
    best, most = level, -1
    for low in range(max(level - epsilon, 0), min(level, max(r - 1 - epsilon, 0)) + 1):
        held = 0
        for at in range(count):
            held += low <= column[box[at]] <= low + epsilon
        if held > most:
            best, most = low, held
    return best


@inner_kernel
def fullest_box(columns: Levels, seed: int, epsilon: int, r: int, box: Codes, count: int) -> int:
    """Keep of ``box`` those in the fullest intervals around ``seed``, issue after issue."""
    for issue in range(len(columns)):
        column = columns[issue]
        if column[seed] == NULL:
            continue
        low = best_low(column, column[seed], epsilon, r, box, count)
        kept = 0
        for at in range(count):
            box[kept] = box[at]
            kept += low <= column[box[at]] <= low + epsilon
        count = kept
    return count


@inner_kernel
def nearest_first(columns: Levels, seed: int, box: Codes, count: int) -> None:
    """Put the records of a box in the order of their distance from ``seed``, itself first."""
    apart = np.zeros(count, np.int64)
    for at in range(count):
        for issue in range(len(columns)):
            apart[at] += abs(columns[issue, box[at]] - columns[issue, seed])
        apart[at] = 2 * apart[at] + (box[at] != seed)
    box[:count] = box[:count][np.argsort(apart, kind="mergesort")]


@inner_kernel
def fits(columns: Levels, record: int, box: int, group: Offsets, start: int, epsilon: int) -> bool:
    """Is ``record`` within ε of everyone in a box? Its members stand from ``start`` on."""
    for other in range(start, len(group)):
        if group[other] == box:
            for issue in range(len(columns)):
                if abs(columns[issue, record] - columns[issue, other]) > epsilon:
                    return False
    return True


@inner_kernel
def take_in(columns: Levels, start: int, end: int, epsilon: int, group: Offsets) -> int:
    """Give records without a box the first that they fit in; returns how many fit in none."""
    left = 0
    for record in range(start, end):
        if group[record] >= 0:
            continue
        for box in range(start, end):
            if group[box] == box and fits(columns, record, box, group[:end], start, epsilon):
                group[record] = box
                break
        left += group[record] < 0
    return left


@kernel
def box_cliques(
    columns: Levels,
    start: int,
    end: int,
    epsilon: int,
    r: int,
    k: int,
    most: int,
    group: Offsets,
) -> int:
    """Cut records ``start..end - 1`` of one null pattern into boxes of width ε with k or more.

    Whoever is still free takes the fullest box around themselves, of which the ``most`` nearest
    stay. ``group`` holds −1 and gets the first of each record's box; returns how many found none.
    """
    box = np.empty(end - start, np.int32)
    for seed in range(start, end):
        if group[seed] >= 0:
            continue
        count = 0
        for other in range(start, end):
            if group[other] < 0:
                box[count] = other
                count += 1
        count = fullest_box(columns, seed, epsilon, r, box, count)
        if count < k:
            continue
        if count > most:
            nearest_first(columns, seed, box, count)
        for at in range(min(count, most)):
            group[box[at]] = seed
    return take_in(columns, start, end, epsilon, group)
