"""Kernels of the postings: which rows have an item, sorted by item, then value; what matches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import kernel

Codes = NDArray[np.int32]
Offsets = NDArray[np.int64]
Floats = NDArray[np.float64]

CANDIDATE = 0xFFFFFFFF  # the lower half of a key; no table has so many rows
_LOWEST = -(2**31)


class Postings(NamedTuple):
    """Candidates (distinct rows) by item, then value, then code.

    ``keys[offsets[i]:offsets[i + 1]]`` ascend; each holds the rank of a value in its upper half
    and a candidate in its lower half. ``first`` is a row that looks like the candidate, ``sizes``
    how many do, ``candidate_of`` the candidate of each row.
    """

    offsets: Offsets
    keys: Offsets
    weights: Floats
    first: Offsets
    sizes: Offsets
    candidate_of: Offsets


class Rows(NamedTuple):
    """The rows that the postings were made from; ``times`` is empty if they have none."""

    offsets: Offsets
    items: Codes
    value_bits: Codes
    times: Offsets


class Asked(NamedTuple):
    """What is known in each try: items, and ranks between which the value of a row matches.

    Items that the table lacks are -1. ``seconds`` is how far apart times may lie, -1 if any may.
    """

    offsets: Offsets
    items: Codes
    lows: Codes
    highs: Codes
    times: Offsets
    seconds: int


@kernel
def rank_of(value_bits: int) -> int:
    """A number for the bits of a float32 that sorts as the float does; -0.0 is 0.0."""
    if value_bits >= 0:
        return value_bits
    return 0 if value_bits == _LOWEST else value_bits ^ 0x7FFFFFFF


@kernel
def ranks_of(value_bits: Codes) -> Codes:
    """The rank of each value."""
    ranks = np.empty(len(value_bits), np.int32)
    for at in range(len(value_bits)):
        ranks[at] = rank_of(value_bits[at])
    return ranks


@kernel
def count_postings(offsets: Offsets, items: Codes, chosen: Offsets, n_items: int) -> Offsets:
    """Where the postings of each item start, of the rows ``chosen`` alone."""
    starts = np.zeros(n_items + 1, np.int64)
    for row in chosen:
        for at in range(offsets[row], offsets[row + 1]):
            starts[items[at] + 1] += 1
    for item in range(n_items):
        starts[item + 1] += starts[item]
    return starts


@kernel
def fill_postings(
    offsets: Offsets,
    items: Codes,
    value_bits: Codes,
    chosen: Offsets,
    place: Offsets,
    keys: Offsets,
) -> None:
    """Put each rating of the rows ``chosen`` where ``place`` says, not yet sorted by value."""
    for candidate in range(len(chosen)):
        row = chosen[candidate]
        for at in range(offsets[row], offsets[row + 1]):
            to = place[items[at]]
            place[items[at]] = to + 1
            keys[to] = np.int64(rank_of(value_bits[at])) << 32 | candidate


@kernel
def first_at_least(keys: Offsets, start: int, end: int, wanted: int) -> int:
    """The first place from ``start`` whose key is at least ``wanted``; ``end`` if there is none."""
    while start < end:
        middle = (start + end) // 2
        if keys[middle] < wanted:
            start = middle + 1
        else:
            end = middle
    return start


@kernel
def matching_range(postings: Postings, item: int, low: int, high: int) -> tuple[int, int]:
    """Where the postings of an item stand whose values rank from ``low`` to ``high``."""
    if item < 0:
        return 0, 0
    start, end = postings.offsets[item], postings.offsets[item + 1]
    start = first_at_least(postings.keys, start, end, low << 32)
    return start, first_at_least(postings.keys, start, end, high << 32 | CANDIDATE)


@kernel
def place_of(rows: Rows, row: int, item: int) -> int:
    """Where a row has an item, -1 if it does not."""
    start, end = rows.offsets[row], rows.offsets[row + 1]
    at = start + np.searchsorted(rows.items[start:end], item)
    return at if at < end and rows.items[at] == item else -1


@kernel
def matches(rows: Rows, row: int, asked: Asked, known: int, at: int) -> bool:
    """Does the rating at ``at`` of a row match what is known in value and time?"""
    if at < 0:
        return False
    rank = rank_of(rows.value_bits[at])
    if rank < asked.lows[known] or rank > asked.highs[known]:
        return False
    return asked.seconds < 0 or abs(rows.times[at] - asked.times[known]) <= asked.seconds
