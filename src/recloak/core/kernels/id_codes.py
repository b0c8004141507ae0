"""Kernels that give ids their codes, in the order in which they are first seen."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Bytes, Codes, Integers, Offsets, Words
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.kernels.text_words import SHORT, hash_of, same_text, short_hash, short_text

_AHEAD = 32  # so many are looked for at once, since each may wait for the memory


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
def code_texts(  # noqa: C901 - a call with these arrays costs more than its work
    data: Bytes,
    starts: Codes,
    ends: Codes,
    first: int,
    slots: Integers,
    hashes: Integers,
    short: Words,
    known: Bytes,
    bounds: Integers,
    count: int,
    codes: Codes,
) -> tuple[int, int]:
    """Fill ``codes`` for texts in ``data``; new ones are put behind the ``count`` that are known.

    Known texts stand one after the other in ``known``, text ``c`` from ``bounds[c]`` to
    ``bounds[c + 1]``, with its hash in ``hashes``; one of at most 16 bytes is in ``short``, too, as
    two words. ``slots`` is a hash table of codes, each with its `slot_mark` before it, -1 if free.
    Begins with the text at ``first`` and ends where a new text finds no room. Returns where, and
    how many texts are known then.
    """
    mask, most = len(slots) - 1, len(slots) // 2
    texts, mixes = np.empty((_AHEAD, 2), np.uint64), np.empty(_AHEAD, np.int64)
    seen, shorts = np.empty(_AHEAD, np.int64), np.empty((_AHEAD, 2), np.uint64)
    for begin in range(first, len(starts), _AHEAD):
        end = min(begin + _AHEAD, len(starts))
        for at in range(begin, end):
            start, size = int(starts[at]), int(ends[at]) - int(starts[at])
            low, high = short_text(data, start, size)
            texts[at - begin, 0], texts[at - begin, 1] = low, high
            mixed = short_hash(low, high, size) if size <= SHORT else hash_of(data, start, size)
            mixes[at - begin], seen[at - begin] = mixed, slots[mixed & mask]
        for ahead in range(end - begin):
            code = max(seen[ahead], 0) & 0xFFFFFFFF
            shorts[ahead, 0], shorts[ahead, 1] = short[code, 0], short[code, 1]
        for at in range(begin, end):
            start, size = int(starts[at]), int(ends[at]) - int(starts[at])
            low, high, mixed = texts[at - begin, 0], texts[at - begin, 1], mixes[at - begin]
            mark, slot = slot_mark(mixed, size), seen[at - begin]
            same = shorts[at - begin, 0] == low and shorts[at - begin, 1] == high
            if same and slot >> 32 == mark and size <= SHORT:
                codes[at] = slot & 0xFFFFFFFF
                continue
            place = mixed & mask
            while slots[place] >= 0:
                if slots[place] >> 32 == mark:
                    code = slots[place] & 0xFFFFFFFF
                    if size <= SHORT:
                        if short[code, 0] == low and short[code, 1] == high:
                            break
                    elif same_text(known, bounds[code], bounds[code + 1], data, start, size):
                        break
                place = (place + 1) & mask
            if slots[place] < 0:
                to = bounds[count]
                if count == most or to + size > len(known):
                    return at, count
                slots[place], hashes[count] = mark << 32 | count, mixed
                short[count, 0], short[count, 1] = low, high
                for position in range(size):
                    known[to + position] = data[start + position]
                count += 1
                bounds[count] = to + size
            codes[at] = slots[place] & 0xFFFFFFFF
    return len(starts), count


@inner_kernel
def slot_mark(mixed: np.int64, size: int) -> np.int64:
    """What a slot says of its text beside the code: the size if that is small, and hash bits."""
    return (mixed >> 38 & 0x3FFFFFF) << 5 | min(size, 31)


@kernel
def fill_marked_slots(hashes: Integers, bounds: Offsets, slots: Integers) -> None:
    """Put texts that are known into an empty hash table as `code_texts` keeps it."""
    mask = len(slots) - 1
    for code in range(len(hashes)):
        place = hashes[code] & mask
        while slots[place] >= 0:
            place = (place + 1) & mask
        slots[place] = slot_mark(hashes[code], bounds[code + 1] - bounds[code]) << 32 | code


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
