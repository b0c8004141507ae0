"""Kernels on whole rows: which rows are identical."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import kernel


@kernel
def row_hashes(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    values: NDArray[np.float32],
    with_values: bool,
) -> NDArray[np.uint64]:
    """A 64-bit hash of each row; equal rows have equal hashes."""
    bits = values.view(np.uint32)
    hashes = np.empty(len(offsets) - 1, np.uint64)
    for row in range(len(offsets) - 1):
        mixed = np.uint64(0x9E3779B97F4A7C15)
        for at in range(offsets[row], offsets[row + 1]):
            word = np.uint64(items[at]) + np.uint64(1)
            if with_values:
                word |= np.uint64(bits[at]) << np.uint64(32)
            mixed = (mixed ^ word) * np.uint64(0xBF58476D1CE4E5B9)
            mixed ^= mixed >> np.uint64(29)
            mixed *= np.uint64(0x94D049BB133111EB)
            mixed ^= mixed >> np.uint64(32)
        hashes[row] = mixed
    return hashes


@kernel
def same_row(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    values: NDArray[np.float32],
    one: int,
    other: int,
    with_values: bool,
) -> bool:
    """Are two rows the same, entry by entry?"""
    length = offsets[one + 1] - offsets[one]
    if offsets[other + 1] - offsets[other] != length:
        return False
    for step in range(length):
        here, there = offsets[one] + step, offsets[other] + step
        if items[here] != items[there]:
            return False
        if with_values and values[here] != values[there]:
            return False
    return True


@kernel
def identical_rows(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    values: NDArray[np.float32],
    hashes: NDArray[np.uint64],
    order: NDArray[np.int64],
    with_values: bool,
) -> NDArray[np.int64]:
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
                offsets, items, values, candidate, row, with_values
            ):
                first[row] = candidate
                break
    return first
