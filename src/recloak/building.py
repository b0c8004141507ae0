"""From columns of labels to Ratings: codes, order, duplicates, scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from recloak.coding import Codes, encode
from recloak.errors import InputError, ParameterError
from recloak.kernels.layout import expand
from recloak.kernels.sorting import first_repeats
from recloak.ordering import Piece, Rows, into_order
from recloak.ratings import Duplicates, Labels, Ratings
from recloak.scale import IMPLICIT, Scale


class DuplicatePairs(InputError):
    """A user rated an item more than once; ``pairs`` are the first offenders."""

    def __init__(self, count: int, pairs: list[tuple[Any, Any]], where: str | None = None) -> None:
        named = ", ".join(f"user {user} item {item}" for user, item in pairs)
        super().__init__(
            f"{count:,} ratings repeat a (user, item) pair, first: {named}",
            where=where,
            hint="Say which to keep with --duplicates last, mean or max.",
        )
        self.count = count
        self.pairs = pairs


class OffScale(InputError):
    """A value that is not on the declared scale; ``position`` is its place in the columns."""

    def __init__(self, value: float, scale: Scale, position: int, where: str | None = None) -> None:
        super().__init__(
            f"rating {value:g} is not on the scale {scale}",
            where=where or f"rating {position + 1}",
            hint="Correct the value, or declare the scale with --scale.",
        )
        self.value, self.scale, self.position = value, scale, position


class Names(NamedTuple):
    """The labels of a column in order, and the rank of each code that was given before."""

    labels: Labels
    rank: Codes


@dataclass(frozen=True)
class Coded:
    """Ratings as they arrived, in pieces, with the names of their codes."""

    pieces: list[Piece]
    users: Names
    items: Names
    explicit: bool

    def __len__(self) -> int:
        return sum(len(piece.users) for piece in self.pieces)


def build(
    users: Any,
    items: Any,
    values: Any = None,
    times: Any = None,
    *,
    scale: Scale | str | None = None,
    duplicates: Duplicates = "error",
) -> Ratings:
    """See `Ratings.from_columns`."""
    user_codes, *user_names = encode(users, "user")
    item_codes, *item_names = encode(items, "item")
    rated = _values(values, len(user_codes))
    seconds = None if times is None else np.ascontiguousarray(times, dtype=np.int64)
    lengths = {len(each) for each in (user_codes, item_codes, rated, seconds) if each is not None}
    if len(lengths) > 1:
        raise InputError("the columns differ in length")
    piece = Piece(user_codes, item_codes, rated, seconds)
    coded = Coded([piece], Names(*user_names), Names(*item_names), explicit=values is not None)
    return assemble(coded, scale=scale, duplicates=duplicates)


def assemble(
    coded: Coded, *, scale: Scale | str | None = None, duplicates: Duplicates = "error"
) -> Ratings:
    """Ratings from pieces in any order; the pieces are left as they are."""
    if duplicates not in get_args(Duplicates):
        known = ", ".join(get_args(Duplicates))
        raise ParameterError(f"'{duplicates}' is none of {known}", where="duplicates")
    declared = Scale.parse(scale) if isinstance(scale, str) else scale
    if declared is not None:
        _refuse_off_scale(coded.pieces, declared)
    rows = into_order(coded.pieces, coded.users.rank, coded.items.rank)
    if rows.repeats:
        if duplicates == "error":
            raise _repeated(rows, coded)
        rows = _merged(rows, duplicates)
    inferred = declared is None
    if declared is None:
        declared = Scale.infer(rows.values) if coded.explicit else IMPLICIT
    return Ratings(
        offsets=rows.offsets,
        items=rows.items,
        values=rows.values,
        scale=declared,
        user_labels=coded.users.labels,
        item_labels=coded.items.labels,
        times=rows.times,
        scale_inferred=inferred,
    )


def _values(values: Any, count: int) -> NDArray[np.float32]:
    if values is None:
        return np.ones(count, dtype=np.float32)
    column = values.to_numpy() if isinstance(values, pl.Series) else np.asarray(values)
    rated = np.ascontiguousarray(column, dtype=np.float32)
    bad = np.flatnonzero(~np.isfinite(rated))
    if len(bad):
        raise InputError(
            f"rating is {rated[bad[0]]}, which is no number",
            where=f"rating {bad[0] + 1}",
            hint="Remove the row, or correct the value.",
        )
    return rated


def _refuse_off_scale(pieces: list[Piece], scale: Scale) -> None:
    before = 0
    for piece in pieces:
        holds = scale.holds(piece.values)
        if not holds.all():
            at = int(np.argmin(holds))
            raise OffScale(float(piece.values[at]), scale, before + at)
        before += len(piece.values)


def _repeated(rows: Rows, coded: Coded) -> DuplicatePairs:
    places = np.empty(3, np.int64)
    first = places[: first_repeats(rows.offsets, rows.items, places)]
    users = np.searchsorted(rows.offsets, first, side="right") - 1
    user_labels, item_labels = coded.users.labels, coded.items.labels
    pairs = [
        (user_labels[user], item_labels[rows.items[at]])
        for user, at in zip(users, first, strict=True)
    ]
    return DuplicatePairs(rows.repeats, pairs)


def _merged(rows: Rows, duplicates: Duplicates) -> Rows:
    """One rating for each pair; which one, or what of them, ``duplicates`` says."""
    users, items, values = expand(rows.offsets), rows.items, rows.values
    fresh = np.concatenate([[True], (users[1:] != users[:-1]) | (items[1:] != items[:-1])])
    starts = np.flatnonzero(fresh)
    latest = None if rows.times is None else np.maximum.reduceat(rows.times, starts)
    if duplicates == "max":
        merged = np.maximum.reduceat(values, starts)
    elif duplicates == "mean":
        sizes = np.diff(np.append(starts, len(values)))
        merged = (np.add.reduceat(values.astype(np.float64), starts) / sizes).astype(np.float32)
    else:
        merged = values[_last_of_runs(fresh, starts, rows.times, latest)]
    offsets = np.concatenate([[0], np.cumsum(fresh)])[rows.offsets]
    return Rows(offsets, items[starts], merged, latest, 0)


def _last_of_runs(
    fresh: NDArray[np.bool_],
    starts: NDArray[np.int64],
    times: NDArray[np.int64] | None,
    latest: NDArray[np.int64] | None,
) -> NDArray[np.int64]:
    """The last entry of each run: the latest by time, and of those the last in the file."""
    if times is None or latest is None:
        return np.append(starts[1:], len(fresh)) - 1
    run = np.cumsum(fresh) - 1
    last = np.zeros(len(starts), dtype=np.int64)
    newest = np.flatnonzero(times == latest[run])
    np.maximum.at(last, run[newest], newest)
    return last
