"""Gathering: batches of one file into whole columns, whatever each batch took its ids for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

_UNITS = {10**17: (10**9, "nano"), 10**14: (10**6, "micro"), 10**11: (10**3, "milli")}


@dataclass(frozen=True)
class Gathered:
    """Whole columns, and what to tell the user about them."""

    users: pl.Series
    items: pl.Series
    values: pl.Series | None
    times: pl.Series | None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.users)


def gather(batches: Iterable[pl.DataFrame]) -> Gathered:
    """All batches as one; a column of ids is text if any batch of it is."""
    parts: dict[str, list[pl.Series]] = {"user": [], "item": []}
    for batch in batches:
        for column in batch:
            parts.setdefault(column.name, []).append(column)
    users, items = _joined(parts.pop("user")), _joined(parts.pop("item"))
    values = _joined(parts.pop("rating")) if "rating" in parts else None
    if "time" not in parts:
        return Gathered(users, items, values, None)
    seconds, notes = _in_seconds(_joined(parts.pop("time")))
    return Gathered(users, items, values, seconds, notes)


def _joined(pieces: list[pl.Series]) -> pl.Series:
    """One column; whole numbers among text are written as text, which is what the file had."""
    if not pieces:
        return pl.Series([], dtype=pl.Int64)
    if len({piece.dtype for piece in pieces}) > 1:
        pieces = [piece.cast(pl.String) for piece in pieces]
    return pl.concat(pieces, rechunk=True)


def _in_seconds(times: pl.Series) -> tuple[pl.Series, tuple[str, ...]]:
    """Times since 1970 in seconds; numbers too large for seconds are of a finer unit."""
    latest = times.max()
    for limit, (unit, name) in _UNITS.items():
        if isinstance(latest, int) and latest > limit:
            return times // unit, (f"Times are in {name}seconds; they were divided by {unit:,}.",)
    return times, ()
