"""Basket lists: what was bought or clicked together, one basket on each line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from recloak.core.arrays import Bytes, Codes, Integers
from recloak.core.columns import Duplicates
from recloak.core.errors import InputError
from recloak.core.kernels import kernel
from recloak.core.progress import Progress
from recloak.core.scale import IMPLICIT
from recloak.io import _cells as cells
from recloak.io._blocks import BLOCK_SIZE, Block, read_blocks
from recloak.io._delimited import WORKERS, in_order
from recloak.io._layout import TextLayout, checked_separator
from recloak.io._source import InputPath
from recloak.io._text_head import TextHead
from recloak.io._text_kernels import FINE as LINE_ENDS
from recloak.io._text_kernels import next_line
from recloak.io.base import Batch, Format, Opened, Place
from recloak.io.options import ReadOptions

FINE, EMPTY, UNUSABLE = range(3)
_TAB, _SPACE, _QUOTE = 9, 32, 34
_LINE_BYTES = (10, 13)


@kernel
def past_blanks(data: Bytes, at: int) -> int:
    """Past spaces and tabs."""
    while data[at] == _SPACE or data[at] == _TAB:
        at += 1
    return at


@kernel
def item_at(data: Bytes, at: int, separator: int, spaced: bool) -> tuple[int, int]:
    """The end of the item at ``at`` without its blanks, and the place of what stopped it."""
    end = at
    while data[at] != separator and data[at] != _QUOTE:
        blank = data[at] == _SPACE or data[at] == _TAB
        if (blank and spaced) or (data[at] < _SPACE and not blank):
            break
        at += 1
        end = end if blank else at
    return end, at


@kernel
def split_baskets(
    data: Bytes, separator: int, starts: Codes, ends: Codes, lines: Codes
) -> tuple[int, int, int]:
    """Find all items: how many, what ended the walk, and where.

    ``data`` ends with a line feed. If a blank separates, several do as well, spaces and tabs alike.
    ``lines`` gets the line of each item, counted from 0.
    """
    count, line, at, fresh = 0, 0, 0, True
    spaced = separator in (_SPACE, _TAB)
    while at < len(data):
        start = past_blanks(data, at)
        end, at = item_at(data, start, separator, spaced)
        more = data[at] == separator or (spaced and data[at] == _TAB)
        more = more or (spaced and data[at] == _SPACE)
        if data[at] == _QUOTE or (not more and data[at] < _SPACE and data[at] not in _LINE_BYTES):
            return count, UNUSABLE, at
        if end > start:
            starts[count], ends[count], lines[count] = start, end, line
            count += 1
        elif more or not (fresh or spaced):
            return count, EMPTY, at
        fresh = not more
        if more:
            at += 1
            continue
        at, problem = next_line(data, at)
        if problem != LINE_ENDS:
            return count, UNUSABLE, at
        line += 1
    return count, FINE, at


_SEPARATORS = (",", ";", "\t", " ")
_LOOKED_AT = 200  # lines
_FEWEST_LINES = 4
_FEWEST_WIDTHS = 3
_MOST_ALIKE = 0.75  # of the lines may have the same number of items
_MOST_REPEATING = 0.05  # of the lines may repeat an item


class Baskets(Format):
    """Items on a line, with commas, semicolons, tabs or spaces between them; data are implicit.

    A basket is called by the number of its line; an item that stands twice in it counts once.
    """

    name = "baskets"
    summary = "basket lists: one basket on each line, items between commas or spaces"

    @classmethod
    def sniff(cls, source: InputPath) -> bool:
        """Only if sure: whole numbers, and lines of many lengths."""
        lines = source.head.split(b"\n")[:_LOOKED_AT]
        baskets = [line.replace(b",", b" ").split() for line in lines[:-1] if line.strip()]
        if len(baskets) < _FEWEST_LINES or not source.path.is_file():
            return False
        if not all(item.isdigit() for basket in baskets for item in basket):
            return False
        widths = Counter(map(len, baskets))
        repeating = sum(len(set(basket)) < len(basket) for basket in baskets)
        return (
            len(widths) >= _FEWEST_WIDTHS
            and max(widths.values()) <= _MOST_ALIKE * len(baskets)
            and repeating <= _MOST_REPEATING * len(baskets)
        )

    @classmethod
    def open(cls, source: InputPath, options: ReadOptions) -> Opened:
        options.refuse(cls.name, "columns", "quotes", "decimal", "order", "id_column", "issues")
        head = TextHead.of(source.path, source.head, options.encoding)
        head.records(",")  # refuses a file without any
        separator = options.separator and checked_separator(options.separator)
        if separator is None:
            separator = next((each for each in _SEPARATORS if each in head.text), " ")
        if len(separator) > 1:
            raise InputError("items are separated by one character", where="--separator")
        layout = TextLayout(
            separator, 1, {}, {}, encoding=head.encoding, skipped_bytes=head.mark_bytes
        )
        return OpenedBaskets(source, layout)


class OpenedBaskets(Opened):
    """A basket list whose separator is known."""

    scale = IMPLICIT
    numbers_users = True
    duplicates = "max"

    def __init__(self, source: InputPath, layout: TextLayout, block_size: int = BLOCK_SIZE) -> None:
        super().__init__(source.path)
        self._size = source.plain_size
        self._layout = layout
        self._block_size = block_size

    def batches(self, progress: Progress) -> Iterator[Batch]:
        with progress.task(f"reading {self.path.name}", self._size) as task:
            for batch, block in in_order(self._batch, self._blocks(), WORKERS):
                yield batch
                task.advance(len(block.data))

    def places(self, positions: Sequence[int]) -> list[Place]:
        lines = np.concatenate([self._split(block)[0] for block in self._blocks()])
        return [Place(self.path, f"line {lines[position]}") for position in positions]

    def written(self, role: str) -> Iterator[pl.Series] | None:
        return iter(())  # a basket holds items alone

    def merged(self, count: int, duplicates: Duplicates) -> str:
        return f"{count:,} items were repeated in their basket and count once."

    def _blocks(self) -> Iterator[Block]:
        return read_blocks(self.path, self._layout, self._block_size)

    def _batch(self, block: Block) -> tuple[Batch, Block]:
        lines, spans = self._split(block)
        try:
            items = cells.ids(spans, "item", quotes_mark_text=True)
        except cells.BadCellError as bad:
            where = f"{self.path}, line {lines[bad.place]}"
            raise InputError(bad.what, where=where, hint=bad.hint) from None
        return Batch(lines, items, None, None), block

    def _split(self, block: Block) -> tuple[Integers, cells.TextColumn]:
        """The line of each item, and the items."""
        starts, ends, lines = np.empty((3, len(block.data) // 2 + 1), np.int32)
        count, problem, at = split_baskets(
            block.data, ord(self._layout.separator), starts, ends, lines
        )
        if problem != FINE:
            raise self._refused(block, problem, at)
        here = slice(0, count)
        bare = np.zeros(count, np.uint8)
        spans = cells.TextColumn(block.data, starts[here], ends[here], bare)
        return lines[here].astype(np.int64) + block.line, spans

    def _refused(self, block: Block, problem: int, at: int) -> InputError:
        if problem == EMPTY:
            message = "an item is missing between two separators"
        else:
            sign = chr(block.data[at])
            message = f"the character {sign!r} cannot be used in a basket list"
        return InputError(
            message,
            where=f"{self.path}, line {block.line_at(at)}",
            hint="A line holds the items of one basket, with one separator between them.",
        )
