"""Tables with typed columns (Parquet, Arrow): columns found by name, ids kept as they are typed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl

from recloak.core.errors import InputError
from recloak.core.progress import SILENT, Progress
from recloak.io._source import InputPath, file_errors
from recloak.io.base import Batch, Opened, Place
from recloak.io.options import OF_TEXT, ReadOptions
from recloak.io.typed_columns import BadCell, TypedColumns, row_of

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
                f"this is a compressed {self.kind} file",
                where=str(path),
                hint="Decompress it first; such files compress their own data.",
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

    def bytes_to_hold(self) -> int:
        with damage(self.path, self.kind):
            return BYTES_PER_RATING * (self.count() or 0)

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
            self._columns = TypedColumns.of(self.schema, options)
        except InputError as problem:
            raise InputError(problem.what, where=str(self.path), hint=problem.hint) from None
        self.notes.extend(self._columns.notes)
        self.scale, self.dated = self._columns.written.scale, self._columns.dated
        found = self._columns.columns
        self.dropped, self.personal = found.dropped, found.personal

    def batches(self, progress: Progress) -> Iterator[Batch]:
        for row, frame in self.pieces(list(self._columns.roles.values()), progress):
            try:
                yield self._columns.batch(frame)
            except BadCell as bad:
                where = f"{self.path}, row {row + bad.row + 1}, column {bad.column}"
                raise InputError(bad.what, where=where, hint=bad.hint) from None

    def written(self, role: str) -> Iterator[pl.Series] | None:
        name = self._columns.roles.get(role)
        return self.texts([name]) if name is not None else iter(())

    def column(self, role: str) -> str:
        return self._columns.roles[role]


@contextmanager
def rows_from(path: Path, row: int, column: str) -> Iterator[None]:
    """Add the file and the row in it to the errors of a check on a frame."""
    try:
        yield
    except InputError as problem:
        where = f"{path}, row {row + row_of(problem) + 1}, column {column}"
        raise InputError(problem.what, where=where, hint=problem.hint) from None


def _distinct_texts(column: pl.Series) -> pl.Series:
    """The shortest text of each value, to the last bit: 0 and -0 are two."""
    if column.dtype.is_float():
        bits = np.unique(column.cast(pl.Float64).to_numpy().view(np.int64))
        column = pl.Series(bits.view(np.float64))
    return column.unique(maintain_order=True).cast(pl.String)


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
