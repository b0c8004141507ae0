"""Kernels that keep the most similar items of a row, compared exactly: products in 256 bits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Codes, Floats, Offsets, Words
from recloak.core.kernels import inner_kernel, kernel

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_N_LIMBS = 8
_SMALL = 1 << 31  # products of two such fit into 63 bits


@inner_kernel
def times_half(limbs: Words, half: np.uint64, shift: int, product: Words) -> None:
    """Add ``limbs`` × ``half``, moved up by ``shift`` limbs, to ``product``."""
    carry = np.uint64(0)
    for at in range(shift, _N_LIMBS):
        grown = limbs[at - shift] * half + product[at] + carry
        product[at] = grown & _LOW
        carry = grown >> _HALF


@inner_kernel
def product_of_four(one: int, two: int, three: int, four: int) -> Words:
    """The product of four numbers from 0 to 2^63 − 1 in limbs of 32 bits, the lowest first."""
    product = np.zeros(_N_LIMBS, np.uint64)
    product[0] = np.uint64(1)
    for factor in (one, two, three, four):
        grown = np.zeros(_N_LIMBS, np.uint64)
        times_half(product, np.uint64(factor) & _LOW, 0, grown)
        times_half(product, np.uint64(factor) >> _HALF, 1, grown)
        product = grown
    return product


@inner_kernel
def product_of_two(one: np.uint64, two: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The product of two numbers of 64 bits: its higher and its lower half."""
    low, one_high, two_high = (one & _LOW) * (two & _LOW), one >> _HALF, two >> _HALF
    middle = one_high * (two & _LOW) + (low >> _HALF)
    other = (one & _LOW) * two_high + (middle & _LOW)
    return one_high * two_high + (middle >> _HALF) + (other >> _HALF), one * two


@inner_kernel
def compare_small(num: int, parts: int, num_2: int, parts_2: int) -> int:
    """The sign of num²/parts − num_2²/parts_2, where squares and parts fit into 63 bits."""
    high, low = product_of_two(np.uint64(num * num), np.uint64(parts_2))
    high_2, low_2 = product_of_two(np.uint64(num_2 * num_2), np.uint64(parts))
    if high != high_2:
        return 1 if high > high_2 else -1
    if low != low_2:
        return 1 if low > low_2 else -1
    return 0


@kernel
def compare_shares(num: int, one: int, two: int, num_2: int, one_2: int, two_2: int) -> int:
    """The sign of num²/(one·two) − num_2²/(one_2·two_2); nothing is rounded."""
    if num == num_2 and one == one_2 and two == two_2:  # so are most ties: items that few rated
        return 0
    plain = two == 1 and two_2 == 1
    if max(num, num_2) < _SMALL and (plain or max(one, two, one_2, two_2) < _SMALL):
        return compare_small(num, one * two, num_2, one_2 * two_2)
    mine = product_of_four(num, num, one_2, two_2)
    theirs = product_of_four(num_2, num_2, one, two)
    for at in range(_N_LIMBS - 1, -1, -1):
        if mine[at] != theirs[at]:
            return 1 if mine[at] > theirs[at] else -1
    return 0


_CLEAR = 1e-9  # shares that differ by more than this in doubles differ in truth


class SimilarityRow(NamedTuple):
    """One item's similarities: ``num``² / (``one`` · ``two``), and about the same in doubles."""

    num: Offsets
    one: Offsets
    two: Offsets
    about: Floats


@inner_kernel
def empty_row(n_items: int) -> SimilarityRow:
    """Room for the similarities of one item."""
    return SimilarityRow(
        np.zeros(n_items, np.int64),
        np.zeros(n_items, np.int64),
        np.zeros(n_items, np.int64),
        np.zeros(n_items, np.float64),
    )


@inner_kernel
def nearer(row: SimilarityRow, this: int, that: int) -> bool:
    """Does ``this`` come before ``that``? The larger similarity; of equals the smaller code."""
    gap = row.about[this] - row.about[that]
    if abs(gap) > _CLEAR * row.about[that]:
        return bool(gap > 0)
    sign = compare_shares(
        row.num[this], row.one[this], row.two[this], row.num[that], row.one[that], row.two[that]
    )
    return sign > 0 if sign != 0 else this < that


@inner_kernel
def set_similarity(row: SimilarityRow, other: int, num: int, one: int, two: int) -> None:
    """Set the similarity of one other item."""
    row.num[other], row.one[other], row.two[other] = num, one, two
    row.about[other] = about_of(num, one, two)


@inner_kernel
def about_of(num: int, one: int, two: int) -> float:
    """A similarity in doubles."""
    return float(num) * num / (float(one) * two)


@inner_kernel
def least_of(heap: Codes, size: int, row: SimilarityRow) -> float:
    """What is less in doubles is not among the nearest: most are not, and need no exact look.

    It changes only with the heap. Who asks for each item anew pays more than for all the rest.
    """
    if size < len(heap):
        return 0.0
    return surely_below(row.about[heap[0]]) if size > 0 else np.inf


@inner_kernel
def surely_below(about: float) -> float:
    """What is less in doubles than this is less in truth."""
    return about * (1 - _CLEAR)


@inner_kernel
def sink(heap: Codes, size: int, row: SimilarityRow) -> None:
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
def offer(heap: Codes, size: int, other: int, row: SimilarityRow) -> int:
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
def put_in_order(heap: Codes, size: int, row: SimilarityRow) -> None:
    """Sort a heap in place, the nearest item first; -1 behind the last."""
    for left in range(size - 1, 0, -1):
        heap[0], heap[left] = heap[left], heap[0]
        sink(heap, left, row)
    for empty in range(size, len(heap)):
        heap[empty] = -1
