"""Tables with typed columns (Parquet, Arrow): columns found by name, ids kept as they are typed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from recloak.core.columns import Columns, find_columns, implicit_note, refuse_lost_ratings
from recloak.core.errors import InputError
from recloak.core.frames import epoch_seconds
from recloak.core.id_encoder import Ids, ids_of
from recloak.core.memory import require_memory
from recloak.core.progress import SILENT, Progress
from recloak.core.string_table import Strings
from recloak.io._source import InputPath, file_errors
from recloak.io._values import AS_NUMBERS, Written
from recloak.io.base import Batch, Opened, Place
from recloak.io.options import OF_TEXT, ReadOptions

BYTES_PER_RATING = 40  # codes, value and time, as they arrive and in order


class TypedTable(Opened):
    """A file with typed, named columns; a subclass knows how to read its kind."""

    kind: ClassVar[str]

    def __init__(self, source: InputPath, options: ReadOptions) -> None:
        path = source.path
        super().__init__(path)
        options.refuse(self.kind.lower(), *OF_TEXT)
        if not source.head:
            message = (
                f"is a folder, not a file of {self.kind}" if path.is_dir() else "the file is empty"
            )
            raise InputError(message, where=str(path))
        if source.packed:
            raise InputError(
                f"this is a packed {self.kind} file",
                where=str(path),
                hint="Please unpack it first; it is packed inside already.",
            )
        with damage(path, self.kind):
            self.schema = self.schema_of_file(source.head)
        self.names = list(self.schema)

    @abstractmethod
    def schema_of_file(self, head: bytes) -> Mapping[str, pl.DataType]:
        """The names of all columns and their types; the file starts with ``head``."""

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
        """`frames`, each with the number of its first row; a damaged file is an `InputError`."""
        with damage(self.path, self.kind):
            total, row = self.count(), 0
            frames = iter(self.frames(names))
        if total is not None:
            require_memory(total * BYTES_PER_RATING, f"reading {self.path.name}")
        with progress.task(f"reading {self.path.name}", total) as task:
            while True:
                with damage(self.path, self.kind):
                    frame = next(frames, None)
                if frame is None:
                    break
                yield row, frame
                row += frame.height
                task.advance(frame.height)

    def texts(self, names: Sequence[str]) -> Iterator[pl.Series]:
        """The cells of these columns as texts that tell all that the file tells apart."""
        for _, frame in self.pieces(names, SILENT):
            for column in frame.get_columns():
                yield _distinct_texts(column.drop_nulls())

    def places(self, positions: Sequence[int]) -> list[Place]:
        return [Place(self.path, f"row {position + 1}") for position in positions]


class RatingsTable(TypedTable):
    """A table with a row for each rating."""

    def __init__(self, source: InputPath, options: ReadOptions) -> None:
        options.refuse(self.kind.lower(), "id_column", "issues")
        super().__init__(source, options)
        try:
            self._columns: Columns = find_columns(self.names, options.columns)
            if not options.implicit:
                refuse_lost_ratings(self._columns, self._numeric())
                self.notes.extend(implicit_note(self._columns))
        except InputError as problem:
            raise InputError(problem.what, where=str(self.path), hint=problem.hint) from None
        self._written = Written.of(options)
        self.scale = self._written.scale
        self.dropped, self.personal = self._columns.dropped, self._columns.personal
        time = self._columns.roles.get("time")
        self.dated = time is not None and not self.schema[time].is_numeric()

    def batches(self, progress: Progress) -> Iterator[Batch]:
        roles = self._columns.roles
        for row, frame in self.pieces(list(roles.values()), progress):
            yield self._checked(frame.select(**roles), row)

    def written(self, role: str) -> Iterator[pl.Series] | None:
        name = self._columns.roles.get(role)
        return self.texts([name]) if name is not None else iter(())

    def column(self, role: str) -> str:
        return self._columns.roles[role]

    def _numeric(self) -> list[str]:
        return [name for name, kind in self.schema.items() if kind.is_numeric()]

    def _checked(self, frame: pl.DataFrame, row: int) -> Batch:
        checks: dict[str, Callable[[pl.Series], Any]] = {
            "user": ids,
            "item": ids,
            "rating": lambda column: numbers(column, self._written).to_numpy(),
            "time": lambda column: epoch_seconds(column).to_numpy(),
        }
        found = {}
        for role in frame.columns:
            with rows_from(self.path, row, self.column(role)):
                found[role] = checks[role](frame[role])
        return Batch(found["user"], found["item"], found.get("rating"), found.get("time"))


@contextmanager
def rows_from(path: Path, row: int, column: str) -> Iterator[None]:
    """Add the file and the row in it to the errors of a check on a frame."""
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
    return Strings.of(texts)


def _distinct_texts(column: pl.Series) -> pl.Series:
    """The shortest text of each value, to the last bit: 0 and -0 are two."""
    if column.dtype.is_float():
        bits = np.unique(column.cast(pl.Float64).to_numpy().view(np.int64))
        column = pl.Series(bits.view(np.float64))
    return column.unique(maintain_order=True).cast(pl.String)


def numbers(
    column: pl.Series, written: Written = AS_NUMBERS, *, missing: bool = False
) -> pl.Series:
    """Finite numbers as Float32; nulls stay if they may be ``missing``."""
    if column.dtype.is_nested() or column.dtype.is_temporal():
        raise InputError(f"ratings must be numbers, not {column.dtype}", where="row 1")
    if not missing:
        _refuse_first(column.is_null(), "the rating is missing")
    texts = not column.dtype.is_numeric() and written.orders
    parsed = (
        written.numbers(column.cast(pl.String)) if texts else column.cast(pl.Float32, strict=False)
    )
    bad = ~parsed.is_finite().fill_null(False) & column.is_not_null()
    if bad.any():
        at = int(bad.arg_max() or 0)
        message, hint = written.complaint("rating", str(column[at]))
        raise InputError(message, where=f"row {at + 1}", hint=hint)
    return parsed


def _refuse_first(bad: pl.Series, what: str) -> None:
    if bad.any():
        place = int(bad.arg_max() or 0)
        raise InputError(what, where=f"row {place + 1}", hint="Correct or remove the row.")


@contextmanager
def damage(path: Path, kind: str) -> Iterator[None]:
    """Turn errors of Polars about a broken file into `InputError`."""
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
