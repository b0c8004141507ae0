"""JSON lines: an object on each line, with a key for each column, as Amazon's reviews have it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np
import polars as pl

from recloak.core.arrays import Integers
from recloak.core.columns import (
    Columns,
    find_columns,
    implicit_note,
    is_personal,
    refuse_lost_ratings,
)
from recloak.core.errors import InputError
from recloak.core.frames import epoch_seconds
from recloak.core.id_encoder import Ids
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.core.string_table import Strings
from recloak.io._source import InputPath, file_errors, open_plain
from recloak.io._values import Written
from recloak.io.base import Batch, Format, Opened, Place
from recloak.io.options import OF_TEXT, ReadOptions
from recloak.io.typed_columns import numbers

_LINES = 50_000  # are read at once
_LOOKED_AT = 100
Row = dict[str, Any]


class JsonLines(Format):
    """One rating on each line: ``{"reviewerID": "A3", "asin": "0005", "overall": 5.0}``.

    Keys are columns, found by their usual names. Ids that are all whole numbers stay numbers.
    """

    name = "jsonl"
    summary = "JSON lines: an object on each line, with a key for each column"
    suffixes = (".jsonl",)

    @classmethod
    def sniff(cls, source: InputPath) -> bool:
        first = source.head.lstrip().split(b"\n", 1)[0].strip()
        return source.path.is_file() and first.startswith(b"{") and _object(first) is not None

    @classmethod
    def open(cls, source: InputPath, options: ReadOptions) -> Opened:
        options.refuse(cls.name, *OF_TEXT, "id_column", "issues")
        return OpenedJsonLines(source, options)

    @classmethod
    def write(cls, ratings: Ratings, file: IO[bytes], path: Path) -> None:
        ratings.to_polars().write_ndjson(file)


class OpenedJsonLines(Opened):
    """A file of JSON lines that is being read."""

    def __init__(self, source: InputPath, options: ReadOptions) -> None:
        super().__init__(source.path)
        if not source.head.strip():
            raise InputError("the file is empty", where=str(self.path))
        rows = self._first_rows()
        names = list(dict.fromkeys(name for row in rows for name in row))
        numeric = [name for name in names if all(_is_number(row.get(name)) for row in rows)]
        try:
            self._columns: Columns = find_columns(names, options.columns)
            if not options.implicit:
                refuse_lost_ratings(self._columns, numeric)
                self.notes.extend(implicit_note(self._columns))
        except InputError as problem:
            where = f"{self.path}, line 1"
            raise InputError(problem.what, where=where, hint=problem.hint) from None
        self._written = Written.of(options)
        self.scale = self._written.scale
        self.dropped, self.personal = self._columns.dropped, self._columns.personal
        time = self._columns.roles.get("time")
        self.dated = time is not None and time not in numeric
        self._lines: list[Integers] = []

    @property
    def column_names(self) -> Sequence[str]:
        return [*self._columns.roles.values(), *self.dropped]

    def batches(self, progress: Progress) -> Iterator[Batch]:
        self._lines, before = [], 0
        task = progress.task(f"reading {self.path.name}")
        with file_errors(self.path), open_plain(self.path) as file, task as reading:
            while texts := list(islice(file, _LINES)):
                rows = list(self._rows(texts, before))
                self._drop_new_columns(rows)
                self._lines.append(np.array([line for line, _ in rows], np.int64))
                if rows:
                    yield self._batch(rows)
                reading.advance(sum(map(len, texts)))
                before += len(texts)

    def places(self, positions: Sequence[int]) -> list[Place]:
        lines = np.concatenate(self._lines)
        return [Place(self.path, f"line {lines[position]}") for position in positions]

    def column(self, role: str) -> str:
        return self._columns.roles[role]

    def written(self, role: str) -> Iterator[pl.Series] | None:
        name = self._columns.roles.get(role)
        return self._texts(name) if name is not None else iter(())

    def _texts(self, name: str) -> Iterator[pl.Series]:
        """The cells of a column as they stand in the file: 5, 5.0 and "5" are three."""
        with file_errors(self.path), open_plain(self.path) as file:
            while texts := list(islice(file, _LINES)):
                rows = (_as_written(text) for text in texts if text.strip())
                yield pl.Series([row[name] for row in rows], dtype=pl.String)

    def _drop_new_columns(self, rows: Sequence[tuple[int, Row]]) -> None:
        """Keys that stand in later lines only are left out like any others, and named."""
        known = {*self._columns.roles.values(), *self.dropped}
        new = dict.fromkeys(name for _, row in rows for name in row if name not in known)
        self.dropped = (*self.dropped, *new)
        self.personal = (*self.personal, *filter(is_personal, new))

    def _first_rows(self) -> list[Row]:
        with file_errors(self.path), open_plain(self.path) as file:
            return [row for _, row in self._rows(list(islice(file, _LOOKED_AT)), 0)]

    def _rows(self, texts: Sequence[bytes], before: int) -> Iterator[tuple[int, Row]]:
        """The objects with the numbers of their lines; blank lines are none."""
        for line, text in enumerate(texts, before + 1):
            if not text.strip():
                continue
            if (row := _object(text)) is None:
                raise self._wrong(line, "this is not a JSON object in which each key appears once")
            yield line, row

    def _batch(self, rows: Sequence[tuple[int, Row]]) -> Batch:
        found: dict[str, Any] = {}
        for role, name in self._columns.roles.items():
            cells = [row.get(name) for _, row in rows]
            for (line, _), cell in zip(rows, cells, strict=True):
                if cell is None or isinstance(cell, bool | list | dict):
                    fault = "is missing" if cell is None else "is neither a number nor text"
                    raise self._wrong(line, f"the {role} {fault}", name)
            found[role] = self._converted(role, name, cells, rows)
        return Batch(found["user"], found["item"], found.get("rating"), found.get("time"))

    def _converted(
        self, role: str, name: str, cells: list[Any], rows: Sequence[tuple[int, Row]]
    ) -> Any:
        if role in ("user", "item"):
            return _ids(cells)
        try:
            if role == "time":
                return epoch_seconds(_series(cells)).to_numpy()
            return numbers(_series(cells), self._written).to_numpy()
        except InputError as problem:
            row = (problem.where or "row 1").partition(",")[0].removeprefix("row ")
            raise self._wrong(rows[int(row) - 1][0], problem.what, name, problem.hint) from None

    def _wrong(self, line: int, what: str, column: str = "", hint: str | None = None) -> InputError:
        where = f"{self.path}, line {line}" + (f", column {column}" if column else "")
        return InputError(what, where=where, hint=hint or "Correct or remove the line.")


def _object(text: bytes) -> Row | None:
    try:
        found = json.loads(text, object_pairs_hook=_each_key_once)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _each_key_once(pairs: list[tuple[str, Any]]) -> Row:
    """JSON's last value of a repeated key would hide the others, which stand in the file too."""
    row = dict(pairs)
    if len(row) < len(pairs):
        raise ValueError("a key appears twice")
    return row


def _as_written(text: bytes) -> dict[str, str]:
    """An object whose numbers are their texts, and whose texts are in quotes."""
    quoted = json.loads(text, parse_int=_Number, parse_float=_Number)
    return {
        name: cell if isinstance(cell, _Number) else json.dumps(cell)
        for name, cell in quoted.items()
    }


class _Number(str):
    """The text of a number."""


def _is_number(cell: Any) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _series(cells: list[Any]) -> pl.Series:
    if all(isinstance(cell, int) and abs(cell) < 2**63 for cell in cells):
        return pl.Series(cells, dtype=pl.Int64)
    if all(_is_number(cell) for cell in cells):
        return pl.Series([float(cell) for cell in cells], dtype=pl.Float64)
    return pl.Series([str(cell) for cell in cells], dtype=pl.String)


def _ids(cells: list[Any]) -> Ids:
    found = _series(cells)
    if found.dtype == pl.Int64:
        return found.to_numpy()
    return Strings.of(pl.Series([str(cell) for cell in cells], dtype=pl.String))
