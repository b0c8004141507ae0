"""Kernels of cached rows: the nearest items of an item as they are kept from night to night."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Bytes, Codes, Floats, Integers, Mask
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.kernels.related_items import OVERLAP, PRODUCTS, ItemRatings
from recloak.core.kernels.similarity_rows import (
    SimilarityRow,
    empty_row,
    put_in_order,
    set_similarity,
    surely_below,
)


class CachedNeighbours(NamedTuple):
    """The nearest items of each item, padded with -1, with their similarities in whole numbers.

    Of a similarity what is added up over shared raters is enough, but for a correlation: the rest
    follows from the items themselves (`recall`). ``complete`` marks the items that have no further
    neighbours than those listed.
    """

    items: Codes
    parts: Integers
    complete: Bytes


@inner_kernel
def recall(
    cells: ItemRatings, kind: int, cached: CachedNeighbours, item: int, at: int, row: SimilarityRow
) -> None:
    """Set the similarity of a cached neighbour, which did not change since."""
    other, num = cached.items[item, at], cached.parts[item, at, 0]
    if kind == PRODUCTS:
        set_similarity(row, other, num, cells.norms[other], 1)
    elif kind == OVERLAP:
        either = cells.item_offsets[item + 1] - cells.item_offsets[item] - num
        either += cells.item_offsets[other + 1] - cells.item_offsets[other]
        set_similarity(row, other, num, either, either)
    else:
        one, two = cached.parts[item, at, 1], cached.parts[item, at, 2]
        set_similarity(row, other, num, one, two)


@inner_kernel
def load_row(
    cells: ItemRatings,
    kind: int,
    cached: CachedNeighbours,
    item: int,
    row: SimilarityRow,
    nearest: Codes,
) -> int:
    """Start from the cached neighbours of an item; returns how many they are.

    They are in order: with the farthest first they are a heap, without comparing any.
    """
    size = 0
    for at in range(cached.items.shape[1] - 1, -1, -1):
        other = cached.items[item, at]
        if other >= 0:
            recall(cells, kind, cached, item, at, row)
            nearest[size] = other
            size += 1
    return size


@inner_kernel
def known_part(nearest: Codes, size: int, recalled: int, changed: Bytes) -> int:
    """How much of a sorted row is known: nothing behind the last item that was loaded.

    Once one of the loaded items is pushed out, all that is left is nearer than it, and known.
    """
    old = 0
    for other in nearest[:size]:
        old += 1 - changed[other]
    if old < recalled:
        return size
    while size > 0 and changed[nearest[size - 1]] == 1:
        size -= 1
    return size


@inner_kernel
def store_row(
    nearest: Codes, size: int, row: SimilarityRow, cached: CachedNeighbours, item: int
) -> None:
    """Cache the first ``size`` items of a sorted row."""
    for at in range(len(nearest)):
        other = nearest[at] if at < size else -1
        cached.items[item, at] = other
        cached.parts[item, at] = 0
        if other >= 0:
            cached.parts[item, at, 0] = row.num[other]
            if cached.parts.shape[2] > 1:
                cached.parts[item, at, 1] = row.one[other]
                cached.parts[item, at, 2] = row.two[other]


@inner_kernel
def finish_row(
    nearest: Codes,
    size: int,
    counts: tuple[int, int],
    changed: Bytes,
    row: SimilarityRow,
    cached: CachedNeighbours,
    item: int,
) -> None:
    """Sort a row and cache its known part; ``counts`` are the loaded and the offered items."""
    put_in_order(nearest, size, row)
    recalled, offered = counts
    if cached.complete[item] == 0:
        size = known_part(nearest, size, recalled, changed)
    elif offered > len(nearest):
        cached.complete[item] = 0
    store_row(nearest, size, row, cached, item)


@inner_kernel
def row_end(cached: CachedNeighbours, item: int) -> int:
    """The place behind the last neighbour that is cached."""
    size = len(cached.items[item])
    while size > 0 and cached.items[item, size - 1] < 0:
        size -= 1
    return size


@inner_kernel
def row_size(cached: CachedNeighbours, item: int) -> int:
    """How many neighbours are cached; -1 if some before the last were dropped."""
    size = row_end(cached, item)
    for at in range(size):
        if cached.items[item, at] < 0:
            return -1
    return size


@inner_kernel
def last_cached(
    cells: ItemRatings,
    kind: int,
    cached: CachedNeighbours,
    item: int,
    size: int,
    row: SimilarityRow,
) -> int:
    """The last cached neighbour, behind which others are not known; -1 if there is no such."""
    if size <= 0 or cached.complete[item] == 1:
        return -1
    recall(cells, kind, cached, item, size - 1, row)
    return int(cached.items[item, size - 1])


@kernel
def least_needed(
    cells: ItemRatings, kind: int, anew: Mask, near: CachedNeighbours, few: CachedNeighbours
) -> Floats:
    """How similar a changed item must be to each item to enter both of its rows.

    What is less than the last of a row stays behind it. A complete row has no last, and one that is
    made ``anew`` asks for none.
    """
    row = empty_row(len(cells.norms))
    least = np.zeros((len(anew), 2))
    for item in range(len(anew)):
        last = last_cached(cells, kind, near, item, row_end(near, item), row)
        if last >= 0:
            least[item, 0] = surely_below(row.about[last])
        last = last_cached(cells, kind, few, item, row_end(few, item), row)
        if last >= 0:
            least[item, 1] = surely_below(row.about[last])
        if anew[item]:
            least[item] = np.inf
    return least
