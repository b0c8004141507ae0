"""How a text file starts: its first records as text, and what their fields look like."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from recloak.errors import InputError
from recloak.formats.base import HEAD_SIZE
from recloak.formats.encoding import declared_encoding, transcoded
from recloak.formats.layout import NOT_TEXT_HINT, Record, records_of

_LOOKED_AT = 100  # records
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ].*)?", re.ASCII)
_EARLIEST_TIME = 1e8  # in seconds: 1973, before anyone rated anything on a computer
_ARCHIVES = {
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"\x1f\x8b": "a gzip archive inside another",
    b"\x28\xb5\x2f\xfd": "a zstd archive inside another",
    b"SQLite format 3": "an SQLite database",
    b"%PDF": "a PDF",
}


@dataclass(frozen=True)
class Head:
    """The start of a text file.

    Without an ``encoding`` that is declared or marked, bytes that are not UTF-8 stand in ``text``
    as surrogates, so that it can be turned back into the same bytes.
    """

    where: str
    text: str
    whole: bool
    encoding: str | None = None
    mark_bytes: int = 0
    _records: dict[str, list[Record]] = field(default_factory=dict)

    @classmethod
    def of(cls, path: Path, head: bytes, encoding: str | None) -> Head:
        """Decode the start of a file; what is no text is refused."""
        where, whole = str(path), len(head) < HEAD_SIZE
        named = declared_encoding(head, encoding)
        _refuse_binary(head, named, where)
        mark = 3 if named == "utf-8-sig" and encoding is None else 0
        if named is None or mark:
            text = head[mark:].decode("utf-8", "surrogateescape")
            return cls(where, text, whole, None, mark)
        pieces = transcoded([head], named, where, complete=whole)
        return cls(where, b"".join(pieces).decode(), whole, named)

    def records(self, separator: str) -> list[Record]:
        """The first records that are there as a whole, at least one."""
        if separator not in self._records:
            found = list(islice(records_of(self.text, separator), _LOOKED_AT + 1))
            cut = not self.whole and found and found[-1].end == len(self.text)
            self._records[separator] = (found[:-1] if cut else found)[:_LOOKED_AT]
        if not self._records[separator]:
            raise self._no_records()
        return self._records[separator]

    def extent(self, record: Record) -> tuple[int, int]:
        """How many bytes and lines there are up to the end of ``record``, the mark not counted."""
        before = self.text[: record.end]
        return len(before.encode("utf-8", "surrogateescape")), before.count("\n")

    def readable(self, text: str) -> str:
        """Text for people: bytes that are not UTF-8 as Latin-1."""
        raw = text.encode("utf-8", "surrogateescape")
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return raw.decode("cp1252", "replace")

    def _no_records(self) -> InputError:
        if not self.whole:
            return InputError("the first line is too long", where=self.where, hint=NOT_TEXT_HINT)
        said = "holds nothing but blank lines" if self.text else "the file is empty"
        return InputError(said, where=self.where)


def is_number(text: str) -> bool:
    """Is this a decimal number, as a rating or time may be written?"""
    return _NUMBER.fullmatch(text) is not None


def is_time(text: str) -> bool:
    """Does this look like a time: a date, or seconds (or finer) since 1970?"""
    if is_number(text):
        return float(text) >= _EARLIEST_TIME
    return _DATE.fullmatch(text) is not None


def _refuse_binary(head: bytes, encoding: str | None, where: str) -> None:
    kind = next((said for magic, said in _ARCHIVES.items() if head.startswith(magic)), None)
    if kind is None and (encoding is not None or b"\0" not in head):
        return
    line = 1 + head.count(b"\n", 0, max(head.find(b"\0"), 0))
    raise InputError(
        f"this is {kind}, not text" if kind else "this is binary, not text: it holds a zero byte",
        where=where if kind else f"{where}, line {line}",
        hint="Unpack or export it first." if kind else NOT_TEXT_HINT,
    )
