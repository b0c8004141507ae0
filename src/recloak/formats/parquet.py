"""Parquet: columns found by name, ids kept as they are typed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import polars as pl

from recloak.columns import Columns, find_columns
from recloak.errors import InputError
from recloak.formats.base import Format, Opened, Options
from recloak.formats.source import file_errors, read_head
from recloak.frames import epoch_seconds, to_polars
from recloak.progress import Progress
from recloak.ratings import Ratings

_MAGIC = b"PAR1"
_ROW_GROUP = 1 << 20


class Parquet(Format):
    """A Parquet file with columns user, item, rating and time under their usual names."""

    name = "parquet"
    summary = "Apache Parquet"
    suffixes = (".parquet",)

    @classmethod
    def sniff(cls, path: Path, head: bytes) -> bool:
        return head.startswith(_MAGIC)

    @classmethod
    def open(cls, path: Path, options: Options) -> Opened:
        options.refuse(cls.name, "separator", "encoding")
        if not read_head(path):
            said = "is a folder, not a Parquet file" if path.is_dir() else "the file is empty"
            raise InputError(said, where=str(path))
        with _damage(path):
            names = list(pl.read_parquet_schema(path))
        try:
            columns = find_columns(names, options.columns)
        except InputError as problem:
            raise InputError(problem.what, where=str(path), hint=problem.hint) from None
        return OpenedParquet(path, columns)

    @classmethod
    def write(cls, ratings: Ratings, file: IO[bytes], path: Path) -> None:
        to_polars(ratings).write_parquet(file, compression="zstd", row_group_size=_ROW_GROUP)


class OpenedParquet(Opened):
    """A Parquet file whose columns are known."""

    def __init__(self, path: Path, columns: Columns) -> None:
        super().__init__(path)
        self._columns = columns
        self.dropped, self.personal = columns.dropped, columns.personal

    def batches(self, progress: Progress) -> Iterator[pl.DataFrame]:
        wanted = [pl.col(name).alias(role) for role, name in self._columns.roles.items()]
        row = 0
        with _damage(self.path):
            lazy = pl.scan_parquet(self.path, glob=False)
            total = lazy.select(pl.len()).collect().item()
            frames = iter(lazy.select(wanted).collect_batches(maintain_order=True))
        with progress.task(f"reading {self.path.name}", total) as task:
            while (frame := self._next(frames)) is not None:
                yield self._checked(frame, row)
                row += frame.height
                task.advance(frame.height)

    def places(self, positions: Sequence[int]) -> list[str]:
        return [f"row {position + 1}" for position in positions]

    def column(self, role: str) -> str:
        return self._columns.roles[role]

    def _next(self, frames: Iterator[pl.DataFrame]) -> pl.DataFrame | None:
        with _damage(self.path):
            return next(frames, None)

    def _checked(self, frame: pl.DataFrame, row: int) -> pl.DataFrame:
        checks = {"user": _ids, "item": _ids, "rating": _numbers, "time": epoch_seconds}
        columns = {}
        for name in frame.columns:
            try:
                columns[name] = checks[name](frame[name])
            except InputError as problem:
                place, _, _ = (problem.where or "").partition(",")
                number = row + int(place.removeprefix("row ") or 1)
                where = f"{self.path}, row {number}, column {self.column(name)}"
                raise InputError(problem.what, where=where, hint=problem.hint) from None
        return pl.DataFrame(columns)


def _ids(column: pl.Series) -> pl.Series:
    if column.dtype.is_float():
        column = column.fill_nan(None)
    if column.dtype.is_nested():
        raise InputError(f"ids must be numbers or text, not {column.dtype}", where="row 1")
    _refuse_first(column.is_null(), "the id is missing")
    if column.dtype.is_float() and bool((column == column.floor()).all()):
        column = column.cast(pl.Int64, strict=False)
    if column.dtype.is_integer():
        numbers = column.cast(pl.Int64, strict=False)
        return column.cast(pl.String) if numbers.null_count() else numbers
    texts = column.cast(pl.String, strict=False)
    _refuse_first(texts.is_null(), "the id is not text")
    return texts


def _numbers(column: pl.Series) -> pl.Series:
    if column.dtype.is_nested() or column.dtype.is_temporal():
        raise InputError(f"ratings must be numbers, not {column.dtype}", where="row 1")
    _refuse_first(column.is_null(), "the rating is missing")
    numbers = column.cast(pl.Float32, strict=False)
    finite = numbers.is_finite().fill_null(False)
    if not finite.all():
        at = int((~finite).arg_max() or 0)
        raise InputError(
            f"rating '{column[at]}' is not a number",
            where=f"row {at + 1}",
            hint="Correct the value or remove the row.",
        )
    return numbers


def _refuse_first(bad: pl.Series, what: str) -> None:
    if bad.any():
        place = int(bad.arg_max() or 0)
        raise InputError(what, where=f"row {place + 1}", hint="Correct or remove the row.")


@contextmanager
def _damage(path: Path) -> Iterator[None]:
    """Turn what Polars says about a broken file into an error of ours."""
    try:
        with file_errors(path):
            yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as problem:
        first_line = str(problem).strip().split("\n")[0]
        raise InputError(
            f"the Parquet file is damaged or cut short: {first_line}",
            where=str(path),
            hint="Copy or export it again.",
        ) from problem
