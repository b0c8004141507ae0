"""Frames at the edges: Polars, pandas, Arrow and SciPy in and out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from recloak.core.arrays import Labels
from recloak.core.columns import find_columns, refuse_lost_ratings
from recloak.core.errors import InputError, MachineError

if TYPE_CHECKING:
    import pandas as pd
    from scipy import sparse

    from recloak.core.ratings import Ratings

_ISO_FORMS = (
    "%Y-%m-%d",
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d %H:%M:%S%.f%#z",
    "%Y-%m-%d %H:%M:%S%.f %#z",
    "%Y-%m-%d %H:%M%#z",
)


class RatingColumns(NamedTuple):
    """The columns of a table of ratings, in the order of `Ratings.from_columns`."""

    users: pl.Series
    items: pl.Series
    values: pl.Series | None
    times: pl.Series | None


def rating_columns(
    frame: Any, declared: Mapping[str, str], *, implicit: bool = False
) -> RatingColumns:
    """The columns of a Polars, pandas or Arrow table that hold ratings; see `find_columns`.

    Unless the data are said to be ``implicit``, a column that may hold the ratings but is not
    recognised is refused, not left behind.
    """
    table = as_polars(frame)
    found = find_columns(table.columns, declared)
    if not implicit:
        numeric = [name for name, kind in table.schema.items() if kind.is_numeric()]
        refuse_lost_ratings(found, numeric)
    picked = {role: table[name] for role, name in found.roles.items()}
    return RatingColumns(
        picked["user"],
        picked["item"],
        _numbers(picked.get("rating"), "rating"),
        epoch_seconds(picked["time"]) if "time" in picked else None,
    )


def is_frame(value: Any) -> bool:
    """Is this a Polars, pandas or Arrow table? Columns one by one are none."""
    if isinstance(value, pl.Series) or type(value).__name__ in ("Series", "ChunkedArray"):
        return False
    pandas = type(value).__module__.startswith("pandas") and hasattr(value, "columns")
    given = isinstance(value, pl.DataFrame | pl.LazyFrame) or hasattr(value, "__arrow_c_stream__")
    return given or pandas


class ArrowStream:
    """A table that is handed over as Arrow, without pyarrow and without a trace of its class.

    Polars remembers the classes that it meets, which keeps DuckDB from ending in silence.
    """

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def as_polars(frame: Any) -> pl.DataFrame:
    """Any of the frames we accept, as Polars; shares memory where it can."""
    if isinstance(frame, pl.DataFrame):
        return frame
    if isinstance(frame, pl.LazyFrame):
        return frame.collect()
    is_pandas = type(frame).__module__.startswith("pandas")
    if is_pandas and hasattr(frame, "columns"):
        if not frame.columns.is_unique:
            raise InputError("two columns of the table have the same name")
        return pl.DataFrame({str(name): _pandas_column(frame[name]) for name in frame.columns})
    if hasattr(frame, "__arrow_c_stream__") and not is_pandas:
        return pl.DataFrame(ArrowStream(frame))
    raise InputError(
        f"a {type(frame).__name__} is not a frame",
        hint="Give a Polars or pandas DataFrame, or an Arrow table.",
    )


def epoch_seconds(times: pl.Series) -> pl.Series:
    """Times as whole seconds since 1970, from numbers, dates or ISO text."""
    if times.dtype == pl.String:
        times = iso_seconds(times)
    if times.dtype == pl.Date:
        times = times.cast(pl.Datetime("us"))
    if isinstance(times.dtype, pl.Datetime):
        times = times.dt.epoch("s")
    if times.dtype.is_float() or times.dtype.is_decimal():
        times = times.cast(pl.Float64).floor()
    whole = times.cast(pl.Int64, strict=False) if times.dtype.is_numeric() else None
    if whole is None or whole.null_count():
        at = 0 if whole is None else int(whole.is_null().arg_max() or 0)
        raise InputError(
            "a time is missing or unreadable",
            where=f"row {at + 1}, column {times.name or 'time'}",
            hint="Use seconds since 1970 or ISO dates, or leave the time column out.",
        )
    return whole


def iso_seconds(texts: pl.Series) -> pl.Series:
    """ISO dates and times as whole seconds since 1970; what is neither becomes null.

    A time without a zone is taken as UTC. Orders other than year, month, day are not guessed.
    """
    plain = texts.str.replace("T", " ", literal=True)
    seconds = pl.Series(texts.name, [None], dtype=pl.Int64).new_from_index(0, len(texts))
    for form in _ISO_FORMS:
        parsed = plain.str.to_datetime(form, strict=False, time_unit="us").dt.epoch("s")
        seconds = seconds.fill_null(parsed)
        if not seconds.null_count():
            break
    return seconds


def to_polars(ratings: Ratings) -> pl.DataFrame:
    """Columns user, item, rating (unless implicit) and time (if known)."""
    columns = {
        "user": _named(ratings.user_labels, ratings.user_codes()),
        "item": _named(ratings.item_labels, ratings.items),
    }
    if not ratings.scale.implicit:
        columns["rating"] = pl.Series(ratings.values)
    if ratings.times is not None:
        columns["time"] = pl.Series(ratings.times)
    return pl.DataFrame(columns)


def to_pandas(ratings: Ratings) -> pd.DataFrame:
    """As `to_polars`, for pandas."""
    try:
        import pandas as pd
    except ImportError as missing:
        raise MachineError("pandas is not installed", hint="pip install pandas") from missing
    table = to_polars(ratings)
    return pd.DataFrame({name: table[name].to_numpy() for name in table.columns})


def to_csr(ratings: Ratings) -> sparse.csr_array:
    """As a SciPy matrix over the same memory."""
    from scipy import sparse

    shape = (ratings.n_users, ratings.n_items)
    return sparse.csr_array((ratings.values, ratings.items, ratings.offsets), shape=shape)


def to_html(ratings: Ratings) -> str:
    """A small table for notebooks."""
    facts = {
        "users": f"{ratings.n_users:,}",
        "items": f"{ratings.n_items:,}",
        "ratings": f"{ratings.n_ratings:,}",
        "scale": str(ratings.scale),
        "density": f"{ratings.density:.3%}",
        "times": "yes" if ratings.times is not None else "no",
    }
    cells = "".join(f"<tr><th>{name}</th><td>{shown}</td></tr>" for name, shown in facts.items())
    return f"<table><caption>Ratings</caption>{cells}</table>"


def label_series(labels: Labels) -> pl.Series:
    """Labels as a Polars column: whole numbers or text."""
    if labels.dtype == object:
        return pl.Series(labels.tolist(), dtype=pl.String)
    return pl.Series(labels)


def _named(labels: Labels, codes: np.ndarray[Any, np.dtype[np.int32]]) -> pl.Series:
    return label_series(labels).gather(pl.Series(codes))


def _numbers(column: pl.Series | None, role: str) -> pl.Series | None:
    if column is None:
        return None
    numbers = column.cast(pl.Float32, strict=False)
    bad = numbers.is_null()
    if bad.any():
        at = int(bad.arg_max() or 0)
        shown = column[at]
        fault = "is missing" if shown is None else f"'{shown}' is not a number"
        raise InputError(f"{role} {fault}", where=f"row {at + 1}, column {column.name}")
    return numbers


def _pandas_column(column: Any) -> pl.Series:
    """A pandas column of any kind; what is missing there is missing here."""
    missing = column.isna().to_numpy(dtype=bool)
    values = column.to_numpy()
    if values.dtype != object:
        series = pl.Series(values)
        return series.set(pl.Series(missing), None) if missing.any() else series
    listed = [None if gone else value for value, gone in zip(values, missing, strict=True)]
    kinds = {type(value) for value in listed if value is not None}
    if all(issubclass(kind, int | np.integer) for kind in kinds):
        return pl.Series(listed, dtype=pl.Int64)
    if all(issubclass(kind, int | float | np.number) for kind in kinds):
        return pl.Series(listed, dtype=pl.Float64)
    return pl.Series([None if value is None else str(value) for value in listed], dtype=pl.String)
