"""Wide layouts: a row for each respondent, a column for each item; cells may be missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from recloak.core.arrays import Indices, Values
from recloak.core.errors import InputError
from recloak.core.id_encoder import Ids
from recloak.core.progress import Progress
from recloak.core.string_table import Strings
from recloak.io import _cells as cells
from recloak.io import _text_kernels as kernels
from recloak.io._blocks import BLOCK_SIZE, Block
from recloak.io._delimited import WORKERS, BlockColumns, Delimited, in_order
from recloak.io._layout import TextLayout
from recloak.io._source import InputPath
from recloak.io.base import Batch, Place

ID = "user"


@dataclass(frozen=True)
class Issues:
    """The columns that hold answers, by the names they have in messages and their ids."""

    names: Sequence[str]
    ids: Ids

    @classmethod
    def of(cls, names: Sequence[str], *, numbers: bool) -> Issues:
        """Names that are all whole numbers may be ``numbers``."""
        if numbers and all(_is_plain_number(name) for name in names):
            return cls(names, np.array([int(name) for name in names], np.int64))
        return cls(names, Strings.of(pl.Series(list(names), dtype=pl.String)))

    def taken(self, places: Indices) -> Ids:
        """The ids at these places."""
        return _taken(self.ids, places)


def count_empty_rows(answers: Values) -> int:
    """How many respondents answered nothing."""
    return int(np.isnan(answers).all(axis=1).sum())


def empty_rows_note(count: int) -> list[str]:
    """A note for the user about them: they are no users, and only verification counts them."""
    return [f"{count:,} rows without any answer are never published."] if count else []


def melted(users: Ids, answers: Values, issues: Issues) -> Batch:
    """One rating for each answer (rows are respondents) that is not NaN, row by row."""
    rows, columns = np.nonzero(~np.isnan(answers))
    return Batch(_taken(users, rows), issues.taken(columns), answers[rows, columns], None)


class WideText(Delimited):
    """Text with a row for each respondent; the roles of its layout are the id and the issues."""

    def __init__(
        self, source: InputPath, layout: TextLayout, issues: Issues, block_size: int = BLOCK_SIZE
    ) -> None:
        super().__init__(source, layout, block_size)
        self.issues = issues
        self.numbers_users = ID not in layout.places

    def batches(self, progress: Progress) -> Iterator[Batch]:
        rows, silent = 0, 0
        with progress.task(f"reading {self.path.name}", self.size) as task:
            for batch, answers, block in in_order(self._melted, self._blocks(), WORKERS):
                silent += count_empty_rows(answers)
                self.note(block)
                if self.numbers_users and isinstance(batch.users, np.ndarray):
                    yield batch._replace(users=batch.users + (rows + 1))
                else:
                    yield batch
                rows += len(answers)
                task.advance(len(block.data))
        self.silent = silent
        self.notes.extend(empty_rows_note(silent))

    def _melted(self, block: Block) -> tuple[Batch, Values, Block]:
        """The ratings of a block, and a row for each respondent; those are counted from 0."""
        split, answers = self._answers(block)
        users: Ids = np.arange(len(answers), dtype=np.int64)
        if ID in split.columns:
            users = self._ids(block, split)
        return melted(users, answers, self.issues), answers, block

    def _ids(self, block: Block, split: BlockColumns) -> Ids:
        try:
            return cells.ids(split.columns[ID], ID, self.layout.quotes_mark_text)
        except cells.BadCellError as bad:
            raise self._unusable(block, split, ID, bad) from None

    def _answers(self, block: Block) -> tuple[BlockColumns, Values]:
        """A row for each respondent, a column for each issue."""
        split = self._split(block)
        answers = np.empty((len(split.record_starts), len(self.issues.names)), np.float32)
        bad = []
        for at, name in enumerate(self.issues.names):
            try:
                answers[:, at] = self.missing_as_nan(
                    cells.answers(split.columns[name], self.layout.written)
                )
            except cells.BadCellError as problem:
                bad.append((problem.place, at, name, problem))
        if bad:
            raise self._unusable(block, split, *min(bad)[2:])
        if split.problem != kernels.FINE:
            raise self._malformed(block, split.problem, split.stopped)
        self.check_rows(block, split, answers)
        return split, answers

    def missing_as_nan(self, answers: Values) -> Values:
        """Turn what else stands for a missing answer into NaN."""
        return answers

    def check_rows(self, block: Block, split: BlockColumns, answers: Values) -> None:
        """Refuse rows that contradict themselves."""

    def row_error(
        self, block: Block, split: BlockColumns, row: int, what: str, hint: str
    ) -> InputError:
        """A complaint about a row of a block."""
        line = block.line_at(int(split.record_starts[row]))
        return InputError(what, where=f"{self.path}, line {line}", hint=hint)

    def places(self, positions: Sequence[int]) -> list[Place]:
        wanted, found, before = list(positions), [], 0
        for block in self._blocks():
            split, answers = self._answers(block)
            rows, columns = np.nonzero(~np.isnan(answers))
            while wanted and wanted[0] < before + len(rows):
                at = wanted.pop(0) - before
                line = block.line_at(int(split.record_starts[rows[at]]))
                found.append(Place(self.path, f"line {line}", self.issues.names[columns[at]]))
            before += len(rows)
        return found

    def written(self, role: str) -> Iterator[pl.Series] | None:
        if role not in ("rating", "missing answer"):
            return iter(())
        missing = role != "rating"
        return in_order(
            lambda block: self._answers_as_written(block, missing), self._blocks(), WORKERS
        )

    def _answers_as_written(self, block: Block, missing: bool) -> pl.Series:
        """The answers of a block as they are written, or what stands for none, each once."""
        split, answers = self._answers(block)
        texts = [split.columns[name].as_written(self.layout.marks[1]) for name in self.issues.names]
        wanted = [pl.Series(np.isnan(column) == missing) for column in answers.T]
        chosen = [text.filter(one).unique() for text, one in zip(texts, wanted, strict=True)]
        return pl.concat(chosen).unique()

    def column(self, role: str) -> str:
        return self.layout.names.get(role, role)


def _taken(ids: Ids, places: Indices) -> Ids:
    return Strings(ids.codes[places], ids.table) if isinstance(ids, Strings) else ids[places]


def _is_plain_number(name: str) -> bool:
    digits = name.removeprefix("-")
    return len(digits) < 19 and digits.isascii() and digits.isdigit() and str(int(name)) == name
