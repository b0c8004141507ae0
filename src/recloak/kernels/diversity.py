"""Kernels on diversity: how many groups hold a set of items, groups being bits in words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import inner_kernel, kernel
from recloak.kernels.bits import Words, popcount
from recloak.kernels.layout import Codes, Offsets


@inner_kernel
def _few_hold_both(one: NDArray[np.uint64], other: NDArray[np.uint64], wanted: int) -> bool:
    held = 0
    for word in range(len(one)):
        held += popcount(one[word] & other[word])
        if held >= wanted:
            return False
    return True


@kernel
def has_short_pairs(
    first: int, end: int, bits: Words, rated: NDArray[np.bool_], wanted: int
) -> NDArray[np.bool_]:
    """Which of the items first..end make a pair with a later one that few groups hold.

    Only pairs of ``rated`` items count.
    """
    short = np.zeros(end - first, np.bool_)
    for item in range(first, end):
        if not rated[item]:
            continue
        for other in range(item + 1, len(bits)):
            if rated[other] and _few_hold_both(bits[item], bits[other], wanted):
                short[item - first] = True
                break
    return short


@kernel
def short_pair(
    item: int,
    holders: Codes,
    offsets: Offsets,
    items: Codes,
    bits: Words,
    wanted: int,
) -> int:
    """The first later item that one of the rows ``holders`` has and few groups hold with ``item``.

    -1 if there is none.
    """
    looked_at = np.zeros(len(bits), np.bool_)
    best = -1
    for row in holders:
        for at in range(offsets[row], offsets[row + 1]):
            other = items[at]
            if other <= item or looked_at[other]:
                continue
            looked_at[other] = True
            if (best < 0 or other < best) and _few_hold_both(bits[item], bits[other], wanted):
                best = other
    return best


@kernel
def row_holders(
    first: int, end: int, offsets: Offsets, items: Codes, bits: Words, held: Offsets
) -> None:
    """How many groups hold all items of each of the rows first..end."""
    common = np.empty(bits.shape[1], np.uint64)
    for row in range(first, end):
        common[:] = np.uint64(0xFFFFFFFFFFFFFFFF)
        for at in range(offsets[row], offsets[row + 1]):
            mine = bits[items[at]]
            for word in range(len(common)):
                common[word] &= mine[word]
        held[row] = 0
        if offsets[row + 1] > offsets[row]:
            for word in range(len(common)):
                held[row] += popcount(common[word])
