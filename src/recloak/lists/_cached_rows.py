"""Cached rows: what a ranking leaves for the next one, and how it is laid out in other codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import Bytes, Codes, Labels, match_labels
from recloak.lists._cached_row_kernels import CachedNeighbours
from recloak.releases.lists.related import EMPTY

_PART = 1 << 10


@dataclass(frozen=True, eq=False)
class RankingCache:
    """What a ranking leaves for the next one; ``recipe`` names the settings it was made with."""

    recipe: str
    item_labels: Labels
    digests: Bytes
    near: CachedNeighbours
    few: CachedNeighbours


def blank(n_items: int, wide: int, parts: int) -> CachedNeighbours:
    """Rows in which nothing is known yet."""
    return CachedNeighbours(
        np.full((n_items, wide), EMPTY, np.int32),
        np.zeros((n_items, wide, parts), np.int64),
        np.zeros(n_items, np.uint8),
    )


def unchanged(
    cache: RankingCache | None, recipe: str, labels: Labels, digests: Bytes
) -> NDArray[np.int32]:
    """For each item of the cache its current code, or -1 if it changed."""
    if cache is None or cache.recipe != recipe:
        return np.empty(0, np.int32)
    moved = match_labels(cache.item_labels, labels).astype(np.int32)
    moved[(cache.digests != digests[moved]).any(axis=1)] = EMPTY
    if (np.diff(moved[moved >= 0]) < 0).any():  # of equals the first is nearer, so order counts
        moved[:] = EMPTY
    return moved


def laid_out(rows: list[NDArray[Any]], moved: Codes, n_items: int) -> CachedNeighbours:
    """Cached rows in the current codes, in place of the old ones, which are used up."""
    recode = np.append(moved, np.int32(EMPTY))
    for part in _row_parts(rows[0]):
        part[:] = recode[part]
    complete, parts, items = (_moved(rows.pop(), moved, n_items, empty) for empty in (0, 0, EMPTY))
    return CachedNeighbours(items, parts, complete)


def _moved(old: NDArray[Any], moved: Codes, n_items: int, empty: int) -> NDArray[Any]:
    """The rows of unchanged items at their current places, the others empty."""
    if len(moved) == n_items and ((moved == np.arange(n_items)) | (moved == EMPTY)).all():
        old[moved == EMPTY] = empty
        return old
    new = np.full((n_items, *old.shape[1:]), empty, old.dtype)
    for part, to in zip(_row_parts(old), _row_parts(moved), strict=True):
        new[to[to >= 0]] = part[to >= 0]
    return new


def _row_parts(array: NDArray[Any]) -> list[NDArray[Any]]:
    """Parts of so few rows that what is made of them takes little memory."""
    return [array[start : start + _PART] for start in range(0, len(array), _PART)]
