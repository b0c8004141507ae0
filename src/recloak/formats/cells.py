"""Fields of a block as columns: ids, ratings and times, each checked to the last one."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from recloak.coding import Ids
from recloak.frames import iso_seconds
from recloak.kernels.records import BARE, DOUBLED, join_fields, simple_decimals, whole_numbers
from recloak.texts import Texts

MISSING = ("NA", "N/A", "NaN", "nan", "NULL", "null", "None", "none", "\\N", "#N/A")
_END_MARK = 0x1F  # a control byte, which no text has: such text is refused
_MISSING_OR_EMPTY = frozenset(["", *MISSING])
_LONGEST_MISSING = max(map(len, MISSING))
POWERS = np.array([10.0**decimals for decimals in range(9)])
_RATING_HINT = "Correct the value or remove the row."
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
_TIME_HINT = "Use seconds since 1970 or ISO dates (2005-12-31), or leave the time column out."
_ID_HINT = "Remove the row, or put quotes around a name that only looks like a missing value."


class BadCellError(Exception):
    """A field that cannot be used, by its place in the column."""

    def __init__(self, place: int, what: str, hint: str) -> None:
        super().__init__(what)
        self.place, self.what, self.hint = place, what, hint


@dataclass(frozen=True)
class Spans:
    """One column of a block: where its fields start and end, and which are quoted."""

    data: NDArray[np.uint8]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    quoted: NDArray[np.uint8]

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

    def text(self, place: int) -> str:
        """One field as text, shortened for a message."""
        one = slice(place, place + 1)
        spans = Spans(self.data, self.starts[one], self.ends[one], self.quoted[one])
        text = str(spans.texts()[0])
        return text if len(text) <= 40 else f"{text[:39]}…"


def ids(spans: Spans, role: str, quotes_mark_text: bool) -> Ids:
    """Whole numbers if all are written as we would write them, otherwise text."""
    numbers = np.empty(len(spans), np.int64)
    fine = whole_numbers(
        spans.data, spans.starts, spans.ends, spans.quoted, quotes_mark_text, numbers
    )
    if fine == len(spans):
        return numbers
    if len(spans) and spans.quoted.min() == spans.quoted.max() != DOUBLED:
        return _coded_texts(spans, role, quotes_mark_text)
    texts = spans.texts()
    missing = texts.is_in(list(_MISSING_OR_EMPTY))
    if quotes_mark_text:
        missing &= pl.Series(spans.quoted == BARE)
    _refuse_first(missing, spans, f"{role} id", "stands for a missing value", _ID_HINT)
    return Texts.of(texts)


def _coded_texts(spans: Spans, role: str, quotes_mark_text: bool) -> Texts:
    """Texts of which many may be the same; all of them are quoted, or none is."""
    found = Texts.in_spans(spans.data, spans.starts, spans.ends)
    if not (quotes_mark_text and spans.quoted[0] != BARE):
        short = np.flatnonzero(found.table.lengths <= _LONGEST_MISSING)
        labels = zip(short, found.table.labels(short), strict=True)
        missing = [code for code, label in labels if label in _MISSING_OR_EMPTY]
        if missing:
            unusable = pl.Series(np.isin(found.codes, missing))
            _refuse_first(unusable, spans, f"{role} id", "stands for a missing value", _ID_HINT)
    return found


def ratings(spans: Spans) -> NDArray[np.float32]:
    """Finite numbers."""
    numbers = np.empty(len(spans), np.float64)
    if simple_decimals(spans.data, spans.starts, spans.ends, POWERS, numbers) == len(spans):
        return numbers.astype(np.float32)
    parsed = spans.texts().cast(pl.Float32, strict=False)
    unusable = ~parsed.is_finite().fill_null(False)
    _refuse_first(unusable, spans, "rating", "is not a number", _RATING_HINT)
    return parsed.to_numpy()


def answers(spans: Spans) -> NDArray[np.float32]:
    """Finite numbers, and NaN where a value is missing."""
    numbers = np.empty(len(spans), np.float64)
    if simple_decimals(spans.data, spans.starts, spans.ends, POWERS, numbers) == len(spans):
        return numbers.astype(np.float32)
    texts = spans.texts()
    missing = texts.is_in(list(_MISSING_OR_EMPTY))
    parsed = texts.cast(pl.Float32, strict=False)
    unusable = ~parsed.is_finite().fill_null(False) & ~missing
    _refuse_first(unusable, spans, "answer", "is not a number", _RATING_HINT)
    return parsed.set(missing, None).fill_null(np.nan).to_numpy()


def times(spans: Spans, iso: bool) -> NDArray[np.int64]:
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


def _refuse_first(bad: pl.Series, spans: Spans, role: str, otherwise: str, hint: str) -> None:
    """Complain about the first field that is bad, if any is."""
    if not bad.any():
        return
    place = int(bad.arg_max() or 0)
    text = spans.text(place)
    said = f"{role} '{text}' {otherwise}" if text else f"the {role} is missing"
    if _DECIMAL_COMMA.fullmatch(text):
        said, hint = f"{role} '{text}' has a decimal comma", "Write numbers with a point: 3.5."
    raise BadCellError(place, said, hint)
