"""Collecting the batches of a source as codes, so that ids are not kept for each rating."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from recloak.core.building import EncodedRatings, RankedLabels
from recloak.core.id_encoder import IdEncoder
from recloak.core.ordering import EncodedBatch
from recloak.io.base import Batch

_UNITS = {10**17: (10**9, "nano"), 10**14: (10**6, "micro"), 10**11: (10**3, "milli")}


class Collector:
    """All ratings of a source as codes, with notes for the user."""

    def __init__(self, batches: Iterable[Batch], *, dated: bool = False) -> None:
        self._users, self._items = IdEncoder(), IdEncoder()
        self.pieces: list[EncodedBatch] = []
        self.explicit = False
        for batch in batches:
            self._add(batch)
        self.notes = () if dated else self._in_seconds()

    def coded(self) -> EncodedRatings:
        """The pieces with the names of their codes."""
        users, items = RankedLabels(*self._users.ranked()), RankedLabels(*self._items.ranked())
        return EncodedRatings(self.pieces, users, items, self.explicit)

    def positions(self, user: Any, item: Any, count: int = 2) -> list[int]:
        """The positions of the first ratings of an item by a user."""
        user_code, item_code = self._users.code_of(user), self._items.code_of(item)
        found: list[int] = []
        before = 0
        for piece in self.pieces:
            both = (piece.users == user_code) & (piece.items == item_code)
            found += (before + np.flatnonzero(both)).tolist()
            before += len(piece.users)
        return found[:count]

    def __len__(self) -> int:
        return sum(len(piece.users) for piece in self.pieces)

    def _add(self, batch: Batch) -> None:
        users, items = self._users.codes(batch.users), self._items.codes(batch.items)
        self.explicit = batch.values is not None
        values = batch.values if batch.values is not None else np.ones(len(users), np.float32)
        self.pieces.append(EncodedBatch(users, items, values, batch.times))

    def _in_seconds(self) -> tuple[str, ...]:
        """Times since 1970 in seconds; numbers too large for seconds are of a finer unit."""
        times = [piece.times for piece in self.pieces if piece.times is not None]
        latest = max((int(each.max()) for each in times if len(each)), default=0)
        unit, notes = time_unit(latest)
        if unit > 1:
            self.pieces = [
                piece._replace(times=None if piece.times is None else piece.times // unit)
                for piece in self.pieces
            ]
        return notes


def time_unit(latest: int) -> tuple[int, tuple[str, ...]]:
    """By what times are divided to be seconds, by the latest of them, and a note if by anything."""
    for limit, (unit, name) in _UNITS.items():
        if latest > limit:
            return unit, (f"Times are in {name}seconds; they were divided by {unit:,}.",)
    return 1, ()
