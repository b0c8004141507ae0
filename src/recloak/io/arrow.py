"""Arrow and Feather: the IPC file and the IPC stream."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import IO, NamedTuple

import polars as pl

from recloak.core.errors import InputError
from recloak.core.frames import to_polars
from recloak.core.ratings import Ratings
from recloak.io._source import InputPath
from recloak.io._tables import RatingsTable, TypedTable
from recloak.io.base import Format, Opened
from recloak.io.options import ReadOptions

CONTINUATION = b"\xff\xff\xff\xff"
_END = CONTINUATION + bytes(4)
_LONGEST = 1 << 31
_SCHEMA, _DICTIONARY, _RECORDS = 1, 2, 3
_HEADER_TYPE, _BODY_LENGTH = 1, 3  # fields of the table Message


class Message(NamedTuple):
    """One message: what it holds, and its bytes."""

    kind: int
    content: bytes


def messages(path: Path) -> Iterator[bytes]:
    """A stream for each record batch, with the schema and the dictionaries before it.

    The schema alone comes first, as a stream without rows.
    """
    with path.open("rb") as file:
        schema = _next(file, path)
        if schema is None or schema.kind != _SCHEMA:
            raise _damaged(path, "it does not start with a schema")
        before = schema.content
        yield before + _END
        while (message := _next(file, path)) is not None:
            if message.kind == _DICTIONARY:
                before += message.content
            elif message.kind == _RECORDS:
                yield before + message.content + _END


def is_ended(path: Path) -> bool:
    """Does the stream say that it is complete?"""
    with path.open("rb") as file:
        file.seek(-min(len(_END), path.stat().st_size), os.SEEK_END)
        return file.read() == _END


def _next(file: IO[bytes], path: Path) -> Message | None:
    """The next message; None at the end of the stream."""
    start = file.read(8)
    if not start or start == _END:
        return None
    size = int.from_bytes(start[4:], "little", signed=True)
    if len(start) < 8 or not start.startswith(CONTINUATION) or not 0 < size < _LONGEST:
        raise _damaged(path, "a message does not start where it should")
    metadata = file.read(size)
    try:
        kind = _field(metadata, _HEADER_TYPE, "<B")
        length = _field(metadata, _BODY_LENGTH, "<q")
    except struct.error:
        raise _damaged(path, "a message cannot be read") from None
    if not 0 <= length < _LONGEST:
        raise _damaged(path, "a message has an impossible length")
    body = file.read(length)
    if len(metadata) < size or len(body) < length:
        raise _damaged(path, "it ends within a message")
    return Message(kind, start + metadata + body)


def _field(flatbuffer: bytes, number: int, form: str) -> int:
    """A field of the root table of a flatbuffer, 0 if it is left out."""
    (table,) = struct.unpack_from("<I", flatbuffer)
    (back,) = struct.unpack_from("<i", flatbuffer, table)
    entries = table - back
    if not 0 <= entries < len(flatbuffer):
        raise struct.error
    (size,) = struct.unpack_from("<H", flatbuffer, entries)
    if 4 + 2 * number >= size:
        return 0
    (place,) = struct.unpack_from("<H", flatbuffer, entries + 4 + 2 * number)
    return int(struct.unpack_from(form, flatbuffer, table + place)[0]) if place else 0


def _damaged(path: Path, why: str) -> InputError:
    return InputError(
        f"the Arrow stream is damaged or cut short: {why}",
        where=str(path),
        hint="Copy or export it again.",
    )


_FILE_MAGIC = b"ARROW1"
_ROWS = 1 << 20


class Arrow(Format):
    """Arrow IPC, as a file (Feather is the same) or a stream, columns under their usual names."""

    name = "arrow"
    summary = "Apache Arrow and Feather: IPC file or stream"
    suffixes = (".arrow", ".feather", ".ipc", ".arrows")
    text = False

    @classmethod
    def sniff(cls, source: InputPath) -> bool:
        return source.head.startswith((_FILE_MAGIC, CONTINUATION))

    @classmethod
    def open(cls, source: InputPath, options: ReadOptions) -> Opened:
        return ArrowRatings(source, options)

    @classmethod
    def write(cls, ratings: Ratings, file: IO[bytes], path: Path) -> None:
        frame = to_polars(ratings)
        if path.suffix.lower() == ".arrows":
            frame.write_ipc_stream(file)
        else:
            frame.write_ipc(file, compression="zstd", record_batch_size=_ROWS)


class ArrowTable(TypedTable):
    """How an Arrow file or stream is read, whatever its columns mean."""

    kind = "Arrow"

    def schema_of_file(self, head: bytes) -> Mapping[str, pl.DataType]:
        self._is_file = head.startswith(_FILE_MAGIC)
        if self._is_file:
            return pl.read_ipc_schema(self.path)
        if not is_ended(self.path):
            self.notes.append("The Arrow stream has no end mark; it may have been cut short.")
        first = next(messages(self.path))
        return pl.read_ipc_stream(BytesIO(first)).schema

    def count(self) -> int | None:
        if not self._is_file:
            return None
        return int(pl.scan_ipc(self.path, glob=False).select(pl.len()).collect().item())

    def frames(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        if self._is_file:
            lazy = pl.scan_ipc(self.path, glob=False).select(names)
            return iter(lazy.collect_batches(maintain_order=True))
        return (pl.read_ipc_stream(BytesIO(part)).select(names) for part in messages(self.path))


class ArrowRatings(RatingsTable, ArrowTable):
    """An Arrow file or stream with a row for each rating."""
