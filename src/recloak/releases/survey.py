"""SurveyRelease: a row for each respondent, a column for each issue, empty where unanswered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from recloak.core.arrays import Integers, Labels, offsets_from
from recloak.core.errors import InputError
from recloak.core.memory import require_memory
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.releases.base import Release
from recloak.releases.manifest import Manifest
from recloak.releases.tables import write_table

BYTES_PER_CELL = 24
_MOST_DIGITS = 18


@dataclass(frozen=True, repr=False)
class SurveyRelease(Release):
    """The answers as ratings, respondents without any included, in the order of their pseudonyms.

    ``grouping`` (if it is published) is the random id of the group of each row: those who were
    made proximate to each other.
    """

    kind: ClassVar[str] = "survey"
    tables: ClassVar[dict[str, tuple[str, ...]]] = {"answers": ("respondent", "group")}
    wide: ClassVar[bool] = True
    ratings: Ratings
    grouping: Integers | None = None

    def as_ratings(self) -> Ratings:
        return self.ratings

    def further_ids(self) -> dict[str, tuple[Integers, NDArray[Any]]]:
        if self.grouping is None:
            return {}
        return {"group": np.unique(self.grouping, return_counts=True)}

    def columns_of(self, table: str) -> tuple[str, ...]:
        names = _issue_names(self.ratings)
        group = () if self.grouping is None else (_free("group", names),)
        return (_free("respondent", names), *names, *group)

    def write_tables(self, folder: Path, table_format: str) -> None:
        write_table(self._table(), folder / f"answers.{table_format}")

    def _table(self) -> pl.DataFrame:
        rows = self.ratings
        require_memory(
            BYTES_PER_CELL * rows.n_users * rows.n_items, "the wide table of all answers"
        )
        answers = np.full((rows.n_items, rows.n_users), np.nan, np.float32)
        answers[rows.items, rows.user_codes()] = rows.values
        columns = [pl.Series(rows.user_labels)]
        columns += [pl.Series(each).fill_nan(None).cast(pl.Int32) for each in answers]
        columns += [] if self.grouping is None else [pl.Series(self.grouping)]
        return pl.DataFrame(dict(zip(self.columns_of("answers"), columns, strict=True)))

    @classmethod
    def read_tables(cls, folder: Path, manifest: Manifest) -> Self:
        try:
            return cls._read(_read_wide(folder), manifest)
        except (pl.exceptions.PolarsError, ValueError) as problem:
            raise InputError(
                f"its answers do not fit together: {problem}",
                where=str(folder),
                hint="The release was edited or damaged.",
            ) from None

    @classmethod
    def _read(cls, table: pl.DataFrame, manifest: Manifest) -> Self:
        first, *names = table.columns
        if len(names) not in (manifest.items, manifest.items + 1):
            raise ValueError(f"there are {len(names):,} columns for {manifest.items:,} issues")
        grouped = len(names) == manifest.items + 1
        issues = names[: manifest.items]
        if first != _free("respondent", issues):
            raise ValueError("the first column does not name the respondents")
        if grouped and names[-1] != _free("group", issues):
            raise ValueError("the last column does not name the groups")
        ids = _whole(table[first], "a respondent has no number").to_numpy()
        if len(ids) > 1 and (np.diff(ids) <= 0).any():
            raise ValueError("the respondents are not in the order of their ids, each once")
        # not select, for which * and ^…$ are patterns
        answers = pl.DataFrame([table.get_column(name) for name in issues])
        rows = _answers(answers, ids, Scale.parse(manifest.scale))
        if not grouped:
            return cls(manifest, rows)
        return cls(manifest, rows, _whole(table[names[-1]], "a row is in no group").to_numpy())

    def same_tables(self, other: Release) -> bool:
        if not isinstance(other, SurveyRelease) or not self.ratings.equals(other.ratings):
            return False
        if self.grouping is None or other.grouping is None:
            return self.grouping is other.grouping
        return np.array_equal(self.grouping, other.grouping)


def as_columns(ratings: Ratings) -> Ratings:
    """Ratings whose items can be columns: names that all look like numbers become numbers.

    A header cannot tell an issue called "7" from the number.
    """
    names = _issue_names(ratings)
    if "" in names:
        raise InputError("an issue without a name cannot be a column", hint="Rename it.")
    labels = _labels(names)
    if labels.dtype == ratings.item_labels.dtype:
        return ratings
    order = np.argsort(labels)
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    items = place[ratings.items]
    by_item = np.lexsort((items, ratings.user_codes()))
    return replace(
        ratings, items=items[by_item], values=ratings.values[by_item], item_labels=labels[order]
    )


def _answers(table: pl.DataFrame, ids: Integers, scale: Scale) -> Ratings:
    """The wide table as ratings; whatever is no level of the scale is a `ValueError`."""
    columns = [column.cast(pl.Int64) for column in table.get_columns()]
    answered = np.array([column.is_not_null().to_numpy() for column in columns], dtype=np.bool_)
    answered = answered.reshape(len(columns), len(ids)).T
    levels = [column.fill_null(0).to_numpy() for column in columns]
    values = np.array(levels, dtype=np.float32).reshape(len(columns), len(ids)).T[answered]
    if not scale.holds(values).all():
        raise ValueError(f"an answer is not on the scale {scale}")
    items = np.nonzero(answered)[1].astype(np.int32)
    return Ratings(
        offsets_from(answered.sum(axis=1)), items, values, scale, ids, _labels(table.columns)
    )


def _read_wide(folder: Path) -> pl.DataFrame:
    path = folder / "answers.parquet"
    if path.exists():
        return pl.read_parquet(path)
    # as a header, names with quotes in them would not be read as they were written
    table = pl.read_csv(folder / "answers.csv", has_header=False, infer_schema=False)
    return table.slice(1).rename(dict(zip(table.columns, table.row(0), strict=True)))


def _whole(column: pl.Series, problem: str) -> pl.Series:
    whole = column.cast(pl.Int64)
    if whole.has_nulls():
        raise ValueError(problem)
    return whole


def _issue_names(ratings: Ratings) -> list[str]:
    return [str(label) for label in ratings.item_labels]


def _free(name: str, taken: Iterable[str]) -> str:
    """The name, or the first with underscores after it that no issue has."""
    names = set(taken)
    while name in names:
        name += "_"
    return name


def _labels(names: list[str]) -> Labels:
    numbers = [_is_number(name) for name in names]
    if names and all(numbers):
        return np.array([int(name) for name in names], dtype=np.int64)
    return np.array(names, dtype=object)


def _is_number(name: str) -> bool:
    digits = name.removeprefix("-")
    plain = digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS
    return plain and str(int(name)) == name
