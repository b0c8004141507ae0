"""Blocks of plain records, the usual case: read in one go, ids by tables of known texts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from recloak.core.arrays import Bytes, Codes, Integers, Values
from recloak.core.id_encoder import Ids
from recloak.core.string_table import Strings, StringTable
from recloak.io import _cells as cells
from recloak.io._layout import TextLayout
from recloak.io._numbers import DATE, DECIMAL, SKIP, TEXT, WHOLE, number_records
from recloak.io.base import Batch

IDS = ("user", "item")
MOST_TEXTS = 1 << 20


class Workspace:
    """What a thread uses for one block after the other: texts that are known, and memory."""

    def __init__(self) -> None:
        self.tables = {role: cells.id_table() for role in IDS}
        self._make_room(0)

    def _make_room(self, records: int) -> None:
        self.wholes = np.empty((len(IDS) + 1, records), np.int64)
        self.decimals = np.empty((1, records), np.float32)
        self.starts, self.ends = np.empty((2, len(IDS), records), np.int32)

    def room_for(self, records: int) -> None:
        """Arrays for this many records; what is not touched costs no memory."""
        if self.decimals.shape[1] < records:
            self._make_room(records)

    def forget_many(self) -> None:
        """A new table for an old one that is large, so that few are in memory at once."""
        for role, table in self.tables.items():
            if len(table) > MOST_TEXTS:
                self.tables[role] = cells.id_table()


class Workspaces:
    """Workspaces that threads borrow."""

    def __init__(self) -> None:
        self._free: list[Workspace] = []

    @contextmanager
    def borrowed(self) -> Iterator[Workspace]:
        """One that nobody else uses meanwhile."""
        try:
            space = self._free.pop()
        except IndexError:
            space = Workspace()
        yield space
        space.forget_many()
        self._free.append(space)


@dataclass(frozen=True)
class _Fields:
    """What is read of a block, in a workspace: numbers by role, and where texts stand."""

    data: Bytes
    wholes: Integers
    decimals: Values
    starts: Codes
    ends: Codes
    slot_of: dict[str, int]
    texts: frozenset[str]

    def ids(self, role: str, layout: TextLayout, table: StringTable) -> Ids:
        slot = self.slot_of[role]
        if role not in self.texts:
            return np.array(self.wholes[slot])
        starts, ends = self.starts[slot], self.ends[slot]
        spans = cells.TextColumn(self.data, starts, ends, np.zeros(len(starts), np.uint8))
        return cells.ids(spans, role, layout.quotes_mark_text, table)

    def times(self) -> Integers | None:
        return self.wholes[self.slot_of["time"]].copy() if "time" in self.slot_of else None


class PlainRecords:
    """Reads blocks that hold nothing unusual; remembers which ids are texts."""

    def __init__(self, layout: TextLayout) -> None:
        self._layout = layout
        self._texts: frozenset[str] = frozenset()
        written = layout.written
        self._unusual = written.orders or chr(written.point) == layout.separator

    def batch(self, data: Bytes, space: Workspace) -> Batch | None:
        """The ratings of a block, or None if any of its fields takes a closer look."""
        fields = None if self._unusual else self._fields(data, space)
        if fields is None:
            return None
        try:
            users, items = (fields.ids(role, self._layout, space.tables[role]) for role in IDS)
        except cells.BadCellError:
            return None
        self._texts |= {
            role for role, ids in zip(IDS, (users, items), strict=True) if isinstance(ids, Strings)
        }
        values = fields.decimals.copy() if "rating" in self._layout.places else None
        return Batch(users, items, values, fields.times())

    def _fields(self, data: Bytes, space: Workspace) -> _Fields | None:
        """All fields; ids that turn out not to be numbers as texts."""
        texts = self._texts
        while True:
            fields = self._read(data, texts, space)
            if isinstance(fields, _Fields):
                return fields
            odd = {role for role in IDS if self._layout.places[role] == fields}
            if odd <= texts:
                return None
            texts |= odd

    def _read(self, data: Bytes, texts: frozenset[str], space: Workspace) -> _Fields | int:
        """All fields, or the place of one that is unusual."""
        kinds, slots, slot_of = _kinds(self._layout, texts)
        least_bytes = self._layout.width + len(self._layout.places)  # of a record
        space.room_for(len(data) // least_bytes + 1)
        count = number_records(
            data,
            *self._layout.marks[1:],
            self._layout.written.point,
            kinds,
            slots,
            cells.POWERS,
            space.wholes,
            space.decimals,
            space.starts,
            space.ends,
        )
        if count < 0:
            return -1 - count
        here = slice(0, count)
        return _Fields(
            data,
            space.wholes[:, here],
            space.decimals[0, here],
            space.starts[:, here],
            space.ends[:, here],
            slot_of,
            texts,
        )


def _kinds(layout: TextLayout, texts: frozenset[str]) -> tuple[Integers, Integers, dict[str, int]]:
    """What each field is, which row of the output takes it, and these rows by role."""
    kinds, slots = np.full(layout.width, SKIP), np.zeros(layout.width, np.int64)
    slot_of = {"user": 0, "item": 1, **({"time": 2} if "time" in layout.places else {})}
    for role, place in layout.places.items():
        slots[place] = slot_of.get(role, 0)
        kinds[place] = DECIMAL if role == "rating" else TEXT if role in texts else WHOLE
        if role == "time" and layout.iso_times:
            kinds[place] = DATE
    return kinds, slots, slot_of
