"""Fields of a block as columns: ids, ratings and times, each checked to the last one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from recloak.core.arrays import Bytes, Codes, Integers, Values
from recloak.core.frames import iso_seconds
from recloak.core.id_encoder import Ids
from recloak.core.string_table import Strings, StringTable
from recloak.io._text_kernels import (
    BARE,
    QUOTED,
    join_fields,
    simple_decimals,
    whole_numbers,
    widen_fields,
)
from recloak.io._values import AS_NUMBERS, Written

MISSING = ("NA", "N/A", "NaN", "nan", "NULL", "null", "None", "none", "\\N", "#N/A")
_END_MARK = 0x1F  # a control byte, which no text has: such text is refused
_MISSING_OR_EMPTY = ("", *MISSING)
POWERS = np.array([10.0**decimals for decimals in range(9)])
_TIME_HINT = "Use seconds since 1970 or ISO dates (2005-12-31), or leave the time column out."
_ID_HINT = "Remove the row, or put quotes around a name that only looks like a missing value."


class BadCellError(Exception):
    """A field that cannot be used, by its place in the column."""

    def __init__(self, place: int, what: str, hint: str) -> None:
        super().__init__(what)
        self.place, self.what, self.hint = place, what, hint


@dataclass(frozen=True)
class TextColumn:
    """One column of a block: where its fields start and end, and which are quoted."""

    data: Bytes
    starts: Codes
    ends: Codes
    quoted: Bytes

    def __len__(self) -> int:
        return len(self.starts)

    def texts(self) -> pl.Series:
        """The fields as text; an empty field is the empty text."""
        if len(self) == 0:
            return pl.Series([], dtype=pl.String)
        out = np.empty(int((self.ends - self.starts).sum(dtype=np.int64)) + len(self), np.uint8)
        size = join_fields(self.data, self.starts, self.ends, self.quoted, _END_MARK, out)
        joined = out[: size - 1].tobytes().decode()
        return pl.Series([joined]).str.split(chr(_END_MARK)).explode()

    def as_written(self, separator: int) -> pl.Series:
        """The fields with the quotes and spaces around them: all that the file tells apart."""
        starts, ends = self.starts.copy(), self.ends.copy()
        widen_fields(self.data, starts, ends, self.quoted, separator)
        return TextColumn(self.data, starts, ends, np.zeros_like(self.quoted)).texts()

    def text(self, place: int) -> str:
        """One field as text, shortened for a message."""
        one = slice(place, place + 1)
        spans = TextColumn(self.data, self.starts[one], self.ends[one], self.quoted[one])
        text = str(spans.texts()[0])
        return text if len(text) <= 40 else f"{text[:39]}…"


def id_table() -> StringTable:
    """A table for ids; texts that stand for a missing value have its first codes."""
    return StringTable(_MISSING_OR_EMPTY)


def ids(
    spans: TextColumn, role: str, quotes_mark_text: bool, table: StringTable | None = None
) -> Ids:
    """Whole numbers if all are written as we would write them, otherwise text.

    A ``table`` is from `id_table`; it learns the texts, and those that it knows are found faster.
    """
    numbers = np.empty(len(spans), np.int64)
    fine = whole_numbers(
        spans.data, spans.starts, spans.ends, spans.quoted, quotes_mark_text, numbers
    )
    if fine == len(spans):
        return numbers
    if len(spans) and spans.quoted.min() == spans.quoted.max() <= QUOTED:
        return _coded_texts(spans, role, quotes_mark_text, id_table() if table is None else table)
    texts = spans.texts()
    missing = texts.is_in(list(_MISSING_OR_EMPTY))
    if quotes_mark_text:
        missing &= pl.Series(spans.quoted == BARE)
    _refuse_first(missing, spans, f"{role} id", "stands for a missing value", _ID_HINT)
    return Strings.of(texts)


def _coded_texts(
    spans: TextColumn, role: str, quotes_mark_text: bool, table: StringTable
) -> Strings:
    """Texts of which many may be the same; all of them are quoted, or none is."""
    found = Strings.in_spans(spans.data, spans.starts, spans.ends, table)
    if not (quotes_mark_text and spans.quoted[0] != BARE):
        missing = pl.Series(found.codes < len(_MISSING_OR_EMPTY))
        _refuse_first(missing, spans, f"{role} id", "stands for a missing value", _ID_HINT)
    return found


def ratings(spans: TextColumn, written: Written = AS_NUMBERS) -> Values:
    """Finite numbers."""
    if (numbers := _simple(spans, written)) is not None:
        return numbers
    parsed = written.numbers(spans.texts())
    _refuse_value(~parsed.is_finite().fill_null(False), spans, "rating", written)
    return parsed.to_numpy()


def answers(spans: TextColumn, written: Written = AS_NUMBERS) -> Values:
    """Finite numbers, and NaN where a value is missing."""
    if (numbers := _simple(spans, written)) is not None:
        return written.answered(numbers)
    texts = spans.texts()
    missing = texts.is_in(list(_MISSING_OR_EMPTY))
    parsed = written.numbers(texts)
    _refuse_value(~parsed.is_finite().fill_null(False) & ~missing, spans, "answer", written)
    return written.answered(parsed.set(missing, None).fill_null(np.nan).to_numpy())


def _simple(spans: TextColumn, written: Written) -> Values | None:
    """The values, if all are plain decimals, which is the usual case."""
    if written.orders:
        return None
    numbers = np.empty(len(spans), np.float64)
    fine = simple_decimals(spans.data, spans.starts, spans.ends, written.point, POWERS, numbers)
    return numbers.astype(np.float32) if fine == len(spans) else None


def times(spans: TextColumn, iso: bool) -> Integers:
    """Whole numbers as they stand, decimals without their fraction, or dates in seconds."""
    if iso:
        seconds = iso_seconds(spans.texts())
        _refuse_first(seconds.is_null(), spans, "time", "is not an ISO date", _TIME_HINT)
        return seconds.to_numpy()
    numbers = np.empty(len(spans), np.int64)
    fine = whole_numbers(spans.data, spans.starts, spans.ends, spans.quoted, False, numbers)
    if fine == len(spans):
        return numbers
    whole = spans.texts().cast(pl.Float64, strict=False).floor().cast(pl.Int64, strict=False)
    _refuse_first(whole.is_null(), spans, "time", "is not a number", _TIME_HINT)
    return whole.to_numpy()


def _refuse_first(bad: pl.Series, spans: TextColumn, role: str, otherwise: str, hint: str) -> None:
    """Complain about the first field that is bad, if any is."""
    if not bad.any():
        return
    place = int(bad.arg_max() or 0)
    text = spans.text(place)
    message = f"{role} '{text}' {otherwise}" if text else f"the {role} is missing"
    raise BadCellError(place, message, hint)


def _refuse_value(bad: pl.Series, spans: TextColumn, role: str, written: Written) -> None:
    """Complain about the first value that is bad, if any is."""
    if bad.any():
        place = int(bad.arg_max() or 0)
        raise BadCellError(place, *written.complaint(role, spans.text(place)))
