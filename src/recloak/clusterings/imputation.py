"""Imputation: which value stands in for a cell that nobody filled."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from recloak.errors import MachineError
from recloak.memory import need
from recloak.ratings import Ratings

Imputation = Literal["midpoint", "item-mean", "item-median", "global-mean", "user-mean"]


def item_bases(ratings: Ratings, imputation: Imputation, least: int = 1) -> NDArray[np.float64]:
    """The value that stands in for a missing cell of each item.

    It is published, so an item that fewer than ``least`` people rated has no mean or median of its
    own: it would tell what these few gave. The overall mean stands in for it.
    With ``user-mean`` it depends on the row instead: the base is then the middle of the scale,
    and `filled` stores every cell.
    """
    overall = float(ratings.values.mean(dtype=np.float64)) if len(ratings) else ratings.scale.middle
    if imputation == "global-mean":
        return np.full(ratings.n_items, overall)
    if imputation == "item-mean":
        return np.where(ratings.item_support < least, overall, _item_means(ratings, overall))
    if imputation == "item-median":
        return np.where(ratings.item_support < least, overall, _item_medians(ratings, overall))
    return np.full(ratings.n_items, ratings.scale.middle)


def filled(ratings: Ratings) -> tuple[Ratings, NDArray[np.bool_]]:
    """Every cell stored, a missing one as the mean of its row; and which cells were known.

    The only imputation that cannot be left implied, so it is refused where the full table does
    not fit into memory.
    """
    cells = ratings.n_users * ratings.n_items
    try:
        need(40.0 * cells, "the imputation user-mean, which fills every cell,")
    except MachineError as problem:
        advice = "Any other imputation leaves missing cells implied and needs no such table."
        raise MachineError(problem.what, hint=advice) from None
    counts = ratings.user_counts
    sums = np.bincount(ratings.user_codes(), ratings.values, minlength=ratings.n_users)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), ratings.scale.middle)
    table = np.repeat(means.astype(np.float32), ratings.n_items)
    here = ratings.user_codes().astype(np.int64) * ratings.n_items + ratings.items
    table[here] = ratings.values
    known = np.zeros(cells, np.bool_)
    known[here] = True
    offsets = np.arange(ratings.n_users + 1, dtype=np.int64) * ratings.n_items
    items = np.tile(np.arange(ratings.n_items, dtype=np.int32), ratings.n_users)
    return replace(ratings, offsets=offsets, items=items, values=table, times=None), known


def _item_means(ratings: Ratings, overall: float) -> NDArray[np.float64]:
    support = ratings.item_support
    sums = np.bincount(ratings.items, ratings.values, minlength=ratings.n_items)
    return np.where(support > 0, sums / np.maximum(support, 1), overall)


def _item_medians(ratings: Ratings, overall: float) -> NDArray[np.float64]:
    view = ratings.by_item
    medians = np.full(ratings.n_items, overall)
    for item in np.flatnonzero(ratings.item_support):
        medians[item] = np.median(view.values[view.offsets[item] : view.offsets[item + 1]])
    return medians
