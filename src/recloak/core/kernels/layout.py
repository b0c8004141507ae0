"""Kernels that put ratings in order, or find a place in what is sorted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import Codes, Offsets, Values
from recloak.core.kernels import inner_kernel, kernel


@kernel
def offsets_of(codes: Codes, count: int) -> Offsets:
    """Where each code's run starts once sorted: ``count + 1`` offsets."""
    offsets = np.zeros(count + 1, np.int64)
    for code in codes:
        offsets[code + 1] += 1
    for at in range(count):
        offsets[at + 1] += offsets[at]
    return offsets


@kernel
def stable_order(codes: Codes, count: int) -> Offsets:
    """The positions of ``codes`` in ascending order; equal codes keep their order."""
    place = offsets_of(codes, count)
    order = np.empty(len(codes), np.int64)
    for at in range(len(codes)):
        order[place[codes[at]]] = at
        place[codes[at]] += 1
    return order


@kernel
def by_item(
    offsets: Offsets, items: Codes, numbers: Codes, n_items: int
) -> tuple[Offsets, Codes, Codes]:
    """Where each item's ratings start once sorted, the users in that order, and the numbers."""
    item_offsets = offsets_of(items, n_items)
    place = item_offsets[:-1].copy()
    users, moved = np.empty(len(items), np.int32), np.empty(len(items), np.int32)
    for user in range(len(offsets) - 1):
        for at in range(offsets[user], offsets[user + 1]):
            to = place[items[at]]
            users[to], moved[to] = user, numbers[at]
            place[items[at]] = to + 1
    return item_offsets, users, moved


@kernel
def in_item_order(items: Codes, numbers: Codes, item_offsets: Offsets) -> Codes:
    """What is given for each rating, by item."""
    place = item_offsets[:-1].copy()
    moved = np.empty(len(items), np.int32)
    for at in range(len(items)):
        to = place[items[at]]
        moved[to] = numbers[at]
        place[items[at]] = to + 1
    return moved


@kernel
def expand(offsets: Offsets) -> Codes:
    """The row number of each entry."""
    rows = np.empty(offsets[-1], np.int32)
    for row in range(len(offsets) - 1):
        for at in range(offsets[row], offsets[row + 1]):
            rows[at] = row
    return rows


@kernel
def transpose(
    offsets: Offsets, items: Codes, values: Values, n_items: int
) -> tuple[Offsets, Codes, Values]:
    """From rows of users to rows of items; users ascend within an item."""
    item_offsets = offsets_of(items, n_items)
    place = item_offsets[:-1].copy()
    users = np.empty(len(items), np.int32)
    moved = np.empty(len(items), np.float32)
    for user in range(len(offsets) - 1):
        for at in range(offsets[user], offsets[user + 1]):
            to = place[items[at]]
            users[to] = user
            moved[to] = values[at]
            place[items[at]] = to + 1
    return item_offsets, users, moved


@kernel
def first_at_least(values: Codes | Offsets, start: int, end: int, wanted: int) -> int:
    """The first place in the ascending ``values[start:end]`` that is not below ``wanted``.

    It is ``end`` if there is none.
    """
    while start < end:
        middle = (start + end) // 2
        if values[middle] < wanted:
            start = middle + 1
        else:
            end = middle
    return start


@inner_kernel
def put(source: NDArray[Any], into: NDArray[Any]) -> None:
    """Copy as much as ``into`` holds.

    ``into[:] = source`` does the same, but a second is spent compiling what it would say of two
    lengths that differ.
    """
    for at in range(len(into)):
        into[at] = source[at]
