"""Tables with typed columns (Parquet, Arrow): columns found by name, ids kept as they are typed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from recloak.coding import Ids, ids_of
from recloak.columns import Columns, find_columns
from recloak.errors import InputError
from recloak.formats.base import Batch, Opened, Options, Place
from recloak.formats.source import file_errors, is_packed, read_head
from recloak.frames import epoch_seconds
from recloak.memory import need
from recloak.progress import Progress
from recloak.texts import Texts

BYTES_PER_RATING = 40  # codes, value and time, as they arrive and in order


class Table(Opened):
    """A file with typed columns, whose names are known; says how its kind is read."""

    kind: ClassVar[str]

    def __init__(self, path: Path, options: Options) -> None:
        super().__init__(path)
        options.refuse(self.kind.lower(), "separator", "encoding")
        if not read_head(path, 1):
            said = (
                f"is a folder, not a file of {self.kind}" if path.is_dir() else "the file is empty"
            )
            raise InputError(said, where=str(path))
        if is_packed(path):
            raise InputError(
                f"this is a packed {self.kind} file",
                where=str(path),
                hint="Please unpack it first; it is packed inside already.",
            )
        with damage(path, self.kind):
            self.schema = self.schema_of_file()
        self.names = list(self.schema)

    @abstractmethod
    def schema_of_file(self) -> Mapping[str, pl.DataType]:
        """The names of all columns and their types."""

    @abstractmethod
    def frames(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        """The columns called ``names``, in pieces, in the order of the file."""

    def count(self) -> int | None:
        """How many rows there are, if that is known beforehand."""
        return None

    @property
    def column_names(self) -> Sequence[str]:
        return self.names

    def pieces(
        self, names: Sequence[str], progress: Progress
    ) -> Iterator[tuple[int, pl.DataFrame]]:
        """`frames`, each with the number of its first row, and with damage told as such."""
        with damage(self.path, self.kind):
            total, row = self.count(), 0
            frames = iter(self.frames(names))
        if total is not None:
            need(total * BYTES_PER_RATING, f"reading {self.path.name}")
        with progress.task(f"reading {self.path.name}", total) as task:
            while True:
                with damage(self.path, self.kind):
                    frame = next(frames, None)
                if frame is None:
                    break
                yield row, frame
                row += frame.height
                task.advance(frame.height)

    def places(self, positions: Sequence[int]) -> list[Place]:
        return [Place(self.path, f"row {position + 1}") for position in positions]


class RatingsTable(Table):
    """A table with a row for each rating."""

    def __init__(self, path: Path, options: Options) -> None:
        options.refuse(self.kind.lower(), "id_column", "issues")
        super().__init__(path, options)
        try:
            self._columns: Columns = find_columns(self.names, options.columns)
        except InputError as problem:
            raise InputError(problem.what, where=str(path), hint=problem.hint) from None
        self.dropped, self.personal = self._columns.dropped, self._columns.personal
        time = self._columns.roles.get("time")
        self.dated = time is not None and not self.schema[time].is_numeric()

    def batches(self, progress: Progress) -> Iterator[Batch]:
        roles = self._columns.roles
        for row, frame in self.pieces(list(roles.values()), progress):
            yield self._checked(frame.select(**roles), row)

    def column(self, role: str) -> str:
        return self._columns.roles[role]

    def _checked(self, frame: pl.DataFrame, row: int) -> Batch:
        checks: dict[str, Callable[[pl.Series], Any]] = {
            "user": ids,
            "item": ids,
            "rating": lambda column: numbers(column).to_numpy(),
            "time": lambda column: epoch_seconds(column).to_numpy(),
        }
        found = {}
        for role in frame.columns:
            with rows_from(self.path, row, self.column(role)):
                found[role] = checks[role](frame[role])
        return Batch(found["user"], found["item"], found.get("rating"), found.get("time"))


@contextmanager
def rows_from(path: Path, row: int, column: str) -> Iterator[None]:
    """Complete what a check says about a row of a frame by the file and the row in it."""
    try:
        yield
    except InputError as problem:
        place, _, _ = (problem.where or "").partition(",")
        number = row + int(place.removeprefix("row ") or 1)
        where = f"{path}, row {number}, column {column}"
        raise InputError(problem.what, where=where, hint=problem.hint) from None


def ids(column: pl.Series) -> Ids:
    """Ids as numbers if they are whole, else as text."""
    if column.dtype.is_float():
        column = column.fill_nan(None)
    if column.dtype.is_nested():
        raise InputError(f"ids must be numbers or text, not {column.dtype}", where="row 1")
    _refuse_first(column.is_null(), "the id is missing")
    if column.dtype.is_float() and bool((column == column.floor()).all()):
        column = column.cast(pl.Int64, strict=False)
    if column.dtype.is_integer():
        whole = column.cast(pl.Int64, strict=False)
        return ids_of(column.cast(pl.String) if whole.null_count() else whole)
    texts = column.cast(pl.String, strict=False)
    _refuse_first(texts.is_null(), "the id is not text")
    return Texts.of(texts)


def numbers(column: pl.Series, *, missing: bool = False) -> pl.Series:
    """Finite numbers as Float32; nulls stay if they may be ``missing``."""
    if column.dtype.is_nested() or column.dtype.is_temporal():
        raise InputError(f"ratings must be numbers, not {column.dtype}", where="row 1")
    if not missing:
        _refuse_first(column.is_null(), "the rating is missing")
    parsed = column.cast(pl.Float32, strict=False)
    bad = ~parsed.is_finite().fill_null(False) & column.is_not_null()
    if bad.any():
        at = int(bad.arg_max() or 0)
        raise InputError(
            f"rating '{column[at]}' is not a number",
            where=f"row {at + 1}",
            hint="Correct the value or remove the row.",
        )
    return parsed


def _refuse_first(bad: pl.Series, what: str) -> None:
    if bad.any():
        place = int(bad.arg_max() or 0)
        raise InputError(what, where=f"row {place + 1}", hint="Correct or remove the row.")


@contextmanager
def damage(path: Path, kind: str) -> Iterator[None]:
    """Turn what Polars says about a broken file into an error of ours."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as problem:
        if isinstance(problem, OSError) and problem.errno is not None:
            with file_errors(path):
                raise
        first_line = str(problem).strip().split("\n")[0]
        raise InputError(
            f"the {kind} file is damaged or cut short: {first_line}",
            where=str(path),
            hint="Copy or export it again.",
        ) from problem
