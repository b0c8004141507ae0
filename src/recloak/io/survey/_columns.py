"""Columns of a survey: the issues, the id of the respondent, and those that are dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from recloak.core.arrays import Values
from recloak.core.columns import ColumnsRefused, is_personal, names_user
from recloak.core.errors import did_you_mean
from recloak.core.id_encoder import Ids
from recloak.core.progress import SILENT, Progress
from recloak.io._given_tables import GivenTable
from recloak.io._source import InputPath
from recloak.io._tables import TypedTable, rows_from
from recloak.io._values import Written
from recloak.io._wide import Issues, count_empty_rows, empty_rows_note, melted
from recloak.io.arrow import ArrowTable
from recloak.io.base import Batch, Place
from recloak.io.options import ReadOptions
from recloak.io.parquet import ParquetTable
from recloak.io.typed_columns import ids, numbers

_SHOWN = 20


@dataclass(frozen=True)
class SurveyColumns:
    """The id column if there is one, the issues in the order of the file, the dropped columns."""

    id_column: str | None
    issues: tuple[str, ...]
    dropped: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def personal(self) -> tuple[str, ...]:
        """The dropped columns that are about the person."""
        return tuple(name for name in self.dropped if is_personal(name))


def choose_columns(
    names: Sequence[str], numeric: Sequence[str], options: ReadOptions, where: str
) -> SurveyColumns:
    """The columns that the options name; otherwise inferred from names and numeric columns."""
    notes: list[str] = []
    said = options.id_column
    id_column = _known(names, said, "--id-column", where) if said else None
    if id_column is None:
        id_column = next((name for name in names if names_user(name)), None)
        if id_column is not None and id_column not in options.issues:
            notes.append(f"The column {id_column} was taken to say who the respondent is.")
    if options.issues:
        issues = {_known(names, name, "--issues", where) for name in options.issues}
        id_column = None if id_column in issues and not options.id_column else id_column
    else:
        issues = {name for name in numeric if name != id_column and not is_personal(name)}
    issues |= {_known(names, name, _flag_of(name, options), where) for name in options.declared}
    if id_column in issues:
        what = f"the column '{id_column}' is both the id and an issue"
        raise ColumnsRefused(what, names, where)
    if not issues:
        raise ColumnsRefused(
            "no column holds numbers that could be answers",
            names,
            where,
            hint="Say which are issues: --issues a,b,c, and if answers are words, their order, "
            "lowest first: --order 'Disagree,Agree'; several orders are separated by semicolons. "
            f"The columns are: {_shown(names)}.",
        )
    taken = tuple(name for name in names if name in issues)
    dropped = tuple(name for name in names if name not in issues and name != id_column)
    return SurveyColumns(id_column, taken, dropped, tuple(notes))


def _flag_of(name: str, options: ReadOptions) -> str:
    """The flag that declares an issue; a schema says the same as a flag."""
    return "--non-sensitive" if name in options.non_sensitive else "--sensitive"


def _known(names: Sequence[str], name: str, flag: str, where: str) -> str:
    if name in names:
        return name
    guess = did_you_mean(name, names)
    raise ColumnsRefused(
        f"there is no column '{name}'",
        names,
        where,
        hint=f"{guess}Give {flag} the name of a column. The columns are: {_shown(names)}.",
    )


def _shown(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


class SurveyTable(TypedTable):
    """A table with a row for each respondent."""

    def __init__(self, source: InputPath, options: ReadOptions) -> None:
        super().__init__(source, options)
        self._written = Written.of(options)
        words = {pl.String, pl.Categorical, pl.Enum} if options.order else set()
        kinds = self.schema.items()
        numeric = [name for name, kind in kinds if kind.is_numeric() or kind.base_type() in words]
        chosen = choose_columns(self.names, numeric, options, str(self.path))
        self._id_column = chosen.id_column
        self._issues = Issues.of(chosen.issues, numbers=True)
        self.numbers_users = chosen.id_column is None
        self.dropped, self.personal = chosen.dropped, chosen.personal
        self.notes.extend(chosen.notes)

    def batches(self, progress: Progress) -> Iterator[Batch]:
        silent = 0
        for row, frame in self._rows(progress):
            answers = self._answers(frame, row)
            silent += count_empty_rows(answers)
            yield melted(self._respondents(frame, row), answers, self._issues)
        self.silent = silent
        self.notes.extend(empty_rows_note(silent))

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

    def written(self, role: str) -> Iterator[pl.Series] | None:
        return self.texts(self._issues.names) if role == "rating" else iter(())

    def _rows(self, progress: Progress) -> Iterator[tuple[int, pl.DataFrame]]:
        taken = [*([self._id_column] if self._id_column is not None else []), *self._issues.names]
        return self.pieces(taken, progress)

    def _respondents(self, frame: pl.DataFrame, row: int) -> Ids:
        if self._id_column is None:
            return np.arange(row + 1, row + 1 + frame.height, dtype=np.int64)
        with rows_from(self.path, row, self._id_column):
            return ids(frame[self._id_column])

    def _answers(self, frame: pl.DataFrame, row: int) -> Values:
        answers = np.empty((frame.height, len(self._issues.names)), np.float32)
        for at, name in enumerate(self._issues.names):
            with rows_from(self.path, row, name):
                found = numbers(frame[name], self._written, missing=True)
                answers[:, at] = found.fill_null(np.nan).to_numpy()
        return self._written.answered(answers)


class ParquetSurvey(SurveyTable, ParquetTable):
    """A survey as Parquet."""


class GivenSurvey(SurveyTable, GivenTable):
    """A survey as a frame, or as a table of a database."""


class ArrowSurvey(SurveyTable, ArrowTable):
    """A survey as Arrow."""
