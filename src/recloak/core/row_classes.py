"""Row classes: groups of identical rows (equivalence classes).

A mark is what stands beside an item, in bits: its rating, or a number for its time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import Codes, Indices, Integers, Offsets, Words
from recloak.core.kernels import kernel
from recloak.core.ratings import Ratings


@kernel
def row_hashes(
    offsets: Offsets,
    items: Codes,
    marks: NDArray[np.uint32],
    with_marks: bool,
) -> Words:
    """A 64-bit hash of each row; equal rows have equal hashes."""
    hashes = np.empty(len(offsets) - 1, np.uint64)
    for row in range(len(offsets) - 1):
        mixed = np.uint64(0x9E3779B97F4A7C15)
        for at in range(offsets[row], offsets[row + 1]):
            word = np.uint64(items[at]) + np.uint64(1)
            if with_marks:
                word |= np.uint64(marks[at]) << np.uint64(32)
            mixed = (mixed ^ word) * np.uint64(0xBF58476D1CE4E5B9)
            mixed ^= mixed >> np.uint64(29)
            mixed *= np.uint64(0x94D049BB133111EB)
            mixed ^= mixed >> np.uint64(32)
        hashes[row] = mixed
    return hashes


@kernel
def same_row(
    offsets: Offsets,
    items: Codes,
    marks: NDArray[np.uint32],
    one: int,
    other: int,
    with_marks: bool,
) -> bool:
    """Are two rows the same, entry by entry?"""
    length = offsets[one + 1] - offsets[one]
    if offsets[other + 1] - offsets[other] != length:
        return False
    for step in range(length):
        here, there = offsets[one] + step, offsets[other] + step
        if items[here] != items[there]:
            return False
        if with_marks and marks[here] != marks[there]:
            return False
    return True


@kernel
def identical_rows(
    offsets: Offsets,
    items: Codes,
    marks: NDArray[np.uint32],
    hashes: Words,
    order: Indices,
    with_marks: bool,
) -> Integers:
    """For each row the first (in ``order``, sorted by hash) row that equals it.

    Hashes only bring candidates together; rows are compared entry by entry, so that a collision
    cannot make two different rows count as one.
    """
    first = np.empty(len(order), np.int64)
    start = 0
    for at in range(len(order)):
        row = order[at]
        if hashes[row] != hashes[order[start]]:
            start = at
        first[row] = row
        for earlier in range(start, at):
            candidate = order[earlier]
            if first[candidate] == candidate and same_row(
                offsets, items, marks, candidate, row, with_marks
            ):
                first[row] = candidate
                break
    return first


def identical_groups(
    ratings: Ratings, *, values: bool, times: bool = False
) -> tuple[Integers, Integers]:
    """For each row the number of its group, and for each group its size.

    Rows are identical when they hold the same items, with ``values`` the same ratings too, and with
    ``times`` at the same times, if there are any.
    """
    unsigned_zero = ratings.values + np.float32(0)  # so that -0.0 and 0.0 are the same
    first = _first_alike(ratings, unsigned_zero.view(np.uint32), values)
    if times and ratings.times is not None:
        moments = np.unique(ratings.times, return_inverse=True)[1].astype(np.uint32)
        first = first * ratings.n_users + _first_alike(ratings, moments, True)
    _, group, sizes = np.unique(first, return_inverse=True, return_counts=True)
    return group, sizes


def _first_alike(ratings: Ratings, marks: NDArray[np.uint32], with_marks: bool) -> Integers:
    """For each row one that stands for all that hold the same items, and the same marks."""
    arrays = (ratings.offsets, ratings.items, marks)
    hashes = row_hashes(*arrays, with_marks)
    order = np.argsort(hashes, kind="stable")
    return identical_rows(*arrays, hashes, order, with_marks)
