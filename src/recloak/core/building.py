"""From columns of labels to Ratings: codes, order, duplicates, scale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar, get_args

import numpy as np
import polars as pl

from recloak.core.arrays import (
    Codes,
    Integers,
    Labels,
    Mask,
    Offsets,
    Values,
    offsets_from,
)
from recloak.core.columns import Duplicates
from recloak.core.errors import InputError, ParameterError
from recloak.core.id_encoder import encode
from recloak.core.kernels.layout import expand
from recloak.core.ordering import EncodedBatch, SortedRatings, first_repeats, into_order
from recloak.core.scale import IMPLICIT, Scale

T = TypeVar("T")


class DuplicatePairs(InputError):
    """A user rated an item more than once; ``pairs`` are the first offenders."""

    def __init__(self, count: int, pairs: list[tuple[Any, Any]], where: str | None = None) -> None:
        named = ", ".join(f"user {user} item {item}" for user, item in pairs)
        super().__init__(
            f"{count:,} ratings repeat a (user, item) pair, first: {named}",
            where=where,
            hint="Use --duplicates last, mean or max to say which one to keep.",
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


class RankedLabels(NamedTuple):
    """The labels of a column in order, and the rank of each code among them."""

    labels: Labels
    rank: Codes


@dataclass(frozen=True)
class EncodedRatings:
    """Ratings in codes, batch by batch as they arrived, and the labels of the codes."""

    batches: list[EncodedBatch]
    users: RankedLabels
    items: RankedLabels
    explicit: bool

    def __len__(self) -> int:
        return sum(len(batch.users) for batch in self.batches)


def build(
    kind: Callable[..., T],
    users: Any,
    items: Any,
    values: Any = None,
    times: Any = None,
    *,
    scale: Scale | str | None = None,
    duplicates: Duplicates = "error",
) -> T:
    """Ratings, made by ``kind``, from columns; see `Ratings.from_columns`."""
    user_codes, *user_names = encode(users, "user")
    item_codes, *item_names = encode(items, "item")
    rated = _values(values, len(user_codes))
    seconds = None if times is None else np.ascontiguousarray(times, dtype=np.int64)
    lengths = {len(each) for each in (user_codes, item_codes, rated, seconds) if each is not None}
    if len(lengths) > 1:
        raise InputError("the columns differ in length")
    batch = EncodedBatch(user_codes, item_codes, rated, seconds)
    encoded = EncodedRatings(
        [batch], RankedLabels(*user_names), RankedLabels(*item_names), explicit=values is not None
    )
    return assemble(kind, encoded, scale=scale, duplicates=duplicates)


def assemble(
    kind: Callable[..., T],
    encoded: EncodedRatings,
    *,
    scale: Scale | str | None = None,
    duplicates: Duplicates = "error",
) -> T:
    """Ratings, made by ``kind``, from batches in any order; the batches are not changed."""
    if duplicates not in get_args(Duplicates):
        known = ", ".join(get_args(Duplicates))
        raise ParameterError(f"'{duplicates}' is not one of {known}", where="duplicates")
    declared = Scale.parse(scale) if isinstance(scale, str) else scale
    if declared is not None:
        _refuse_off_scale(encoded.batches, declared)
    rows = into_order(encoded.batches, encoded.users.rank, encoded.items.rank)
    if rows.repeats:
        if duplicates == "error":
            raise _repeated(rows, encoded)
        rows = _merged(rows, duplicates)
    inferred = declared is None
    if declared is None:
        declared = Scale.infer(rows.values) if encoded.explicit else IMPLICIT
    return kind(
        offsets=rows.offsets,
        items=rows.items,
        values=rows.values,
        scale=declared,
        user_labels=encoded.users.labels,
        item_labels=encoded.items.labels,
        times=rows.times,
        scale_inferred=inferred,
    )


def _values(values: Any, count: int) -> Values:
    if values is None:
        return np.ones(count, dtype=np.float32)
    column = values.to_numpy() if isinstance(values, pl.Series) else np.asarray(values)
    rated = np.ascontiguousarray(column, dtype=np.float32)
    bad = np.flatnonzero(~np.isfinite(rated))
    if len(bad):
        raise InputError(
            f"rating is {rated[bad[0]]}, which is not a number",
            where=f"rating {bad[0] + 1}",
            hint="Remove the row, or correct the value.",
        )
    return rated


def _refuse_off_scale(batches: list[EncodedBatch], scale: Scale) -> None:
    before = 0
    for batch in batches:
        holds = scale.holds(batch.values)
        if not holds.all():
            at = int(np.argmin(holds))
            raise OffScale(float(batch.values[at]), scale, before + at)
        before += len(batch.values)


def _repeated(rows: SortedRatings, encoded: EncodedRatings) -> DuplicatePairs:
    places = np.empty(3, np.int64)
    first = places[: first_repeats(rows.offsets, rows.items, places)]
    users = np.searchsorted(rows.offsets, first, side="right") - 1
    user_labels, item_labels = encoded.users.labels, encoded.items.labels
    pairs = [
        (user_labels[user], item_labels[rows.items[at]])
        for user, at in zip(users, first, strict=True)
    ]
    return DuplicatePairs(rows.repeats, pairs)


def _merged(rows: SortedRatings, duplicates: Duplicates) -> SortedRatings:
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
    offsets = offsets_from(fresh)[rows.offsets]
    return SortedRatings(offsets, items[starts], merged, latest, 0)


def _last_of_runs(
    fresh: Mask,
    starts: Offsets,
    times: Integers | None,
    latest: Integers | None,
) -> Integers:
    """The last entry of each run: the latest by time, and of those the last in the file."""
    if times is None or latest is None:
        return np.append(starts[1:], len(fresh)) - 1
    run = np.cumsum(fresh) - 1
    last = np.zeros(len(starts), dtype=np.int64)
    newest = np.flatnonzero(times == latest[run])
    np.maximum.at(last, run[newest], newest)
    return last
