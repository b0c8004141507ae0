"""Kernels of the item neighbours: similarities of one item at a time, never items × items."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Floats, Offsets, Values
from recloak.core.kernels import kernel


@kernel
def lengths_of(offsets: Offsets, values: Values) -> Values:
    """The Euclidean length of each row."""
    lengths = np.empty(len(offsets) - 1, np.float32)
    for row in range(len(lengths)):
        squares = 0.0
        for at in range(offsets[row], offsets[row + 1]):
            squares += values[at] * values[at]
        lengths[row] = np.sqrt(squares)
    return lengths


@kernel
def work_of(item_offsets: Offsets, item_users: Codes, offsets: Offsets, items: Codes) -> Offsets:
    """How many ratings are walked to find the similarities of each of these items."""
    work = np.zeros(len(items), np.int64)
    for place in range(len(items)):
        for at in range(item_offsets[items[place]], item_offsets[items[place] + 1]):
            user = item_users[at]
            work[place] += offsets[user + 1] - offsets[user]
    return work


@kernel
def add_products(
    raters: Codes,
    own: Values,
    offsets: Offsets,
    items: Codes,
    residuals: Values,
    products: Values,
    common: Values,
    touched: Codes,
) -> int:
    """Add up one item's products with all others over its ``raters``, whose residuals are ``own``.

    ``products`` and ``common`` (how many raters are shared) must be zero on entry; the items that
    changed are listed in ``touched``, and their number is returned.
    """
    n_touched = 0
    for place in range(len(raters)):
        user = raters[place]
        for at in range(offsets[user], offsets[user + 1]):
            other = items[at]
            if common[other] == 0:
                touched[n_touched] = other
                n_touched += 1
            products[other] += own[place] * residuals[at]
            common[other] += 1
    return n_touched


@kernel
def weigh(
    item: int,
    touched: Codes,
    lengths: Values,
    shrinkage: float,
    products: Values,
    common: Values,
) -> None:
    """Turn ``products`` into shrunk cosines in place; an item is no neighbour of itself."""
    for other in touched:
        scale = lengths[item] * lengths[other] * (common[other] + shrinkage)
        alike = other != item and scale > 0
        products[other] = products[other] * common[other] / scale if alike else 0.0


@kernel
def nearest_mean(
    row_items: Codes, row_residuals: Values, similarity: Values, best: Values, theirs: Values
) -> float:
    """The weighted mean residual of the ``len(best)`` most similar items of one user's row.

    Only positive similarities count; of equals the first in the row wins. 0 without any.
    """
    found = 0
    for at in range(len(row_items)):
        near = similarity[row_items[at]]
        if near <= 0 or (found == len(best) and near <= best[found - 1]):
            continue
        found = min(found + 1, len(best))
        place = found - 1
        while place > 0 and best[place - 1] < near:
            best[place] = best[place - 1]
            theirs[place] = theirs[place - 1]
            place -= 1
        best[place] = near
        theirs[place] = row_residuals[at]
    total, weight = 0.0, 0.0
    for place in range(found):
        total += best[place] * theirs[place]
        weight += best[place]
    return total / weight if weight > 0 else 0.0


@kernel
def adjust_cells(
    first_item: int,
    end_item: int,
    cell_offsets: Offsets,
    cells: Offsets,
    users: Codes,
    offsets: Offsets,
    items: Codes,
    residuals: Values,
    item_offsets: Offsets,
    item_users: Codes,
    item_residuals: Values,
    lengths: Values,
    neighbours: int,
    shrinkage: float,
    adjusted: Floats,
) -> None:
    """Add to ``adjusted`` what the neighbours say of each asked cell of the items in a range.

    ``cells[cell_offsets[i]:cell_offsets[i + 1]]`` are the asked cells of item ``i``, and
    ``users`` says whose they are. Memory is one entry per item, whatever is asked.
    """
    n_items = len(lengths)
    products, common = np.zeros(n_items, np.float32), np.zeros(n_items, np.float32)
    touched = np.empty(n_items, np.int32)
    best, theirs = np.empty(neighbours, np.float32), np.empty(neighbours, np.float32)
    for item in range(first_item, end_item):
        if cell_offsets[item] == cell_offsets[item + 1]:
            continue
        rated = slice(item_offsets[item], item_offsets[item + 1])
        n_touched = add_products(
            item_users[rated],
            item_residuals[rated],
            offsets,
            items,
            residuals,
            products,
            common,
            touched,
        )
        weigh(item, touched[:n_touched], lengths, shrinkage, products, common)
        for cell in cells[cell_offsets[item] : cell_offsets[item + 1]]:
            row = slice(offsets[users[cell]], offsets[users[cell] + 1])
            adjusted[cell] += nearest_mean(items[row], residuals[row], products, best, theirs)
        products[touched[:n_touched]] = 0
        common[touched[:n_touched]] = 0
