"""Id encoder: ids become small numbers, batch by batch; each label is stored once."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import polars as pl
from numpy.typing import NDArray

from recloak.core.arrays import Codes, Indices, Integers, Labels
from recloak.core.errors import InputError
from recloak.core.kernels.id_codes import code_by_hash, code_by_table, ends_of, fill_slots
from recloak.core.ordering import frozen
from recloak.core.string_table import Strings, StringTable

Ids = NDArray[np.int64] | Strings
_TABLE_LIMIT = 1 << 24  # numbers nearer together than this are looked up, others hashed
_SLICE = 1 << 20


class IdEncoder:
    """Codes for a column of ids; a column that turns out to be text gets its numbers as text.

    Codes count from 0 in the order in which ids are first seen; `ranked` gives the final order.
    """

    def __init__(self) -> None:
        self._numbers = _NumberEncoder()
        self._strings: StringTable | None = None
        self._translations: WeakKeyDictionary[StringTable, Codes] = WeakKeyDictionary()

    def codes(self, ids: Ids) -> Codes:
        """Codes of more ids."""
        if self._strings is None and isinstance(ids, np.ndarray):
            return self._numbers.codes(frozen(ids))
        if self._strings is None:
            self._strings = StringTable()
            for number in self._numbers.labels.tolist():
                self._strings.code_of(str(number))
        if isinstance(ids, np.ndarray):
            ids = Strings.of(pl.Series(ids).cast(pl.String))
        return self._translated(ids, self._strings)

    def _translated(self, ids: Strings, known: StringTable) -> Codes:
        """Our codes for those of a table, which may hold texts of other columns as well."""
        size, code_of = len(ids.table), self._translations.get(ids.table)
        if code_of is None or len(code_of) < size:
            before = np.empty(0, np.int32) if code_of is None else code_of
            code_of = np.full(max(size, 2 * len(before)), -1, np.int32)
            code_of[: len(before)] = before
            self._translations[ids.table] = code_of
        codes: Codes = code_of[ids.codes]
        if codes.min(initial=0) < 0:
            first = _first_seen(ids.codes[codes < 0], size)
            code_of[first] = known.codes(*ids.table.spans(first))
            codes = code_of[ids.codes]
        return codes

    def ranked(self) -> tuple[Labels, Codes]:
        """The labels in order (numbers as numbers, text as text), and the rank of each code."""
        labels: Labels = self._numbers.labels
        if self._strings is not None:
            labels = np.empty(len(self._strings), dtype=object)
            labels[:] = self._strings.labels()
        order = _order_of(labels)
        rank = np.empty(len(labels), np.int32)
        rank[order] = np.arange(len(labels), dtype=np.int32)
        return labels[order], rank

    def code_of(self, label: Any) -> int:
        """The code of one label, which must be known."""
        if self._strings is not None:
            return self._strings.code_of(label)
        return int(np.flatnonzero(self._numbers.labels == label)[0])


def _first_seen(codes: Codes, size: int) -> Codes:
    """Each of the codes below ``size`` once, in the order in which they are first seen."""
    codes = codes[np.concatenate([[True], codes[1:] != codes[:-1]])]  # files are often in order
    seen_at = np.empty(size, np.int64)
    places = np.arange(len(codes))
    seen_at[codes[::-1]] = places[::-1]
    return np.asarray(codes[seen_at[codes] == places])


def _order_of(labels: Labels) -> Indices:
    """What sorts labels that all differ; Polars compares texts as Python does, only faster."""
    if labels.dtype != object:
        return np.argsort(labels, kind="stable")
    return pl.Series(labels, dtype=pl.String).arg_sort().to_numpy()


def encode(column: Any, role: str) -> tuple[Codes, Labels, Codes]:
    """Codes of a whole column of ids, its labels in order, and the rank of each code."""
    series = _ids_column(column, role)
    encoder = IdEncoder()
    starts = range(0, len(series), _SLICE)
    pieces = [encoder.codes(ids_of(series.slice(start, _SLICE))) for start in starts]
    codes = np.concatenate(pieces) if pieces else np.empty(0, np.int32)
    return codes, *encoder.ranked()


def _ids_column(column: Any, role: str) -> pl.Series:
    """A column of ids as whole numbers or text; nobody goes without one."""
    try:
        series = column if isinstance(column, pl.Series) else _series(column)
        missing = series.is_null()
        if series.dtype.is_float():
            missing |= series.is_nan()
            if bool((series == series.floor()).fill_null(True).all()):
                series = series.cast(pl.Int64, strict=not missing.any())
        if missing.any():
            at = int(missing.arg_max() or 0)
            raise InputError(f"the {role} id is missing", where=f"rating {at + 1}")
        return series.cast(pl.Int64 if series.dtype.is_integer() else pl.String)
    except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError) as problem:
        raise InputError(
            f"the {role} ids are neither whole numbers nor text",
            where=f"column {role}",
            hint=str(problem).splitlines()[0],
        ) from None


def _series(column: Any) -> pl.Series:
    """Any sequence as a column; NumPy would cut zero bytes off the end of texts."""
    if isinstance(column, list | tuple) and any(isinstance(each, str) for each in column):
        return pl.Series([None if each is None else str(each) for each in column])
    return pl.Series(np.asarray(column))


def ids_of(column: pl.Series) -> Ids:
    """A column of Int64 or String, without nulls, as ids."""
    return column.to_numpy() if column.dtype == pl.Int64 else Strings.of(column)


class _NumberEncoder:
    """Numbers with their codes: in a table while they lie close together, hashed otherwise."""

    def __init__(self) -> None:
        self._count = 0
        self._labels = np.empty(0, np.int64)
        self._low = 0
        self._table = np.empty(0, np.int32)
        self._slots: Codes | None = None

    @property
    def labels(self) -> Integers:
        return self._labels[: self._count]

    def codes(self, numbers: Integers) -> Codes:
        codes = np.empty(len(numbers), np.int32)
        if len(numbers) == 0:
            return codes
        self._labels = _grown(self._labels, self._count + len(numbers), 0)
        if self._slots is None:
            self._cover(*ends_of(numbers))
        if self._slots is None:
            self._count = code_by_table(
                numbers, self._low, self._table, self._labels, self._count, codes
            )
        else:
            self._slots = self._roomy(self._slots, len(numbers))
            self._count = code_by_hash(numbers, self._slots, self._labels, self._count, codes)
        return codes

    def _cover(self, low: int, high: int) -> None:
        """Make the table reach from ``low`` to ``high``, or give it up for a hash table."""
        if len(self._table):
            low, high = min(low, self._low), max(high, self._low + len(self._table) - 1)
            if low == self._low and high < low + len(self._table):
                return
        span = int(high) - int(low) + 1
        if span > _TABLE_LIMIT:
            self._slots, self._table = np.empty(0, np.int32), np.empty(0, np.int32)
            return
        table = np.full(min(max(span, 2 * len(self._table)), _TABLE_LIMIT), -1, np.int32)
        shift = self._low - low if len(self._table) else 0
        table[shift : shift + len(self._table)] = self._table
        self._low, self._table = low, table

    def _roomy(self, slots: Codes, more: int) -> Codes:
        """A hash table that has room for ``more`` numbers."""
        if len(slots) >= 2 * (self._count + more):
            return slots
        size = 1 << (2 * (self._count + more) * 2 - 1).bit_length()
        slots = np.full(size, -1, np.int32)
        fill_slots(self.labels, slots)
        return slots


def _grown(array: Integers, size: int, fill: int) -> Integers:
    """The array itself if it is long enough, or a copy of twice the length."""
    if len(array) >= size:
        return array
    grown = np.full(max(size, 2 * len(array)), fill, np.int64)
    grown[: len(array)] = array
    return grown
