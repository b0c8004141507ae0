"""From columns of labels to Ratings: codes, order, duplicates, scale."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from recloak.errors import InputError, ParameterError
from recloak.kernels.coding import N, ends_of, number_codes, sort_further, take
from recloak.kernels.layout import is_sorted, offsets_of, stable_order
from recloak.ratings import Duplicates, Labels, Ratings
from recloak.scale import IMPLICIT, Scale

_TABLE_LIMIT = 1 << 22  # ids up to here are coded through a lookup table


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
    if duplicates not in get_args(Duplicates):
        known = ", ".join(get_args(Duplicates))
        raise ParameterError(f"'{duplicates}' is none of {known}", where="duplicates")
    user_codes, user_labels = encode(users, "user")
    item_codes, item_labels = encode(items, "item")
    rated = _values(values, len(user_codes))
    if not len(user_codes) == len(item_codes) == len(rated):
        raise InputError("the columns differ in length")
    resolved = _scale(scale, rated, explicit=values is not None)
    seconds = None if times is None else np.asarray(times, dtype=np.int64)
    return from_codes(
        user_codes, item_codes, rated, seconds, user_labels, item_labels, resolved, duplicates
    )


def from_codes(
    users: NDArray[np.int32],
    items: NDArray[np.int32],
    values: NDArray[np.float32],
    times: NDArray[np.int64] | None,
    user_labels: Labels,
    item_labels: Labels,
    scale: Scale,
    duplicates: Duplicates = "error",
) -> Ratings:
    """From codes in any order; the arrays may be kept and must not be changed afterwards."""
    if not is_sorted(users, items):
        users, items, values, times = _in_order(
            users, items, values, times, len(user_labels), len(item_labels)
        )
        repeated = np.flatnonzero((users[1:] == users[:-1]) & (items[1:] == items[:-1]))
        if len(repeated):
            if duplicates == "error":
                first = repeated[:3]
                pairs = [(user_labels[users[at]], item_labels[items[at]]) for at in first]
                raise DuplicatePairs(len(repeated), pairs)
            users, items, values, times = _merged(users, items, values, times, duplicates)
    return Ratings(
        offsets=offsets_of(users, len(user_labels)),
        items=items,
        values=values,
        scale=scale,
        user_labels=user_labels,
        item_labels=item_labels,
        times=times,
    )


def encode(column: Any, role: str) -> tuple[NDArray[np.int32], Labels]:
    """Codes and sorted labels of a column of ids; whole numbers sort as numbers, text as text."""
    series = column if isinstance(column, pl.Series) else pl.Series(np.asarray(column))
    if series.null_count():
        at = int(series.is_null().arg_max() or 0)
        raise InputError(f"the {role} id is missing", where=f"rating {at + 1}")
    if series.dtype.is_float() and bool((series == series.floor()).all()):
        series = series.cast(pl.Int64)
    if series.dtype.is_integer():
        return _encode_numbers(series.cast(pl.Int64).to_numpy())
    return _encode_text(series.cast(pl.String))


def _encode_numbers(ids: NDArray[np.int64]) -> tuple[NDArray[np.int32], Labels]:
    if len(ids) == 0:
        return np.empty(0, np.int32), np.empty(0, np.int64)
    low, high = ends_of(ids)
    if high - low < max(_TABLE_LIMIT, 4 * len(ids)):
        code_of = np.zeros(high - low + 1, dtype=np.int32)
        coded = np.empty(len(ids), dtype=np.int32)
        number_codes(ids, low, code_of, coded)
        return coded, np.flatnonzero(np.diff(code_of, prepend=np.int32(-1))) + low
    labels, codes = np.unique(ids, return_inverse=True)
    return codes.astype(np.int32), labels


def _encode_text(series: pl.Series) -> tuple[NDArray[np.int32], Labels]:
    names = series.unique().sort()
    codes = series.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int32)
    return codes, np.array(names.to_list(), dtype=object)


def _values(values: Any, count: int) -> NDArray[np.float32]:
    if values is None:
        return np.ones(count, dtype=np.float32)
    column = values.to_numpy() if isinstance(values, pl.Series) else np.asarray(values)
    rated = np.ascontiguousarray(column, dtype=np.float32)
    rated = rated.copy() if rated is values or not rated.flags.owndata else rated
    bad = np.flatnonzero(~np.isfinite(rated))
    if len(bad):
        raise InputError(
            f"rating is {rated[bad[0]]}, which is no number",
            where=f"rating {bad[0] + 1}",
            hint="Remove the row, or correct the value.",
        )
    return rated


def _scale(scale: Scale | str | None, values: NDArray[np.float32], *, explicit: bool) -> Scale:
    if scale is None:
        return Scale.infer(values) if explicit else IMPLICIT
    declared = Scale.parse(scale) if isinstance(scale, str) else scale
    off = np.flatnonzero(~declared.holds(values))
    if len(off):
        raise OffScale(float(values[off[0]]), declared, int(off[0]))
    return declared


def _in_order(
    users: NDArray[np.int32],
    items: NDArray[np.int32],
    values: NDArray[np.float32],
    times: NDArray[np.int64] | None,
    n_users: int,
    n_items: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32], NDArray[np.int64] | None]:
    order = np.empty(len(users), dtype=np.int64)
    sort_further(stable_order(items, n_items), users, n_users, order)
    moved = None if times is None else _taken(times, order)
    return _taken(users, order), _taken(items, order), _taken(values, order), moved


def _taken(column: NDArray[N], order: NDArray[np.int64]) -> NDArray[N]:
    out = np.empty_like(column)
    take(column, order, out)
    return out


def _merged(
    users: NDArray[np.int32],
    items: NDArray[np.int32],
    values: NDArray[np.float32],
    times: NDArray[np.int64] | None,
    duplicates: Duplicates,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32], NDArray[np.int64] | None]:
    fresh = np.concatenate([[True], (users[1:] != users[:-1]) | (items[1:] != items[:-1])])
    starts = np.flatnonzero(fresh)
    latest = None if times is None else np.maximum.reduceat(times, starts)
    if duplicates == "max":
        merged = np.maximum.reduceat(values, starts)
    elif duplicates == "mean":
        sizes = np.diff(np.append(starts, len(values)))
        merged = (np.add.reduceat(values.astype(np.float64), starts) / sizes).astype(np.float32)
    else:
        merged = values[_last_of_runs(fresh, starts, times, latest)]
    return users[starts], items[starts], merged, latest


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
