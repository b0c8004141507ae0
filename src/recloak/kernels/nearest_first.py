"""Kernels that keep the nearest of many items in a heap, compared in whole numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import inner_kernel
from recloak.kernels.layout import Codes, Offsets
from recloak.kernels.wide_products import compare_shares

_CLEAR = 1e-9  # shares that differ by more than this in doubles differ in truth


class Row(NamedTuple):
    """One item's similarities: ``num``² / (``one`` · ``two``), and about the same in doubles."""

    num: Offsets
    one: Offsets
    two: Offsets
    about: NDArray[np.float64]


@inner_kernel
def nearer(row: Row, this: int, that: int) -> bool:
    """Does ``this`` come before ``that``? The larger similarity; of equals the smaller code."""
    gap = row.about[this] - row.about[that]
    if abs(gap) > _CLEAR * row.about[that]:
        return bool(gap > 0)
    sign = compare_shares(
        row.num[this], row.one[this], row.two[this], row.num[that], row.one[that], row.two[that]
    )
    return sign > 0 if sign != 0 else this < that


@inner_kernel
def may_fit(heap: Codes, size: int, about: float, row: Row) -> bool:
    """Can an item of about this similarity be among the nearest? Most can not, at a glance."""
    return size < len(heap) or (size > 0 and about >= row.about[heap[0]] * (1 - _CLEAR))


@inner_kernel
def sink(heap: Codes, size: int, row: Row) -> None:
    """Let the root of a heap whose root is the farthest item sink to its place."""
    at = 0
    while True:
        far = 2 * at + 1
        if far >= size:
            return
        if far + 1 < size and nearer(row, heap[far], heap[far + 1]):
            far += 1
        if not nearer(row, heap[at], heap[far]):
            return
        heap[at], heap[far] = heap[far], heap[at]
        at = far


@inner_kernel
def offer(heap: Codes, size: int, other: int, row: Row) -> int:
    """Keep ``other`` among the nearest that fit into ``heap``; returns how many it holds."""
    if size < len(heap):
        heap[size] = other
        at = size
        while at > 0 and nearer(row, heap[(at - 1) // 2], heap[at]):
            heap[at], heap[(at - 1) // 2] = heap[(at - 1) // 2], heap[at]
            at = (at - 1) // 2
        return size + 1
    if size and nearer(row, other, heap[0]):
        heap[0] = other
        sink(heap, size, row)
    return size


@inner_kernel
def put_in_order(heap: Codes, size: int, row: Row) -> None:
    """Sort a heap in place, the nearest item first; -1 behind the last."""
    for left in range(size - 1, 0, -1):
        heap[0], heap[left] = heap[left], heap[0]
        sink(heap, left, row)
    for empty in range(size, len(heap)):
        heap[empty] = -1
