"""Delimited text of a known layout: blocks of bytes into batches of ratings, in parallel."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

import numpy as np
import polars as pl

from recloak.core.arrays import Codes
from recloak.core.errors import InputError
from recloak.core.progress import Progress
from recloak.io import _cells as cells
from recloak.io import _text_kernels as kernels
from recloak.io._blocks import BLOCK_SIZE, Block, read_blocks
from recloak.io._layout import NOT_TEXT_HINT, TextLayout, records_of, separator_name
from recloak.io._plain_records import PlainRecords, Workspace, Workspaces
from recloak.io._source import InputPath
from recloak.io._text_head import ESCAPES_NOTE, LATIN_NOTE
from recloak.io.base import Batch, Opened, Place

WORKERS = min(4, os.cpu_count() or 1)
_MESSAGES = {
    kernels.AFTER_QUOTE: "text follows a closing quote",
    kernels.OPEN_QUOTE: "a quote is opened here and never closed",
    kernels.CONTROL: "a control character: this is not plain text",
    kernels.STRAY_RETURN: "a carriage return without a line feed",
}
_WRITTEN_TWICE = 'quotes inside are written twice, or as \\" with --quotes backslash.'
_HINTS = {
    kernels.AFTER_QUOTE: f"A field in quotes ends with its quote; {_WRITTEN_TWICE}",
    kernels.OPEN_QUOTE: f"Close it; {_WRITTEN_TWICE}",
    kernels.CONTROL: NOT_TEXT_HINT,
    kernels.STRAY_RETURN: "Save the file with the line ends of Unix or Windows.",
}
T = TypeVar("T")
R = TypeVar("R")


class BlockColumns(NamedTuple):
    """The columns of a block, the starts of its records, the problem that ended it, and where."""

    columns: dict[str, cells.TextColumn]
    record_starts: Codes
    problem: int
    stopped: int


class Delimited(Opened):
    """A text file of known layout."""

    def __init__(self, source: InputPath, layout: TextLayout, block_size: int = BLOCK_SIZE) -> None:
        super().__init__(source.path)
        self.size = source.plain_size
        self.layout = layout
        self.dated = layout.iso_times
        self._block_size = block_size

    def batches(self, progress: Progress) -> Iterator[Batch]:
        with progress.task(f"reading {self.path.name}", self.size) as task:
            for batch, block in in_order(self._batches_of_blocks(), self._blocks(), WORKERS):
                self.note(block)
                yield batch
                task.advance(len(block.data))

    def note(self, block: Block) -> None:
        """Tell the user, once, what was guessed about how the text is written."""
        guessed = {
            LATIN_NOTE: block.latin,
            ESCAPES_NOTE: block.escapes and self.layout.escapes is None,
        }
        self.notes.extend(note for note in guessed if guessed[note] and note not in self.notes)

    def places(self, positions: Sequence[int]) -> list[Place]:
        wanted, found, before = deque(positions), [], 0
        for block in self._blocks():
            starts = self._split(block).record_starts
            while wanted and wanted[0] < before + len(starts):
                line = block.line_at(int(starts[wanted.popleft() - before]))
                found.append(Place(self.path, f"line {line}"))
            before += len(starts)
        return found

    def written(self, role: str) -> Iterator[pl.Series] | None:
        if role not in self.layout.places:
            return iter(())
        return in_order(lambda block: self._as_written(block, role), self._blocks(), WORKERS)

    def _as_written(self, block: Block, role: str) -> pl.Series:
        return self._split(block).columns[role].as_written(self.layout.marks[1]).unique()

    def column(self, role: str) -> str:
        return self.layout.names[role]

    @property
    def column_names(self) -> Sequence[str]:
        return [*self.layout.names.values(), *self.dropped]

    def _blocks(self) -> Iterator[Block]:
        return read_blocks(self.path, self.layout, self._block_size)

    def _batches_of_blocks(self) -> Callable[[Block], tuple[Batch, Block]]:
        """What makes a batch of a block; it learns from each block for those that follow."""
        plain, spaces = PlainRecords(self.layout), Workspaces()

        def batch(block: Block) -> tuple[Batch, Block]:
            with spaces.borrowed() as space:
                return plain.batch(block.data, space) or self._checked(block, space), block

        return batch

    def _checked(self, block: Block, space: Workspace) -> Batch:
        split = self._split(block)
        found: dict[str, Any] = {}
        bad = []
        for role, spans in split.columns.items():
            try:
                found[role] = self._converted(role, spans, space)
            except cells.BadCellError as problem:
                bad.append((problem.place, role, problem))
        if bad:
            raise self._unusable(block, split, *min(bad)[1:])
        if split.problem != kernels.FINE:
            raise self._malformed(block, split.problem, split.stopped)
        return Batch(found["user"], found["item"], found.get("rating"), found.get("time"))

    def _converted(self, role: str, spans: cells.TextColumn, space: Workspace) -> Any:
        if role == "rating":
            return cells.ratings(spans, self.layout.written)
        if role == "time":
            return cells.times(spans, self.layout.iso_times)
        return cells.ids(spans, role, self.layout.quotes_mark_text, space.tables[role])

    def _split(self, block: Block) -> BlockColumns:
        layout, roles = self.layout, list(self.layout.places)
        slot_of = np.full(layout.width, -1, np.int64)
        slot_of[[layout.places[role] for role in roles]] = np.arange(len(roles))
        # A record has at least as many bytes as fields; memory that is not touched costs nothing.
        most = len(block.data) // layout.width + 1
        starts, ends = np.empty((2, len(roles), most), np.int32)
        quoted = np.empty((len(roles), most), np.uint8)
        record_starts = np.empty(most, np.int32)
        count, problem, stopped = kernels.split_records(
            block.data,
            *layout.marks,
            layout.quoting,
            block.escapes,
            slot_of,
            starts,
            ends,
            quoted,
            record_starts,
        )
        columns = {
            role: cells.TextColumn(
                block.data, starts[at, :count], ends[at, :count], quoted[at, :count]
            )
            for at, role in enumerate(roles)
        }
        return BlockColumns(columns, record_starts[:count], problem, stopped)

    def _unusable(
        self, block: Block, split: BlockColumns, role: str, bad: cells.BadCellError
    ) -> InputError:
        line = block.line_at(int(split.columns[role].starts[bad.place]))
        where = f"{self.path}, line {line}, column {self.column(role)}"
        return InputError(bad.what, where=where, hint=bad.hint)

    def _malformed(self, block: Block, problem: int, at: int) -> InputError:
        where = f"{self.path}, line {block.line_at(at)}"
        if problem in _MESSAGES:
            return InputError(_MESSAGES[problem], where=where, hint=_HINTS[problem])
        text = block.data[at : at + (1 << 20)].tobytes().decode("utf-8", "replace")
        record = next(records_of(text, self.layout.separator, escapes=block.escapes))
        fields = len(record.fields)
        return InputError(
            f"{fields} field{'s' * (fields != 1)} where {self.layout.width} are expected",
            where=where,
            hint=f"Fields are separated by {separator_name(self.layout.separator)}; a field "
            "that contains it must be in quotes.",
        )


def in_order(function: Callable[[T], R], inputs: Iterator[T], workers: int) -> Iterator[R]:
    """Map over threads, a few inputs ahead; results and errors come in the order of the inputs."""
    waiting: deque[Future[R]] = deque()
    failed: Exception | None = None
    with ThreadPoolExecutor(workers) as pool:
        while failed is None:
            try:
                waiting.append(pool.submit(function, next(inputs)))
            except StopIteration:
                break
            except Exception as problem:  # whatever came before it may have failed as well
                failed = problem
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    if failed is not None:
        raise failed
