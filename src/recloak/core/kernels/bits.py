"""Kernels on sets of rows or people that are bits in 64-bit words."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Offsets, Words
from recloak.core.kernels import inner_kernel, kernel


@inner_kernel
def popcount(word: np.uint64) -> int:
    """How many bits are set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def bits_of(starts: Offsets, members: Codes, wanted: Offsets, size: int) -> Words:
    """A row of bits for each wanted list ``members[starts[w]:starts[w + 1]]`` of 0..size-1."""
    bits = np.zeros((len(wanted), (size + 63) // 64), np.uint64)
    for row in range(len(wanted)):
        for at in range(starts[wanted[row]], starts[wanted[row] + 1]):
            bits[row, members[at] >> 6] |= np.uint64(1) << np.uint64(members[at] & 63)
    return bits


@inner_kernel
def everyone(size: int) -> Words:
    """The set of all of 0..size-1."""
    bits = np.zeros((size + 63) // 64, np.uint64)
    for member in range(size):
        bits[member >> 6] |= np.uint64(1) << np.uint64(member & 63)
    return bits


@inner_kernel
def number_terms(terms: Codes, low: int, high: int, number: Offsets, domain: Offsets) -> int:
    """Number the terms in ``terms[low:high]`` as they come; returns how many there are."""
    count = 0
    for at in range(low, high):
        if number[terms[at]] < 0:
            number[terms[at]] = count
            domain[count] = terms[at]
            count += 1
    return count


@inner_kernel
def term_bits(
    row_offsets: Offsets, first: int, last: int, terms: Codes, number: Offsets, count: int
) -> Words:
    """For each numbered term which of the rows ``first..last - 1`` hold it."""
    bits = np.zeros((count, (last - first + 63) // 64), np.uint64)
    for row in range(first, last):
        bit = np.uint64(1) << np.uint64((row - first) & 63)
        for at in range(row_offsets[row], row_offsets[row + 1]):
            bits[number[terms[at]], (row - first) >> 6] |= bit
    return bits


@inner_kernel
def item_bits(
    bits: Words, items: Offsets, all_wanted: Codes, start: int, end: int, place: Offsets
) -> Words:
    """For each item of ``all_wanted[start:end]`` which rows hold a term of it.

    ``place`` holds -1 for each item, and does so again afterwards.
    """
    held = np.zeros((end - start, bits.shape[1]), np.uint64)
    for at in range(start, end):
        place[all_wanted[at]] = at - start
    for term in range(len(bits)):
        at = place[items[term]]
        for word in range(bits.shape[1] if at >= 0 else 0):
            held[at, word] |= bits[term, word]
    for at in range(start, end):
        place[all_wanted[at]] = -1
    return held
