"""Kernels that bring the nearest items of each up to date: only changed pairs are added up anew.

The similarity of two items hangs on their own ratings alone. So the order among items that nobody
touched since is the one that is remembered, and those that were touched are merged into it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import inner_kernel, kernel
from recloak.kernels.layout import Codes
from recloak.kernels.nearest_first import Row, offer, put_in_order
from recloak.kernels.related_items import (
    CORRELATION,
    Cells,
    Sums,
    add_moments,
    add_up,
    clear,
    parts_of,
    slot_of,
)

Flags = NDArray[np.uint8]


class Remembered(NamedTuple):
    """The nearest items of each, -1 behind the last, with their similarities in whole numbers.

    ``complete`` says for which items there is nothing behind the last.
    """

    items: NDArray[np.int32]
    parts: NDArray[np.int64]
    complete: Flags


@inner_kernel
def recall(kept: Remembered, item: int, row: Row, nearest: Codes) -> int:
    """Begin with what is remembered of an item; returns how many they are."""
    size = 0
    for at in range(kept.items.shape[1]):
        other = kept.items[item, at]
        if other >= 0:
            num, one, two = kept.parts[item, at]
            note(row, other, num, one, two)
            size = offer(nearest, size, other, row)
    return size


@inner_kernel
def note(row: Row, other: int, num: int, one: int, two: int) -> None:
    """Write down the similarity of one other item."""
    row.num[other], row.one[other], row.two[other] = num, one, two
    row.about[other] = float(num) * num / (float(one) * two)


@inner_kernel
def known_part(nearest: Codes, size: int, recalled: int, fresh: Flags) -> int:
    """How much of a row in order is known: behind the last item that was recalled, nothing is.

    Once one of these was pushed out, all that is left is nearer than it, and known.
    """
    old = 0
    for other in nearest[:size]:
        old += 1 - fresh[other]
    if old < recalled:
        return size
    while size > 0 and fresh[nearest[size - 1]] == 1:
        size -= 1
    return size


@inner_kernel
def keep(nearest: Codes, size: int, row: Row, kept: Remembered, item: int) -> None:
    """Remember the first ``size`` of a row in order."""
    for at in range(len(nearest)):
        other = nearest[at] if at < size else -1
        kept.items[item, at] = other
        kept.parts[item, at] = 0
        if other >= 0:
            kept.parts[item, at, 0] = row.num[other]
            kept.parts[item, at, 1] = row.one[other]
            kept.parts[item, at, 2] = row.two[other]


@inner_kernel
def settle(
    nearest: Codes,
    size: int,
    counts: tuple[int, int],
    fresh: Flags,
    row: Row,
    kept: Remembered,
    item: int,
) -> None:
    """Put a row in order and remember what is known of it; ``counts`` are recalled and offered."""
    put_in_order(nearest, size, row)
    recalled, offered = counts
    if kept.complete[item] == 0:
        size = known_part(nearest, size, recalled, fresh)
    elif offered > len(nearest):
        kept.complete[item] = 0
    keep(nearest, size, row, kept, item)


@kernel
def update_items(
    cells: Cells,
    kind: int,
    which: Codes,
    fresh: Flags,
    numerator: int,
    denominator: int,
    before: NDArray[np.int32],
    near: Remembered,
    few: Remembered,
    candidates: NDArray[np.int32],
) -> None:
    """Merge what ``cells`` lists by user into what is remembered of the items ``which``.

    ``near`` are the nearest items of each and ``few`` the nearest rated by no more than a share of
    its raters; both are changed in place. ``candidates`` are filled from ``few`` and from the items
    that stood in the list ``before``. ``fresh`` marks the items that ``cells`` lists by user.
    """
    n_items = len(cells.norms)
    sums = Sums(
        np.zeros((n_items, 2), np.int64),
        np.zeros(0, np.int64),
        np.zeros((n_items if kind == CORRELATION else 0, 4), np.int64),
    )
    row = Row(
        np.zeros(n_items, np.int64),
        np.zeros(n_items, np.int64),
        np.zeros(n_items, np.int64),
        np.zeros(n_items, np.float64),
    )
    touched = np.empty(n_items, np.int32)
    nearest = np.empty(near.items.shape[1], np.int32)
    fewest = np.empty(few.items.shape[1], np.int32)
    for item in which:
        met = add_up(cells, item, sums.pairs, touched)
        if kind == CORRELATION:
            add_moments(cells, item, sums.moments)
        raters = cells.item_offsets[item + 1] - cells.item_offsets[item]
        n_near, n_few, n_candidates = (
            recall(near, item, row, nearest),
            recall(few, item, row, fewest),
            0,
        )
        recalled_near, recalled_few = n_near, n_few
        offered_near, offered_few = n_near, n_few
        for other in nearest[:n_near]:
            if slot_of(before[item], other) >= 0 and slot_of(fewest[:n_few], other) < 0:
                n_candidates = offer(candidates[item], n_candidates, other, row)
        for other in fewest[:n_few]:
            n_candidates = offer(candidates[item], n_candidates, other, row)
        for other in touched[:met]:
            num, one, two = parts_of(cells, item, other, kind, sums)
            if other == item or num <= 0 or one <= 0 or two <= 0:
                continue
            note(row, other, num, one, two)
            n_near = offer(nearest, n_near, other, row)
            offered_near += 1
            is_few = sums.pairs[other, 0] * denominator <= numerator * raters
            if is_few:
                n_few = offer(fewest, n_few, other, row)
                offered_few += 1
            if is_few or slot_of(before[item], other) >= 0:
                n_candidates = offer(candidates[item], n_candidates, other, row)
        put_in_order(candidates[item], n_candidates, row)
        settle(nearest, n_near, (recalled_near, offered_near), fresh, row, near, item)
        settle(fewest, n_few, (recalled_few, offered_few), fresh, row, few, item)
        clear(sums, touched[:met])
