"""Typed columns of ratings: which is which, and what they hold, checked a piece at a time.

Files with typed columns are read through it, and so is a table that many machines hold, piece by
piece, wherever a piece is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from recloak.core.columns import Columns, find_columns, implicit_note, refuse_lost_ratings
from recloak.core.errors import InputError
from recloak.core.frames import epoch_seconds
from recloak.core.id_encoder import Ids, ids_of
from recloak.core.string_table import Strings
from recloak.io._values import AS_NUMBERS, Written
from recloak.io.base import Batch
from recloak.io.options import ReadOptions


class BadCell(InputError):
    """A cell that cannot be used: its row in the piece, counted from 0, and its column."""

    def __init__(self, problem: InputError, row: int, column: str) -> None:
        super().__init__(problem.what, hint=problem.hint)
        self.row, self.column = row, column


@dataclass(frozen=True)
class TypedColumns:
    """The columns of a table of ratings, and how its values are written."""

    columns: Columns
    written: Written
    dated: bool
    """Are times given as dates?"""
    notes: tuple[str, ...]

    @classmethod
    def of(cls, schema: Mapping[str, pl.DataType], options: ReadOptions) -> TypedColumns:
        """Those of a table with such names and types; an `InputError` says what is missing."""
        found = find_columns(list(schema), options.columns)
        notes: tuple[str, ...] = ()
        if not options.implicit:
            refuse_lost_ratings(found, [name for name, kind in schema.items() if kind.is_numeric()])
            notes = implicit_note(found)
        time = found.roles.get("time")
        dated = time is not None and not schema[time].is_numeric()
        return cls(found, Written.of(options), dated, notes)

    @property
    def roles(self) -> dict[str, str]:
        """The column of each role."""
        return self.columns.roles

    def batch(self, frame: pl.DataFrame) -> Batch:
        """The ratings of a piece; raises `BadCell` for what is none."""
        checks: dict[str, Callable[[pl.Series], Any]] = {
            "user": ids,
            "item": ids,
            "rating": lambda column: numbers(column, self.written).to_numpy(),
            "time": lambda column: epoch_seconds(column).to_numpy(),
        }
        found = {}
        for role, name in self.roles.items():
            try:
                found[role] = checks[role](frame[name])
            except InputError as problem:
                raise BadCell(problem, row_of(problem), name) from None
        return Batch(found["user"], found["item"], found.get("rating"), found.get("time"))


def row_of(problem: InputError) -> int:
    """The row in a piece that a check complains about, counted from 0."""
    place, _, _ = (problem.where or "").partition(",")
    return int(place.removeprefix("row ") or 1) - 1


def ids(column: pl.Series) -> Ids:
    """Ids as numbers if they are whole, else as text."""
    if column.dtype.is_float():
        column = column.set(~column.is_finite(), None)
    if column.dtype.is_nested():
        raise InputError(f"ids must be numbers or text, not {column.dtype}", where="row 1")
    _refuse_first(column.is_null(), "the id is missing")
    if column.dtype.is_float() or (isinstance(column.dtype, pl.Decimal) and not column.dtype.scale):
        column = _as_whole(column)
    if column.dtype.is_integer():
        whole = column.cast(pl.Int64, strict=False)
        return ids_of(column.cast(pl.String) if whole.null_count() else whole)
    texts = column.cast(pl.String, strict=False)
    _refuse_first(texts.is_null(), "the id is not text")
    return Strings.of(texts)


def _as_whole(column: pl.Series) -> pl.Series:
    """Numbers as Int64, if none has a fraction or more than 64 bits."""
    whole = column.cast(pl.Int64, strict=False)
    fits = not whole.null_count() and bool((whole.cast(column.dtype) == column).all())
    return whole if fits else column


def numbers(
    column: pl.Series, written: Written = AS_NUMBERS, *, missing: bool = False
) -> pl.Series:
    """Finite numbers as Float32; nulls stay if they may be ``missing``."""
    if column.dtype.is_nested() or column.dtype.is_temporal():
        raise InputError(f"ratings must be numbers, not {column.dtype}", where="row 1")
    if not missing:
        _refuse_first(column.is_null(), "the rating is missing")
    texts = not column.dtype.is_numeric() and (written.orders or written.comma)
    parsed = (
        written.numbers(column.cast(pl.String)) if texts else column.cast(pl.Float32, strict=False)
    )
    bad = ~parsed.is_finite().fill_null(False) & column.is_not_null()
    if bad.any():
        at = int(bad.arg_max() or 0)
        message, hint = written.complaint("rating", str(column[at]))
        raise InputError(message, where=f"row {at + 1}", hint=hint)
    return parsed


def _refuse_first(bad: pl.Series, what: str) -> None:
    if bad.any():
        place = int(bad.arg_max() or 0)
        raise InputError(what, where=f"row {place + 1}", hint="Correct or remove the row.")
