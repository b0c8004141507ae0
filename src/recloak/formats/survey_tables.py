"""Surveys in tables with typed columns: Parquet and Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from recloak.coding import Ids
from recloak.formats.arrow import ArrowTable
from recloak.formats.base import Batch, Options, Place
from recloak.formats.parquet import ParquetTable
from recloak.formats.survey_columns import choose
from recloak.formats.tables import Table, ids, numbers, rows_from
from recloak.formats.wide import Issues, melted, silent_note, silent_rows
from recloak.progress import SILENT, Progress


class SurveyTable(Table):
    """A table with a row for each respondent."""

    def __init__(self, path: Path, options: Options) -> None:
        super().__init__(path, options)
        numeric = [name for name, kind in self.schema.items() if kind.is_numeric()]
        chosen = choose(self.names, numeric, options, str(path))
        self._id_column = chosen.id_column
        self._issues = Issues.of(chosen.issues, numbers=True)
        self.numbers_users = chosen.id_column is None
        self.dropped, self.personal = chosen.dropped, chosen.personal
        self.notes.extend(chosen.notes)

    def batches(self, progress: Progress) -> Iterator[Batch]:
        silent = 0
        for row, frame in self._rows(progress):
            answers = self._answers(frame, row)
            silent += silent_rows(answers)
            yield melted(self._respondents(frame, row), answers, self._issues)
        self.silent = silent
        self.notes.extend(silent_note(silent))

    def places(self, positions: Sequence[int]) -> list[Place]:
        wanted, found, before = list(positions), [], 0
        for row, frame in self._rows(SILENT):
            rows, columns = np.nonzero(~np.isnan(self._answers(frame, row)))
            while wanted and wanted[0] < before + len(rows):
                at = wanted.pop(0) - before
                issue = self._issues.names[columns[at]]
                found.append(Place(self.path, f"row {row + rows[at] + 1}", issue))
            before += len(rows)
        return found

    def _rows(self, progress: Progress) -> Iterator[tuple[int, pl.DataFrame]]:
        taken = [*([self._id_column] if self._id_column is not None else []), *self._issues.names]
        return self.pieces(taken, progress)

    def _respondents(self, frame: pl.DataFrame, row: int) -> Ids:
        if self._id_column is None:
            return np.arange(row + 1, row + 1 + frame.height, dtype=np.int64)
        with rows_from(self.path, row, self._id_column):
            return ids(frame[self._id_column])

    def _answers(self, frame: pl.DataFrame, row: int) -> NDArray[np.float32]:
        answers = np.empty((frame.height, len(self._issues.names)), np.float32)
        for at, name in enumerate(self._issues.names):
            with rows_from(self.path, row, name):
                answers[:, at] = numbers(frame[name], missing=True).fill_null(np.nan).to_numpy()
        return answers


class ParquetSurvey(SurveyTable, ParquetTable):
    """A survey as Parquet."""


class ArrowSurvey(SurveyTable, ArrowTable):
    """A survey as Arrow."""
