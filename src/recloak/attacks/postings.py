"""Postings of a table: made once, shared by all attacks that look rows up by their ratings."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from recloak.identical import identical_groups
from recloak.kept import Kept
from recloak.kernels.postings import Postings, Rows, count_postings, fill_postings
from recloak.ratings import Ratings

_MADE: Kept[Postings] = Kept()


def postings_of(ratings: Ratings, *, distinct: bool = True) -> Postings:
    """The postings of a table, kept as long as the table is.

    With ``distinct`` identical rows are one candidate; without, every row is its own (rows that
    look alike may still differ in their times).
    """
    return _MADE.get(ratings, distinct, lambda: _made(ratings, *_candidates(ratings, distinct)))


def rows_of(ratings: Ratings) -> Rows:
    """The rows of a table as kernels read them."""
    times = np.empty(0, np.int64) if ratings.times is None else ratings.times
    times.setflags(write=False)  # as those of ratings are, or kernels would be compiled twice
    return Rows(ratings.offsets, ratings.items, ratings.values.view(np.int32), times)


def _candidates(
    ratings: Ratings, distinct: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The candidate of each row, and of each candidate its size and its first row."""
    rows = np.arange(ratings.n_users)
    if not distinct:
        return rows, np.ones_like(rows), rows
    group, sizes = identical_groups(ratings, values=True)
    first = np.empty_like(sizes)
    first[group[::-1]] = rows[::-1]
    return group, sizes, first


def _made(
    ratings: Ratings,
    candidate_of: NDArray[np.int64],
    sizes: NDArray[np.int64],
    first: NDArray[np.int64],
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
