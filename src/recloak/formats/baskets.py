"""Basket lists: what was bought or clicked together, one basket on each line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recloak.errors import InputError
from recloak.formats import cells
from recloak.formats.base import Batch, Format, Opened, Options, Place
from recloak.formats.blocks import BLOCK_SIZE, Block, read_blocks
from recloak.formats.delimited import WORKERS, in_order
from recloak.formats.heads import Head
from recloak.formats.layout import Layout, checked_separator
from recloak.formats.source import plain_size, read_head
from recloak.kernels.baskets import EMPTY, FINE, split_baskets
from recloak.progress import Progress
from recloak.ratings import Duplicates
from recloak.scale import IMPLICIT

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
    def sniff(cls, path: Path, head: bytes) -> bool:
        """Only if sure: whole numbers, and lines of many lengths."""
        lines = head.split(b"\n")[:_LOOKED_AT]
        baskets = [line.replace(b",", b" ").split() for line in lines[:-1] if line.strip()]
        if len(baskets) < _FEWEST_LINES or not path.is_file():
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
    def open(cls, path: Path, options: Options) -> Opened:
        options.refuse(cls.name, "columns", "id_column", "issues")
        head = Head.of(path, read_head(path), options.encoding)
        head.records(",")  # refuses a file without any
        separator = options.separator and checked_separator(options.separator)
        if separator is None:
            separator = next((each for each in _SEPARATORS if each in head.text), " ")
        if len(separator) > 1:
            raise InputError("items are separated by one sign", where="--separator")
        layout = Layout(separator, 1, {}, {}, encoding=head.encoding, skipped_bytes=head.mark_bytes)
        return OpenedBaskets(path, layout)


class OpenedBaskets(Opened):
    """A basket list whose separator is known."""

    scale = IMPLICIT
    numbers_users = True
    duplicates = "max"

    def __init__(self, path: Path, layout: Layout, block_size: int = BLOCK_SIZE) -> None:
        super().__init__(path)
        self._layout = layout
        self._block_size = block_size

    def batches(self, progress: Progress) -> Iterator[Batch]:
        with progress.task(f"reading {self.path.name}", plain_size(self.path)) as task:
            for batch, block in in_order(self._batch, self._blocks(), WORKERS):
                yield batch
                task.advance(len(block.data))

    def places(self, positions: Sequence[int]) -> list[Place]:
        lines = np.concatenate([self._split(block)[0] for block in self._blocks()])
        return [Place(self.path, f"line {lines[position]}") for position in positions]

    def merged(self, count: int, duplicates: Duplicates) -> str:
        return f"{count:,} items stood again in their basket and count once."

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

    def _split(self, block: Block) -> tuple[NDArray[np.int64], cells.Spans]:
        """The line of each item, and the items."""
        starts, ends, lines = np.empty((3, len(block.data) // 2 + 1), np.int32)
        count, problem, at = split_baskets(
            block.data, ord(self._layout.separator), starts, ends, lines
        )
        if problem != FINE:
            raise self._refused(block, problem, at)
        here = slice(0, count)
        bare = np.zeros(count, np.uint8)
        spans = cells.Spans(block.data, starts[here], ends[here], bare)
        return lines[here].astype(np.int64) + block.line, spans

    def _refused(self, block: Block, problem: int, at: int) -> InputError:
        if problem == EMPTY:
            said = "an item is missing between two separators"
        else:
            sign = chr(block.data[at])
            said = f"the sign {sign!r} cannot stand in a basket list"
        return InputError(
            said,
            where=f"{self.path}, line {block.line_at(at)}",
            hint="A line holds the items of one basket, with one separator between them.",
        )
