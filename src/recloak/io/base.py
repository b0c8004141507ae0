"""The interface of formats: recognise a file, open it, give batches of ratings and their places."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, ClassVar, NamedTuple

import polars as pl

from recloak.core.arrays import Integers, Values
from recloak.core.columns import Duplicates
from recloak.core.errors import ParameterError
from recloak.core.id_encoder import Ids
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.io._source import InputPath
from recloak.io.options import ReadOptions


class Batch(NamedTuple):
    """Some ratings in the order of the file.

    Values are finite; times are in the unit of the file: seconds, or milliseconds and finer if
    the numbers are that large.
    """

    users: Ids
    items: Ids
    values: Values | None
    times: Integers | None

    @property
    def height(self) -> int:
        return len(self.users)


class Place(NamedTuple):
    """The place of a rating: the file, the line or row in it, and its column if that varies."""

    path: Path
    spot: str
    column: str = ""

    def __str__(self) -> str:
        return f"{self.path}, {self.spot}"


class Opened(ABC):
    """A source that is being read: its facts, and its ratings in batches."""

    path: Path
    scale: Scale | None = None
    dropped: tuple[str, ...] = ()
    personal: tuple[str, ...] = ()
    numbers_users: bool = False
    """Are users counted from 1, since the file does not name them?"""
    dated: bool = False
    """Are times given as dates, which are seconds for certain, however large?"""
    silent: int = 0
    """How many rows of a survey hold no answer at all; known once the batches were read."""
    duplicates: Duplicates | None = None
    """What becomes of repeated pairs if the user does not say; None: they are refused."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notes: list[str] = []

    @property
    def files(self) -> Sequence[Path]:
        """All files that the ratings come from."""
        return (self.path,)

    @property
    def column_names(self) -> Sequence[str]:
        """All columns of the file, dropped ones too; files read as one must have the same."""
        return self.dropped

    def bytes_to_hold(self) -> int:
        """The memory that all of its ratings take, if it tells how many there are; else 0."""
        return 0

    @abstractmethod
    def batches(self, progress: Progress) -> Iterator[Batch]:
        """Ratings in the order of the file; may be called again."""

    @abstractmethod
    def places(self, positions: Sequence[int]) -> list[Place]:
        """The places of the ratings at these ascending positions, such as ``line 12``."""

    def written(self, role: str) -> Iterator[pl.Series] | None:
        """The cells of a role as texts that tell all that the file tells apart, in pieces.

        ``role`` is rating, time, item or missing answer. There are none if the file has no such
        column, and None stands for a format that does not tell. Called after `batches`, by whoever
        verifies.
        """
        return None

    def column(self, role: str) -> str:
        """The name of the column that plays ``role``, for messages."""
        return role

    def duplicates_by(self, asked: Duplicates | None) -> Duplicates:
        """What becomes of repeated pairs: what was asked for, what is usual, or an error."""
        return asked or self.duplicates or "error"

    def merged(self, count: int, duplicates: Duplicates) -> str:
        """A note for the user about ``count`` repeated pairs that were merged."""
        return f"{count:,} repeated pairs merged by {duplicates}."


class Format(ABC):
    """A file format of ratings: one class in one module, and one line in the registry."""

    name: ClassVar[str]
    summary: ClassVar[str]
    looks_for: ClassVar[str] = ""
    """What makes a folder one of this format, in words; empty if folders never are."""
    suffixes: ClassVar[tuple[str, ...]] = ()
    """Endings of file names that are written in this format if none is named."""
    text: ClassVar[bool] = True
    """Is it plain text, which may be packed by gzip or zstd?"""
    by_blocks: ClassVar[bool] = False
    """Can it be written with one block of people in memory at a time?"""

    @classmethod
    @abstractmethod
    def sniff(cls, source: InputPath) -> bool:
        """Is this file or folder of the format? Its name and its ``head`` tell."""

    @classmethod
    @abstractmethod
    def open(cls, source: InputPath, options: ReadOptions) -> Opened:
        """Open the file and find its columns.

        Raises
        ------
        InputError
            The file is not of the format, or lacks a column.
        ParameterError
            An option was given that the format has no use for.

        """

    @classmethod
    def write(cls, ratings: Ratings, file: IO[bytes], path: Path) -> None:
        """Write ``ratings`` to ``file``, which will be called ``path``; the same bytes always.

        Raises `ParameterError` if the format cannot be written, which is the default.
        """
        raise ParameterError(f"the format {cls.name} can be read, not written", where="--format")

    @classmethod
    def write_blocks(cls, blocks: Iterator[Ratings], file: IO[bytes], path: Path) -> None:
        """As `write`, of blocks of people, of which one is in memory at a time; there is at least
        one. Formats that can do it say ``by_blocks``.
        """
        raise NotImplementedError

    @classmethod
    def writes_folder(cls, path: Path) -> bool:
        """Would ``path`` be written as a folder, by `write_folder`?"""
        return False

    @classmethod
    def write_folder(cls, ratings: Ratings, folder: Path) -> None:
        """Write ``ratings`` into an empty folder.

        Raises `ParameterError` if the format is no folder, which is the default.
        """
        raise ParameterError(f"the format {cls.name} is not written as a folder", where="--format")
