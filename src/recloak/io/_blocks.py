"""Text files as blocks of whole records, so that memory is bounded and blocks parse in parallel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recloak.core.arrays import Bytes
from recloak.core.errors import InputError
from recloak.io._layout import NOT_TEXT_HINT, TextLayout, escapes_quotes
from recloak.io._source import chunks
from recloak.io._text_head import Utf8, transcoded
from recloak.io._text_kernels import last_record_end

BLOCK_SIZE = 2 << 20
_LONGEST_RECORD = 64 << 20


@dataclass(frozen=True)
class Block:
    """Whole records in UTF-8, the last line ended; ``line`` is the number of the first line."""

    data: Bytes
    line: int
    latin: bool
    escapes: bool = False
    """Do quotes inside its fields stand behind backslashes?"""

    def line_at(self, position: int) -> int:
        """The number of the line that holds the byte at ``position``."""
        return self.line + _lines_in(self.data[:position])


def read_blocks(path: Path, layout: TextLayout, block_size: int = BLOCK_SIZE) -> Iterator[Block]:
    """The records of ``path`` after its header."""
    line, utf8 = layout.first_line, Utf8(str(path))
    for raw, escapes in _whole_records(path, layout, block_size):
        ended = raw if raw.endswith(b"\n") else raw + b"\n"
        data = np.frombuffer(ended if layout.encoding else utf8(ended, line), dtype=np.uint8)
        yield Block(data, line, utf8.latin, escapes)
        line += _lines_in(data)


def _whole_records(path: Path, layout: TextLayout, block_size: int) -> Iterator[tuple[bytes, bool]]:
    """The file without its header, cut where records end; do quotes stand behind backslashes?"""
    rest, escapes = b"", bool(layout.escapes)
    for chunk in _without(layout.skipped_bytes, _text_chunks(path, layout, block_size)):
        rest += chunk
        if layout.escapes is None and layout.quoting and not escapes:
            escapes = b"\\" in rest and escapes_quotes(rest[: rest.rfind(b"\n") + 1])
        end = _record_end(rest, layout, escapes)
        if end == 0 and len(rest) > _LONGEST_RECORD:
            end = _refuse_long_line(path, rest)
        if end:
            yield rest[:end], escapes
            rest = rest[end:]
    if rest:
        yield rest, escapes or (layout.escapes is None and layout.quoting and escapes_quotes(rest))


def _text_chunks(path: Path, layout: TextLayout, block_size: int) -> Iterator[bytes]:
    yield from transcoded(chunks(path, block_size), layout.encoding, str(path))


def _without(skipped: int, pieces: Iterator[bytes]) -> Iterator[bytes]:
    for chunk in pieces:
        yield chunk[skipped:]
        skipped = max(0, skipped - len(chunk))


def _record_end(text: bytes, layout: TextLayout, escapes: bool) -> int:
    end = text.rfind(b"\n") + 1
    if end == 0 or not layout.quoting or text.find(b'"', 0, end) < 0:
        return end
    return int(last_record_end(np.frombuffer(text, np.uint8, end), *layout.marks, escapes))


def _refuse_long_line(path: Path, text: bytes) -> int:
    """A quote that never closes is for the parser to complain about, which knows its line."""
    if b"\n" in text:
        return len(text)
    megabytes = _LONGEST_RECORD >> 20
    raise InputError(f"a line is longer than {megabytes} MB", where=str(path), hint=NOT_TEXT_HINT)


def _lines_in(data: Bytes) -> int:
    return int(np.count_nonzero(data == ord("\n")))
