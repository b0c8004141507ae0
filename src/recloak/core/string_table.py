"""String table: texts and their codes; each text is stored once, as bytes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from recloak.core.arrays import Bytes, Codes, Integers, Offsets, Words
from recloak.core.kernels.id_codes import code_texts, fill_marked_slots, split_at
from recloak.core.ordering import frozen

N = TypeVar("N", np.uint8, np.int64, np.uint64)
_FEWEST = 1 << 6
_MARK = "\x1f"  # unit separator, which ids hardly have; if one does, a slower way is taken


class StringTable:
    """Texts in the order in which they were first seen.

    What is known never changes, so one thread may ask for texts while another adds some.
    """

    def __init__(self, first: Iterable[str] = ()) -> None:
        self._count = 0
        self._known: Bytes = np.empty(_FEWEST, np.uint8)
        self._bounds: Offsets = np.zeros(_FEWEST + 1, np.int64)
        self._hashes: Integers = np.empty(_FEWEST, np.int64)
        self._short: Words = np.empty((_FEWEST, 2), np.uint64)
        self._slots = np.full(_FEWEST, -1, np.int64)
        for text in first:
            self.code_of(text)

    def __len__(self) -> int:
        return self._count

    def spans(self, codes: Codes) -> tuple[Bytes, Codes, Codes]:
        """Some of the texts: all bytes, and where each of them starts and ends."""
        starts, ends = self._bounds[codes], self._bounds[codes + 1]
        return frozen(self._known), starts.astype(np.int32), ends.astype(np.int32)

    def codes(self, data: Bytes, starts: Codes, ends: Codes) -> Codes:
        """Codes of more texts, given as spans of bytes (UTF-8)."""
        codes = np.empty(len(starts), np.int32)
        done = 0
        while True:
            done, self._count = code_texts(
                data,
                starts,
                ends,
                done,
                self._slots,
                self._hashes,
                self._short,
                self._known,
                self._bounds,
                self._count,
                codes,
            )
            if done == len(starts):
                return codes
            self._make_room(int(ends[done] - starts[done]))

    def labels(self, codes: Iterable[int] | None = None) -> list[str]:
        """The texts themselves, all or those with these codes."""
        if codes is None:
            bounds = self._bounds[: self._count + 1].tolist()
            data = self._known[: bounds[-1]].tobytes()
            if data.isascii():
                text = data.decode()
                return [text[start:end] for start, end in pairwise(bounds)]
            return [data[start:end].decode() for start, end in pairwise(bounds)]
        pieces = (self._known[self._bounds[code] : self._bounds[code + 1]] for code in codes)
        return [piece.tobytes().decode() for piece in pieces]

    def code_of(self, text: str) -> int:
        """The code of one text; it gets one if it has none."""
        raw = np.frombuffer(text.encode() or b" ", np.uint8)
        size = len(text.encode())
        return int(self.codes(raw, np.zeros(1, np.int32), np.full(1, size, np.int32))[0])

    def _make_room(self, size: int) -> None:
        """Room for one more text with this many bytes, and for as many as there are."""
        count, used = self._count, int(self._bounds[self._count])
        self._known = _grown(self._known, used + size)
        if count < len(self._slots) // 2:
            return
        self._slots = np.full(2 * len(self._slots), -1, np.int64)
        self._bounds = _grown(self._bounds, len(self._slots) + 1)
        self._hashes = _grown(self._hashes, len(self._slots))
        self._short = _grown(self._short, len(self._slots))
        fill_marked_slots(self._hashes[:count], self._bounds, self._slots)


class Strings:
    """A column of texts: codes, and the table that says what they stand for."""

    def __init__(self, codes: Codes, table: StringTable) -> None:
        self.codes, self.table = codes, table

    def __len__(self) -> int:
        return len(self.codes)

    @classmethod
    def of(cls, column: pl.Series) -> Strings:
        """From a column of Polars, without nulls."""
        if len(column) == 0:
            return cls(np.empty(0, np.int32), StringTable())
        joined = np.frombuffer(str(column.str.join(_MARK)[0]).encode() or b" ", np.uint8)
        starts, ends = np.empty((2, len(column)), np.int32)
        if len(joined) < 2**31 and split_at(joined, ord(_MARK), starts, ends) == len(column):
            return cls.in_spans(joined, starts, ends)
        table = StringTable()
        return cls(np.array([table.code_of(text) for text in column], np.int32), table)

    @classmethod
    def in_spans(
        cls, data: Bytes, starts: Codes, ends: Codes, table: StringTable | None = None
    ) -> Strings:
        """From fields of a block of bytes; ``table`` may know some of them."""
        table = StringTable() if table is None else table
        return cls(table.codes(data, starts, ends), table)

    def to_list(self) -> list[str]:
        """The texts one by one."""
        labels = self.table.labels()
        return [labels[code] for code in self.codes]


def _grown(array: NDArray[N], size: int) -> NDArray[N]:
    """The array itself if it is long enough, or a copy of at least twice the length."""
    if len(array) >= size:
        return array
    grown = np.empty((max(size, 2 * len(array)), *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown
