"""A sort that kernels take in: that of numba takes most of a second to compile, for each type."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Offsets
from recloak.core.kernels import inner_kernel

FEW = 16  # so many are sorted by insertion
DEEPEST = 64  # the larger part waits, so no more than log2 of the count wait at once


@inner_kernel
def sort_ascending(values: Codes | Offsets) -> None:
    """Sort whole numbers in place, by quicksort."""
    starts, ends = np.empty(DEEPEST, np.int64), np.empty(DEEPEST, np.int64)
    starts[0], ends[0], waiting = 0, len(values), 1
    while waiting > 0:
        waiting -= 1
        start, end = starts[waiting], ends[waiting]
        while end - start > FEW:
            middle = _split(values, start, end)
            if middle - start < end - middle:
                starts[waiting], ends[waiting] = middle, end
                end = middle
            else:
                starts[waiting], ends[waiting] = start, middle
                start = middle
            waiting += 1
        _insert(values, start, end)


@inner_kernel
def _split(values: Codes | Offsets, start: int, end: int) -> int:
    """Put what is below the middle one of three before what is above; where the latter begins."""
    low, middle, high = values[start], values[(start + end) // 2], values[end - 1]
    pivot = max(min(low, middle), min(max(low, middle), high))
    left, right = start, end - 1
    while True:
        while values[left] < pivot:
            left += 1
        while values[right] > pivot:
            right -= 1
        if left >= right:
            return left if left > start else start + 1
        values[left], values[right] = values[right], values[left]
        left += 1
        right -= 1


@inner_kernel
def _insert(values: Codes | Offsets, start: int, end: int) -> None:
    for at in range(start + 1, end):
        value, to = values[at], at
        while to > start and values[to - 1] > value:
            values[to] = values[to - 1]
            to -= 1
        values[to] = value
