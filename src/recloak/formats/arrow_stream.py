"""Arrow streams cut into pieces: each record batch as a small stream of its own.

A stream is a sequence of messages: the schema, dictionaries, record batches. Each starts with a
mark and the size of its metadata, a flatbuffer that says what it is and how long its body is
(https://arrow.apache.org/docs/format/Columnar.html, "Encapsulated message format").
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from recloak.errors import InputError

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
