"""Kernels that count which items stand in rows together, on sets of bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import kernel

Bits = NDArray[np.uint64]
Counts = NDArray[np.int64]

_ODD = np.uint64(0x5555555555555555)
_PAIRS = np.uint64(0x3333333333333333)
_NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
_BYTES = np.uint64(0x0101010101010101)
_ONE, _TWO, _FOUR, _TOP = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@kernel
def ones(word: np.uint64) -> np.int64:
    """How many bits of a word are set."""
    word = word - ((word >> _ONE) & _ODD)
    word = (word & _PAIRS) + ((word >> _TWO) & _PAIRS)
    word = (word + (word >> _FOUR)) & _NIBBLES
    return np.int64((word * _BYTES) >> _TOP)


@kernel
def rows_as_bits(
    offsets: Counts, items: NDArray[np.int32], place_of: NDArray[np.int64], count: int
) -> Bits:
    """A set of bits for each of ``count`` items: the rows that hold it and another of them.

    ``place_of`` maps item codes to 0..count-1, -1 for items that do not matter. A row with fewer
    than two of the items holds no combination and gets no bit.
    """
    useful = 0
    for row in range(len(offsets) - 1):
        held = 0
        for at in range(offsets[row], offsets[row + 1]):
            held += place_of[items[at]] >= 0
        useful += held > 1
    bits = np.zeros((count, (useful + 63) // 64), np.uint64)
    bit = 0
    for row in range(len(offsets) - 1):
        held = 0
        for at in range(offsets[row], offsets[row + 1]):
            held += place_of[items[at]] >= 0
        if held > 1:
            for at in range(offsets[row], offsets[row + 1]):
                place = place_of[items[at]]
                if place >= 0:
                    bits[place, bit >> 6] |= _ONE << np.uint64(bit & 63)
            bit += 1
    return bits


@kernel
def pair_supports(bits: Bits, first: int, end: int) -> Counts:
    """How many rows hold both: items ``first`` to ``end`` against all after each of them."""
    found = np.zeros((end - first, len(bits)), np.int64)
    for one in range(first, end):
        for other in range(one + 1, len(bits)):
            total = np.int64(0)
            for word in range(bits.shape[1]):
                total += ones(bits[one, word] & bits[other, word])
            found[one - first, other] = total
    return found


@kernel
def triple_supports(bits: Bits, triples: NDArray[np.int64]) -> Counts:
    """How many rows hold all three items of each triple."""
    found = np.zeros(len(triples), np.int64)
    for at in range(len(triples)):
        one, two, three = triples[at]
        for word in range(bits.shape[1]):
            found[at] += ones(bits[one, word] & bits[two, word] & bits[three, word])
    return found
