"""Text as UTF-8, and the start of a text file.

Other encodings are declared, marked at the start of the file, or inferred from the bytes.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from recloak.core.errors import InputError, ParameterError
from recloak.io._layout import NOT_TEXT_HINT, TextRecord, escapes_quotes, records_of
from recloak.io._source import HEAD_SIZE

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_MULTI_BYTE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_NOT_LATIN = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")  # undefined in Windows-1252
LATIN_NOTE = (
    "The text is not UTF-8 and was read as Latin-1 (Windows-1252); "
    "if names look wrong, give --encoding."
)

ESCAPES_NOTE = (
    'Quotes inside fields were taken to be written \\"; if that is wrong, say --quotes doubled.'
)


def declared_encoding(head: bytes, encoding: str | None) -> str | None:
    """The encoding that the user declares or a mark at the start gives; None if neither does."""
    if encoding is None:
        return next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
    try:
        io.TextIOWrapper(io.BytesIO(), encoding)  # refuses encodings that are not of text
    except (LookupError, ValueError):
        raise ParameterError(
            f"'{encoding}' is not a text encoding",
            where="--encoding",
            hint="Usual ones: utf-8, latin-1, cp1252, utf-16.",
        ) from None
    return encoding


def transcoded(
    chunks: Iterable[bytes], encoding: str | None, where: str, *, complete: bool = True
) -> Iterator[bytes]:
    """Chunks of a file in ``encoding`` as UTF-8; as they are if no encoding is declared.

    If the chunks are not the ``complete`` file, a letter may be cut at their end.
    """
    if encoding is None:
        yield from chunks
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    lines = 1
    for chunk in chain(chunks, [b""]):
        try:
            text = decoder.decode(chunk, final=complete and not chunk)
            data = text.encode()
        except UnicodeError as problem:
            raise InputError(
                f"the text is not {encoding}: {_reason(problem)}",
                where=f"{where}, line {lines + _lines_before(problem, encoding)}",
                hint="Give the right --encoding, or none to let it be found.",
            ) from problem
        lines += text.count("\n")
        yield data


class Utf8:
    """Checks blocks for UTF-8, one after the other, or reads them as Latin-1 if they never were.

    A file with valid UTF-8 letters in one place and invalid bytes in another is damaged, and
    reading it as Latin-1 would turn names into gibberish; so this is refused.
    """

    def __init__(self, where: str) -> None:
        self.where = where
        self._strange: StrangeByte | None = None
        self._letter: StrangeByte | None = None

    @property
    def latin(self) -> bool:
        """Was there a byte that is not UTF-8?"""
        return self._strange is not None

    def __call__(self, block: bytes, line: int) -> bytes:
        """The block as UTF-8; ``line`` is its first."""
        if block.isascii():
            return block
        bad, letter = _first_undecodable(block), _MULTI_BYTE.search(block)
        if self._strange is None and bad is not None:
            self._strange = StrangeByte.at(block, bad, line)
        if self._letter is None and letter is not None:
            self._letter = StrangeByte.at(block, letter.start(), line)
        if self._strange is None:
            return block
        if self._letter is not None:
            beside = f"is not UTF-8, but line {self._letter.line} holds letters in UTF-8"
            raise self._broken(self._strange, beside)
        if undefined := _NOT_LATIN.search(block):
            undecodable = StrangeByte.at(block, undefined.start(), line)
            raise self._broken(undecodable, "is neither UTF-8 nor Windows-1252")
        return block.decode("cp1252").encode()

    def _broken(self, strange: StrangeByte, fault: str) -> InputError:
        return InputError(
            f"the text encoding is broken: byte 0x{strange.byte:02x} {fault}",
            where=f"{self.where}, line {strange.line}",
            hint="Repair the file, or say how it is encoded: --encoding latin-1.",
        )


class StrangeByte(NamedTuple):
    """A byte that tells about the encoding, and its line."""

    byte: int
    line: int

    @classmethod
    def at(cls, block: bytes, at: int, first_line: int) -> StrangeByte:
        return cls(block[at], first_line + block.count(10, 0, at))


def _first_undecodable(block: bytes) -> int | None:
    try:
        block.decode()
    except UnicodeDecodeError as problem:
        return problem.start
    return None


def _reason(problem: UnicodeError) -> str:
    if not isinstance(problem, UnicodeDecodeError):
        return str(getattr(problem, "reason", problem))
    return f"byte 0x{problem.object[problem.start]:02x}, {problem.reason}"


def _lines_before(problem: UnicodeError, encoding: str) -> int:
    if not isinstance(problem, UnicodeDecodeError):
        return 0
    try:
        return problem.object[: problem.start].decode(encoding, "replace").count("\n")
    except UnicodeError:  # an encoding that cannot pass over what is wrong
        return 0


_LOOKED_AT = 100  # records
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+", re.ASCII)
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
class TextHead:
    """The start of a text file.

    If no ``encoding`` is declared or marked, ``text`` holds bytes that are not UTF-8 as
    surrogates, so that it can be turned back into the same bytes.
    """

    where: str
    text: str
    whole: bool
    encoding: str | None = None
    mark_bytes: int = 0
    quotes: str | None = "doubled"
    _records: dict[str, list[TextRecord]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, path: Path, head: bytes, encoding: str | None, quotes: str | None = "doubled"
    ) -> TextHead:
        """Decode the start of a file; raise `InputError` if it is not text.

        ``quotes`` says how quotes inside fields are written; None: that is found out.
        """
        where, whole = str(path), len(head) < HEAD_SIZE
        named = declared_encoding(head, encoding)
        _refuse_binary(head, named, where)
        mark = 3 if named == "utf-8-sig" and encoding is None else 0
        if named is None or mark:
            text = head[mark:].decode("utf-8", "surrogateescape")
            return cls(where, text, whole, None, mark, quotes)
        pieces = transcoded([head], named, where, complete=whole)
        return cls(where, b"".join(pieces).decode(), whole, named, 0, quotes)

    @property
    def escapes(self) -> bool | None:
        """Do quotes inside fields stand behind backslashes? None: it shows as the file is read."""
        return None if self.quotes is None else self.quotes == "backslash"

    @cached_property
    def _escapes_here(self) -> bool:
        if self.quotes is None:
            return escapes_quotes(self.text.encode("utf-8", "surrogateescape"))
        return self.quotes == "backslash"

    def records(self, separator: str) -> list[TextRecord]:
        """The first complete records; raise `InputError` if there is none."""
        if separator not in self._records:
            found = list(islice(self._records_by(separator), _LOOKED_AT + 1))
            cut = not self.whole and found and found[-1].end == len(self.text)
            self._records[separator] = (found[:-1] if cut else found)[:_LOOKED_AT]
        if not self._records[separator]:
            raise self._no_records()
        return self._records[separator]

    def _records_by(self, separator: str) -> Iterator[TextRecord]:
        return records_of(self.text, separator, escapes=self._escapes_here)

    def extent(self, record: TextRecord) -> tuple[int, int]:
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
        message = "holds nothing but blank lines" if self.text else "the file is empty"
        return InputError(message, where=self.where)


def is_number(text: str) -> bool:
    """Is this a decimal number, as a rating or time may be written?"""
    return _NUMBER.fullmatch(text) is not None


def may_be_number(text: str) -> bool:
    """Is this a decimal number, with a point or a comma?"""
    return is_number(text) or _DECIMAL_COMMA.fullmatch(text) is not None


def is_time(text: str) -> bool:
    """Does this look like a time: a date, or seconds (or finer) since 1970?"""
    if is_number(text):
        return float(text) >= _EARLIEST_TIME
    return _DATE.fullmatch(text) is not None


def _refuse_binary(head: bytes, encoding: str | None, where: str) -> None:
    kind = next((archive for magic, archive in _ARCHIVES.items() if head.startswith(magic)), None)
    if kind is None and (encoding is not None or b"\0" not in head):
        return
    line = 1 + head.count(b"\n", 0, max(head.find(b"\0"), 0))
    raise InputError(
        f"this is {kind}, not text" if kind else "this is binary, not text: it holds a zero byte",
        where=where if kind else f"{where}, line {line}",
        hint="Unpack or export it first." if kind else NOT_TEXT_HINT,
    )
