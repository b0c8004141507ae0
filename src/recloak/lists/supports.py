"""Supports: how many people rated all of a set of items, counted when asked for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from recloak.kernels.intersections import common_members, n_common
from recloak.lists.timeline import Snapshot

_KEPT = 4096  # sets whose people are remembered, at most
_KEPT_PEOPLE = 200_000  # larger sets are counted anew: they are few, and cheap against their size


class Supports:
    """Sup(B) and Sup(B ∪ i) at one cut, by intersecting sorted lists of raters."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.postings = snapshot.postings
        self.of_item = np.diff(self.postings.offsets)
        self._remembered = lru_cache(maxsize=_KEPT)(self._people)

    def raters(self, item: int) -> NDArray[np.int32]:
        """Who rated an item, ascending."""
        here = slice(self.postings.offsets[item], self.postings.offsets[item + 1])
        return self.postings.users[here]

    def people(self, items: Iterable[int]) -> NDArray[np.int32]:
        """Who rated all of ``items`` (at least one), ascending."""
        chosen = tuple(sorted(set(items), key=lambda item: (self.of_item[item], item)))
        if self.of_item[chosen[0]] > _KEPT_PEOPLE:
            return self._people(chosen)
        return self._remembered(chosen)

    def support(self, items: Iterable[int]) -> int:
        """Sup(B): how many people rated all of ``items``."""
        return len(self.people(items))

    def with_target(self, items: Iterable[int], target: int, since: int = 0) -> int:
        """Sup(B ∪ i): how many of them rated ``target``, as the rating ``since`` or later."""
        here = slice(self.postings.offsets[target], self.postings.offsets[target + 1])
        return n_common(
            self.people(items), self.postings.users[here], self.postings.born[here], since
        )

    def _people(self, chosen: tuple[int, ...]) -> NDArray[np.int32]:
        left = self.raters(chosen[0])
        for item in chosen[1:]:
            left = common_members(left, self.raters(item))
        return left
