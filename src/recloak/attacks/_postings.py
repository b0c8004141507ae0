"""Postings of a table: which rows have an item with which value, for all attacks.

They are made once for each table and kept as long as the table is. Tests compare them with the
plain scoreboard in tests/attacks/plain_scoreboard.py.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Codes, Floats, Integers, Offsets
from recloak.core.cache import PerTableCache
from recloak.core.kernels import kernel
from recloak.core.kernels.layout import first_at_least
from recloak.core.ratings import Ratings
from recloak.core.row_classes import identical_groups

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


class RowArrays(NamedTuple):
    """The rows that the postings were made from; ``times`` is empty if they have none."""

    offsets: Offsets
    items: Codes
    value_bits: Codes
    times: Offsets


class KnownRatings(NamedTuple):
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
def matching_range(postings: Postings, item: int, low: int, high: int) -> tuple[int, int]:
    """Where the postings of an item stand whose values rank from ``low`` to ``high``."""
    if item < 0:
        return 0, 0
    start, end = postings.offsets[item], postings.offsets[item + 1]
    start = first_at_least(postings.keys, start, end, low << 32)
    return start, first_at_least(postings.keys, start, end, high << 32 | CANDIDATE)


@kernel
def position_of(rows: RowArrays, row: int, item: int) -> int:
    """Where a row has an item, -1 if it does not."""
    start, end = rows.offsets[row], rows.offsets[row + 1]
    at = first_at_least(rows.items, start, end, item)
    return at if at < end and rows.items[at] == item else -1


@kernel
def matches(rows: RowArrays, row: int, knowledge: KnownRatings, known: int, at: int) -> bool:
    """Does the rating at ``at`` of a row match what is known in value and time?"""
    if at < 0:
        return False
    rank = rank_of(rows.value_bits[at])
    if rank < knowledge.lows[known] or rank > knowledge.highs[known]:
        return False
    return (
        knowledge.seconds < 0 or abs(rows.times[at] - knowledge.times[known]) <= knowledge.seconds
    )


_CACHE: PerTableCache[Postings] = PerTableCache()


def postings_of(ratings: Ratings, *, distinct: bool = True) -> Postings:
    """The postings of a table, kept as long as the table is.

    With ``distinct`` identical rows are one candidate; without, every row is its own (rows that
    look alike may still differ in their times).
    """
    return _CACHE.get(ratings, distinct, lambda: _build(ratings, *_candidates(ratings, distinct)))


def rows_of(ratings: Ratings) -> RowArrays:
    """The rows of a table as kernels read them."""
    times = np.empty(0, np.int64) if ratings.times is None else ratings.times
    times.setflags(write=False)  # as those of ratings are, or kernels would be compiled twice
    return RowArrays(ratings.offsets, ratings.items, ratings.values.view(np.int32), times)


def _candidates(ratings: Ratings, distinct: bool) -> tuple[Integers, Integers, Integers]:
    """The candidate of each row, and of each candidate its size and its first row."""
    rows = np.arange(ratings.n_users)
    if not distinct:
        return rows, np.ones_like(rows), rows
    group, sizes = identical_groups(ratings, values=True)
    first = np.empty_like(sizes)
    first[group[::-1]] = rows[::-1]
    return group, sizes, first


def _build(
    ratings: Ratings,
    candidate_of: Integers,
    sizes: Integers,
    first: Integers,
) -> Postings:
    bits = ratings.values.view(np.int32)
    offsets = count_postings(ratings.offsets, ratings.items, first, ratings.n_items)
    keys = np.empty(offsets[-1], np.int64)
    fill_postings(ratings.offsets, ratings.items, bits, first, offsets[:-1].copy(), keys)
    for start, end in pairwise(offsets.tolist()):
        keys[start:end].sort()
    # ln(support) would be 0 for an item of one row, and its weight endless
    weights = 1 / np.log1p(np.maximum(ratings.item_support, 1))
    return Postings(offsets, keys, weights, first, sizes, candidate_of)
