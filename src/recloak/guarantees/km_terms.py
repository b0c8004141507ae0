"""Terms: what an adversary may know of a rating, as codes; and what a check of them finds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recloak.findings import Status
from recloak.ratings import Ratings

BUDGET = 2e10
"""Elementary steps that a check may take: a few minutes. Beyond it the verdict is undecided."""


@dataclass(frozen=True)
class Outcome:
    """A verdict before it has the name of its claim."""

    status: Status
    how: str
    witness: Mapping[str, Any] | None = None


def unproven(said: str, found: Mapping[str, Any]) -> Outcome:
    """A condition that would prove the claim is not met; whether anybody is exposed is open."""
    return Outcome("broken", f"It could not be proven to hold. {said}", found)


def set_counts(lengths: NDArray[np.int64], m: int) -> NDArray[np.float64]:
    """How many sets of 1 to ``m`` there are of so many."""
    total = np.zeros(len(lengths))
    sets = np.ones(len(lengths))
    for size in range(1, min(m, int(lengths.max(initial=0))) + 1):
        with np.errstate(over="ignore"):
            sets = sets * np.maximum(lengths - size + 1, 0) / size
        total += sets
    return total


@dataclass(frozen=True)
class Terms:
    """A code for the term of each rating; term ``t`` is of item ``item[t]`` and its value."""

    of_rating: NDArray[np.int32]
    item: NDArray[np.int32]
    value: NDArray[np.float32] | None

    @classmethod
    def of(cls, ratings: Ratings, values: bool) -> Terms:
        """Items with their values, or items alone; items keep their codes and terms their order."""
        if not values:
            return cls(ratings.items, np.arange(ratings.n_items, dtype=np.int32), None)
        levels, level = np.unique(ratings.values + np.float32(0), return_inverse=True)
        keys = ratings.items.astype(np.int64) * max(len(levels), 1) + level
        found, codes = _coded(keys, ratings.n_items * len(levels))
        item, value = found // max(len(levels), 1), levels[found % max(len(levels), 1)]
        return cls(codes, item.astype(np.int32), value)

    def __len__(self) -> int:
        return len(self.item)

    def shown(self, ratings: Ratings, terms: Iterable[int]) -> dict[str, Any]:
        """The items of ``terms`` by name, with their values if these matter."""
        named = list(terms)
        told: dict[str, Any] = {"items": [str(ratings.item_labels[self.item[t]]) for t in named]}
        if self.value is not None:
            told["values"] = [round(float(self.value[t]), 6) for t in named]
        return told


def _coded(keys: NDArray[np.int64], top: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The distinct keys, ascending, and for each key its number; keys are below ``top``."""
    if top > max(4 * len(keys), 1 << 24):
        found, codes = np.unique(keys, return_inverse=True)
        return found, codes.astype(np.int32)
    used = np.zeros(top, dtype=bool)
    used[keys] = True
    return np.flatnonzero(used), (np.cumsum(used, dtype=np.int32) - np.int32(1))[keys]
