"""Kernels that find ε-proximate records the plain way and the paper's: all pairs, and slicing."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Bytes, Codes, Integers, Levels
from recloak.core.kernels import inner_kernel, kernel

NULL = -1


@inner_kernel
def gap(one: int, other: int, r: int) -> int:
    """The distance of two answers to an issue: r between an answer and none."""
    if (one == NULL) != (other == NULL):
        return r
    return abs(one - other)


@kernel
def dissimilarities(known: Levels, r: int, first: int, last: int, matrix: Bytes) -> None:
    """Fill rows ``first..last - 1`` of the matrix: the largest distance over all issues."""
    for one in range(first, last):
        for other in range(len(known)):
            largest = 0
            for issue in range(known.shape[1]):
                largest = max(largest, gap(known[one, issue], known[other, issue], r))
            matrix[one, other] = largest


@kernel
def add_up(
    matrix: Bytes,
    epsilon: int,
    moments: Integers,
    first: int,
    last: int,
    sizes: Integers,
    sums: Integers,
) -> None:
    """How many are within ε of each of ``first..last - 1``, and the sum of their moments."""
    for one in range(first, last):
        for other in range(len(matrix)):
            if matrix[one, other] <= epsilon:
                sizes[one] += 1
                for moment in range(moments.shape[1]):
                    sums[one, moment] += moments[other, moment]


@inner_kernel
def slab(column: Levels, order: Codes, level: int, epsilon: int, r: int, taken: Codes) -> int:
    """The records between the two planes at a distance of ε from ``level`` on one issue."""
    low = -1 if level == NULL else max(level - epsilon, 0)
    high = -1 if level == NULL else min(level + epsilon, r - 1)
    start, end = 0, len(order)
    while start < end:
        middle = (start + end) // 2
        if column[order[middle]] < low:
            start = middle + 1
        else:
            end = middle
    count = 0
    while start < len(order) and column[order[start]] <= high:
        taken[count] = order[start]
        count, start = count + 1, start + 1
    return count


@inner_kernel
def trim(column: Levels, level: int, epsilon: int, r: int, taken: Codes, count: int) -> int:
    """Disregard the candidates that are not between the planes of a further issue."""
    left = 0
    for at in range(count):
        taken[left] = taken[at]
        left += gap(column[taken[at]], level, r) <= epsilon
    return left


@kernel
def slice_out(
    columns: Levels,
    order: Codes,
    epsilon: int,
    r: int,
    moments: Integers,
    first: int,
    last: int,
    sizes: Integers,
    sums: Integers,
) -> None:
    """The same by slicing: ``columns`` has a row for each issue, ``order`` is by the first."""
    taken = np.empty(columns.shape[1] + 1, np.int32)
    for one in range(first, last):
        count = slab(columns[0], order, columns[0, one], epsilon, r, taken)
        for issue in range(1, len(columns)):
            count = trim(columns[issue], columns[issue, one], epsilon, r, taken, count)
        sizes[one] = count
        for at in range(count):
            for moment in range(moments.shape[1]):
                sums[one, moment] += moments[taken[at], moment]
