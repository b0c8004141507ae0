"""Tables that are no files: frames in memory and what a database gives, read as typed tables."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from recloak.core.errors import ParameterError
from recloak.core.frames import as_polars
from recloak.io._source import InputPath
from recloak.io._tables import RatingsTable, TypedTable
from recloak.io.base import Format, Opened
from recloak.io.options import ReadOptions

ROWS = 1 << 20
FRAME = "frame"


class InputTable(InputPath):
    """A table with typed, named columns that stands in no file; ``name`` is for messages."""

    def __init__(self, name: str) -> None:
        super().__init__(Path(name))
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    @property
    def head(self) -> bytes:
        """Not a byte of it can be looked at, but it is no empty file either."""
        return b"table"

    @property
    def packed(self) -> bool:
        return False

    @property
    @abstractmethod
    def schema(self) -> Mapping[str, pl.DataType]:
        """The names of all columns and their types."""

    @abstractmethod
    def rows(self, names: Sequence[str]) -> pl.DataFrame:
        """The columns called ``names``."""

    def count(self) -> int | None:
        """How many rows there are, if that is known beforehand."""
        return None

    @property
    @abstractmethod
    def format(self) -> type[Format]:
        """What reads it, if it is no survey."""

    def refuse_other(self, chosen: type[Format]) -> None:
        """Refuse the formats of files."""
        if chosen.name not in (self.format.name, "survey"):
            raise ParameterError(
                f"the format {chosen.name} is one of files, and this is a {self.format.name}",
                where="--format",
                hint="Leave it out; a table with a row for each respondent is a survey.",
            )


class GivenTable(TypedTable):
    """How such a table is read, whatever its columns mean."""

    kind = "table"

    def __init__(self, source: InputTable, options: ReadOptions) -> None:
        self._table = source
        super().__init__(source, options)

    @property
    def files(self) -> Sequence[Path]:
        return ()

    def schema_of_file(self, head: bytes) -> Mapping[str, pl.DataType]:
        return self._table.schema

    def count(self) -> int | None:
        return self._table.count()

    def frames(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        return self._table.rows(names).iter_slices(ROWS)


class GivenRatings(RatingsTable, GivenTable):
    """A table with a row for each rating."""


class FrameFormat(Format):
    """A Polars, pandas or Arrow table in memory; it cannot be named on the command line."""

    name = FRAME
    summary = "a frame in Python"
    text = False

    @classmethod
    def sniff(cls, source: InputPath) -> bool:
        return isinstance(source, InputFrame)

    @classmethod
    def open(cls, source: InputPath, options: ReadOptions) -> Opened:
        assert isinstance(source, InputTable)
        return GivenRatings(source, options)


class InputFrame(InputTable):
    """A frame that is in memory already."""

    def __init__(self, frame: Any) -> None:
        super().__init__(FRAME)
        self._frame = as_polars(frame)

    @property
    def schema(self) -> Mapping[str, pl.DataType]:
        return self._frame.schema

    def rows(self, names: Sequence[str]) -> pl.DataFrame:
        return self._frame.select(names)

    def count(self) -> int:
        return self._frame.height

    @property
    def format(self) -> type[Format]:
        return FrameFormat
