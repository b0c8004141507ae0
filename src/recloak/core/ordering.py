"""Ordering: batches of encoded ratings become rows of users, sorted by item, on several threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import Codes, Integers, Offsets, Values
from recloak.core.kernels import kernel
from recloak.core.kernels.layout import put
from recloak.core.parallel import thread_count

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
    times: Integers,
    user_rank: Codes,
    item_rank: Codes,
    first: int,
    last: int,
    place: Offsets,
    base: int,
    cells: Integers,
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
def sort_short(keys: Integers) -> None:
    """Ascending, by insertion."""
    for at in range(1, len(keys)):
        key, to = keys[at], at
        while to > 0 and keys[to - 1] > key:
            keys[to] = keys[to - 1]
            to -= 1
        keys[to] = key


@kernel
def sort_long(keys: Integers, spare: Integers, counts: Integers, highest: int) -> None:
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
        put(spare, keys)
        shift += 8


@kernel
def sort_rows(
    offsets: Offsets,
    first: int,
    last: int,
    cells: Integers,
    highest: int,
    items: Codes,
    value_bits: Codes,
    times: Integers,
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


_NO_TIMES = np.empty(0, np.int64)
T = TypeVar("T", np.int64, np.int32, np.uint8)


class EncodedBatch(NamedTuple):
    """Some ratings in codes, in the order of the file."""

    users: Codes
    items: Codes
    values: Values
    times: Integers | None


class SortedRatings(NamedTuple):
    """Ratings in rows of users, sorted by item; ``repeats`` of them repeat the one before."""

    offsets: Offsets
    items: Codes
    values: Values
    times: Integers | None
    repeats: int


class Sharing(NamedTuple):
    """How ratings are shared among threads: above ``few``, in ranges of about ``size``.

    Each range reads all user codes again, so that many small ones are slow.
    """

    few: int = 1 << 16
    size: int = 1 << 24
    threads: int = min(4, os.cpu_count() or 1)


USUAL_SHARING = Sharing()


def into_order(
    batches: Sequence[EncodedBatch],
    user_rank: Codes,
    item_rank: Codes,
    sharing: Sharing = USUAL_SHARING,
) -> SortedRatings:
    """Sort by rank of user, then item; equal pairs keep their order."""
    offsets = _offsets(batches, user_rank)
    total, highest = int(offsets[-1]), max(0, len(item_rank) - 1)
    timed = any(batch.times is not None for batch in batches)
    items, values = np.empty(total, np.int32), np.empty(total, np.float32)
    times = np.empty(total, np.int64) if timed else _NO_TIMES
    place = offsets[:-1].copy()

    def arrange(first: int, last: int) -> int:
        base = offsets[first]
        cells = np.empty((offsets[last] - base, 1 + timed), np.int64)
        for users, rated, given, moments in batches:
            value_bits = frozen(given.view(np.int32))
            seconds = frozen(_NO_TIMES if moments is None else moments)
            into_rows(
                users,
                rated,
                value_bits,
                seconds,
                user_rank,
                item_rank,
                first,
                last,
                place,
                base,
                cells,
            )
        return sort_rows(offsets, first, last, cells, highest, items, values.view(np.int32), times)

    repeats = sum(_over_ranges(arrange, offsets, sharing))
    return SortedRatings(offsets, items, values, times if timed else None, repeats)


def frozen(array: NDArray[T]) -> NDArray[T]:
    """A view that cannot be written to: kernels are then compiled for this kind alone."""
    view = array.view()
    view.setflags(write=False)
    return view


def _offsets(batches: Sequence[EncodedBatch], user_rank: Codes) -> Integers:
    offsets = np.zeros(len(user_rank) + 1, np.int64)
    for batch in batches:
        count_codes(batch.users, user_rank, offsets[1:])
    np.cumsum(offsets, out=offsets)
    return offsets


def _over_ranges(work: Callable[[int, int], int], offsets: Offsets, sharing: Sharing) -> list[int]:
    """Run ``work`` on ranges of users with about as many ratings each."""
    total = int(offsets[-1])
    few, size, threads = sharing
    threads = min(threads, thread_count())
    count = threads * -(-total // (threads * size)) if total > few else 1
    bounds = np.searchsorted(offsets, np.linspace(0, total, count + 1)[1:-1]).tolist()
    edges = [0, *bounds, len(offsets) - 1]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, edges[:-1], edges[1:]))
