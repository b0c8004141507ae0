"""Kernels that put ratings in order: into the rows of their users, then each row by item.

They fill arrays that NumPy made: large ones lie on huge pages then, which saves most of the time.
Each works on a range of users and leaves the others alone, so that threads share the work.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import kernel
from recloak.kernels.layout import Codes, Offsets

Times = NDArray[np.int64]
Cells = NDArray[np.int64]  # two dimensions

_SHORT = 32  # rows up to here are sorted by insertion
_LOWER = 0xFFFFFFFF


@kernel
def count_codes(codes: Codes, rank: Codes, counts: Offsets) -> None:
    """Add to ``counts`` how often each rank occurs."""
    for code in codes:
        counts[rank[code]] += 1


@kernel
def into_rows(
    users: Codes,
    items: Codes,
    value_bits: Codes,
    times: Times,
    user_rank: Codes,
    item_rank: Codes,
    first: int,
    last: int,
    place: Offsets,
    base: int,
    cells: Cells,
) -> None:
    """Put ratings of users ranked from ``first`` to before ``last`` where ``place`` says.

    ``place`` moves on with each rating of a user, so ratings stay in their order; the cells start
    at ``base``. A cell is the item's rank and the bits of the value in one number, and the time in
    a second if there are times: together they cost one trip to the memory.
    """
    timed = len(times) > 0
    for at in range(len(users)):
        user = user_rank[users[at]]
        if user < first or user >= last:
            continue
        to = place[user] - base
        place[user] += 1
        item = np.int64(item_rank[items[at]])
        cells[to, 0] = item << 32 | (np.int64(value_bits[at]) & _LOWER)
        if timed:
            cells[to, 1] = times[at]


@kernel
def sort_short(keys: Times) -> None:
    """Ascending, by insertion."""
    for at in range(1, len(keys)):
        key, to = keys[at], at
        while to > 0 and keys[to - 1] > key:
            keys[to] = keys[to - 1]
            to -= 1
        keys[to] = key


@kernel
def sort_long(keys: Times, spare: Times, counts: Times, highest: int) -> None:
    """Ascending by the upper half, which is at most ``highest``; digit by digit, of 8 bits each."""
    shift = 32
    while highest >> (shift - 32) > 0:
        counts[:] = 0
        for key in keys:
            counts[(key >> shift & 255) + 1] += 1
        for digit in range(256):
            counts[digit + 1] += counts[digit]
        for key in keys:
            digit = key >> shift & 255
            spare[counts[digit]] = key
            counts[digit] += 1
        keys[:] = spare[: len(keys)]
        shift += 8


@kernel
def sort_rows(
    offsets: Offsets,
    first: int,
    last: int,
    cells: Cells,
    highest: int,
    items: Codes,
    value_bits: Codes,
    times: Times,
) -> int:
    """Fill rows ``first`` to before ``last`` from their cells, sorted by item.

    Equal items keep their order; ``highest`` is the highest rank of an item. Returns how many
    ratings repeat the item before them.
    """
    base, longest, repeats = offsets[first], 0, 0
    for user in range(first, last):
        longest = max(longest, offsets[user + 1] - offsets[user])
    keys, spare, counts = (
        np.empty(longest, np.int64),
        np.empty(longest, np.int64),
        np.empty(257, np.int64),
    )
    for user in range(first, last):
        start, size = offsets[user], offsets[user + 1] - offsets[user]
        row = cells[start - base : start - base + size]
        ascending = True
        for at in range(size):
            keys[at] = row[at, 0] >> 32 << 32 | at
            ascending &= at == 0 or keys[at - 1] >> 32 < keys[at] >> 32
        if not ascending and size <= _SHORT:
            sort_short(keys[:size])
        elif not ascending:
            sort_long(keys[:size], spare, counts, highest)
        for at in range(size):
            key = keys[at]
            items[start + at] = key >> 32
            value_bits[start + at] = row[key & _LOWER, 0] & _LOWER
            repeats += at > 0 and keys[at - 1] >> 32 == key >> 32
            if len(times):
                times[start + at] = row[key & _LOWER, 1]
    return repeats


@kernel
def first_repeats(offsets: Offsets, items: Codes, places: Offsets) -> int:
    """Fill ``places`` with the first ratings that repeat the item before them; how many found."""
    found = 0
    for user in range(len(offsets) - 1):
        for at in range(offsets[user] + 1, offsets[user + 1]):
            if items[at] == items[at - 1]:
                if found == len(places):
                    return found
                places[found] = at
                found += 1
    return found
