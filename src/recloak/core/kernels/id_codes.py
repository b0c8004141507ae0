"""Kernels that give ids their codes, in the order in which they are first seen."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Bytes, Codes, Integers
from recloak.core.kernels import kernel


@kernel
def ends_of(numbers: Integers) -> tuple[int, int]:
    """The lowest and the highest of some numbers."""
    low = high = numbers[0]
    for number in numbers:
        low = min(low, number)
        high = max(high, number)
    return low, high


@kernel
def code_by_table(
    numbers: Integers, low: int, code_of: Codes, labels: Integers, count: int, codes: Codes
) -> int:
    """Fill ``codes``; ``code_of`` has the code of ``low`` and of each number after it, or -1.

    ``labels`` holds the ``count`` numbers seen so far; new ones are put behind them. Returns how
    many there are then.
    """
    for at in range(len(numbers)):
        code = code_of[numbers[at] - low]
        if code < 0:
            code = count
            code_of[numbers[at] - low] = code
            labels[count] = numbers[at]
            count += 1
        codes[at] = code
    return count


@kernel
def scattered(number: np.int64, mask: int) -> np.int64:
    """A place for a number in a table of ``mask + 1`` places, a power of two."""
    mixed = np.uint64(number) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(mask))


@kernel
def code_by_hash(
    numbers: Integers, slots: Codes, labels: Integers, count: int, codes: Codes
) -> int:
    """As `code_by_table` for numbers far apart: ``slots`` is a hash table of codes, -1 if free.

    It has a power of two of places, more than there can be numbers.
    """
    mask = len(slots) - 1
    for at in range(len(numbers)):
        place = scattered(numbers[at], mask)
        while slots[place] >= 0 and labels[slots[place]] != numbers[at]:
            place = (place + 1) & mask
        if slots[place] < 0:
            slots[place] = count
            labels[count] = numbers[at]
            count += 1
        codes[at] = slots[place]
    return count


@kernel
def fill_slots(labels: Integers, slots: Codes) -> None:
    """Put numbers that are known into an empty hash table."""
    mask = len(slots) - 1
    for code in range(len(labels)):
        place = scattered(labels[code], mask)
        while slots[place] >= 0:
            place = (place + 1) & mask
        slots[place] = code


@kernel
def hash_of(data: Bytes, start: int, end: int) -> np.int64:
    """A number for the bytes from ``start`` to ``end`` (FNV-1a)."""
    mixed = np.uint64(0xCBF29CE484222325)
    for position in range(start, end):
        mixed = (mixed ^ np.uint64(data[position])) * np.uint64(0x100000001B3)
    return np.int64(mixed)


@kernel
def same_bytes(one: Bytes, at: int, other: Bytes, start: int, size: int) -> bool:
    """Do the same bytes stand at ``at`` of one and at ``start`` of the other?"""
    for place in range(size):  # noqa: SIM110 - a generator would be slower
        if one[at + place] != other[start + place]:
            return False
    return True


@kernel
def code_texts(
    data: Bytes,
    starts: Codes,
    ends: Codes,
    slots: Integers,
    hashes: Integers,
    known: Bytes,
    bounds: Integers,
    count: int,
    codes: Codes,
) -> int:
    """Fill ``codes`` for texts in ``data``; new ones are put behind the ``count`` that are known.

    Known texts stand one after the other in ``known``, text ``c`` from ``bounds[c]`` to
    ``bounds[c + 1]``, with its hash in ``hashes``; ``slots`` is a hash table of codes, each with
    the upper half of its hash before it, -1 if free. All have room. Returns how many texts are
    known then.
    """
    mask = len(slots) - 1
    for at in range(len(starts)):
        start, size = starts[at], ends[at] - starts[at]
        mixed = hash_of(data, start, ends[at])
        mark = (mixed >> 33 & 0x7FFFFFFF) << 32
        place = scattered(mixed, mask)
        while slots[place] >= 0:
            if slots[place] >> 32 << 32 == mark:
                code = slots[place] & 0xFFFFFFFF
                begin = bounds[code]
                if bounds[code + 1] - begin == size and same_bytes(known, begin, data, start, size):
                    break
            place = (place + 1) & mask
        if slots[place] < 0:
            slots[place] = mark | count
            hashes[count] = mixed
            begin = bounds[count]
            for position in range(size):
                known[begin + position] = data[start + position]
            count += 1
            bounds[count] = begin + size
        codes[at] = slots[place] & 0xFFFFFFFF
    return count


@kernel
def fill_marked_slots(hashes: Integers, slots: Integers) -> None:
    """Put texts that are known into an empty hash table as `code_texts` keeps it."""
    mask = len(slots) - 1
    for code in range(len(hashes)):
        place = scattered(hashes[code], mask)
        while slots[place] >= 0:
            place = (place + 1) & mask
        slots[place] = (hashes[code] >> 33 & 0x7FFFFFFF) << 32 | code


@kernel
def split_at(data: Bytes, mark: int, starts: Codes, ends: Codes) -> int:
    """Where the texts between marks start and end; how many, or -1 if there is no room."""
    count, start = 0, 0
    for at in range(len(data) + 1):
        if at == len(data) or data[at] == mark:
            if count == len(starts):
                return -1
            starts[count], ends[count] = start, at
            count, start = count + 1, at + 1
    return count
