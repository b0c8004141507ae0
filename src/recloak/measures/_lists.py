"""Recommended lists: the best items of each person, and how near to the top the right ones are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import Floats, Indices, Integers, Mask


def best(scores: NDArray[np.floating[Any]], top: int) -> Indices:
    """The columns of the highest scores of each row, in order, -1 where there are no more.

    Of equal scores the earlier column comes first; −∞ is never listed.
    """
    count = min(top, scores.shape[1])
    found = np.full((len(scores), count), -1, dtype=np.int64)
    if count == 0:
        return found
    for row, own in enumerate(scores):
        limit = np.partition(own, -count)[-count]
        candidates = np.flatnonzero((own >= limit) & (own > -np.inf))
        chosen = candidates[np.argsort(-own[candidates], kind="stable")[:count]]
        found[row, : len(chosen)] = chosen
    return found


def hits_of(lists: Indices, right: Indices, n_items: int) -> Mask:
    """Which entries of the lists, a row for each person, are right.

    ``right`` holds cells: the person's place times ``n_items``, and the item.
    """
    cells = np.arange(len(lists))[:, None] * n_items + lists
    return np.isin(cells, right) & (lists >= 0)


def ndcg_of(hits: Mask, wanted: Integers) -> Floats:
    """How near to the top of each list the hits stand: 1 if what is wanted fills its first places.

    Everybody wants one item at least.
    """
    if hits.shape[1] == 0:
        return np.zeros(len(hits))
    weights = 1 / np.log2(np.arange(2, hits.shape[1] + 2))
    reachable = np.cumsum(weights)[np.minimum(wanted, hits.shape[1]) - 1]
    return np.asarray(hits @ weights / reachable)
