"""What every format offers: recognise a file, open it, yield batches of ratings, say where."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.coding import Ids
from recloak.errors import ParameterError
from recloak.progress import Progress
from recloak.ratings import Duplicates, Ratings
from recloak.scale import Scale

HEAD_SIZE = 1 << 20  # what a format may look at to recognise a file


@dataclass(frozen=True)
class Options:
    """What the user said about the file; a format refuses what it has no use for."""

    columns: Mapping[str, str] = field(default_factory=dict)
    separator: str | None = None
    encoding: str | None = None
    id_column: str | None = None
    issues: Sequence[str] = ()
    declared: Sequence[str] = ()
    """Issues that are taken whatever they are about, since someone said what they are."""

    def refuse(self, format_name: str, *names: str) -> None:
        """Complain if one of ``names`` was given: it would be ignored."""
        for name in names:
            if getattr(self, name):
                flag = f"--{name.replace('_', '-')}"
                wide = name in ("id_column", "issues")
                other = "as a survey: --format survey" if wide else "as text: --format csv"
                raise ParameterError(
                    f"the format {format_name} takes no {name.replace('_', ' ')}",
                    where=flag,
                    hint=f"Leave it out, or read the file {other} {flag} …",
                )


class Batch(NamedTuple):
    """Some ratings in the order of the file.

    Values are finite; times are in the unit of the file: seconds, or milliseconds and finer if
    the numbers are that large.
    """

    users: Ids
    items: Ids
    values: NDArray[np.float32] | None
    times: NDArray[np.int64] | None

    @property
    def height(self) -> int:
        return len(self.users)


class Place(NamedTuple):
    """Where a rating stands: the file, the line or row in it, and its column if that varies."""

    path: Path
    spot: str
    column: str = ""

    def __str__(self) -> str:
        return f"{self.path}, {self.spot}"


class Opened(ABC):
    """A source that is being read: what is known about it before and after its batches."""

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
        """The columns of the file, those left behind too; files read as one must have the same."""
        return self.dropped

    @abstractmethod
    def batches(self, progress: Progress) -> Iterator[Batch]:
        """Ratings in the order of the file; may be called again."""

    @abstractmethod
    def places(self, positions: Sequence[int]) -> list[Place]:
        """Where the ratings at these ascending positions stand, such as ``line 12``."""

    def column(self, role: str) -> str:
        """The name of the column that plays ``role``, for messages."""
        return role

    def merged(self, count: int, duplicates: Duplicates) -> str:
        """What to tell about ``count`` repeated pairs that were merged."""
        return f"{count:,} repeated pairs merged by {duplicates}."


class Format(ABC):
    """A way in which ratings are stored. One class in one file, one line in the registry."""

    name: ClassVar[str]
    summary: ClassVar[str]
    looks_for: ClassVar[str] = ""
    """What makes a folder one of this format, in words; empty if folders never are."""
    suffixes: ClassVar[tuple[str, ...]] = ()
    """Endings of file names that are written in this format if none is named."""
    text: ClassVar[bool] = True
    """Is it plain text, which may be packed by gzip or zstd?"""

    @classmethod
    @abstractmethod
    def sniff(cls, path: Path, head: bytes) -> bool:
        """Is this file or folder of the format? ``head`` is how the file starts, unpacked."""

    @classmethod
    @abstractmethod
    def open(cls, path: Path, options: Options) -> Opened:
        """Look at the file closely enough to know its columns."""

    @classmethod
    def write(cls, ratings: Ratings, file: IO[bytes], path: Path) -> None:
        """Write ``ratings`` to ``file``, which will be called ``path``; the same bytes always."""
        raise ParameterError(f"the format {cls.name} can be read, not written", where="--format")

    @classmethod
    def writes_folder(cls, path: Path) -> bool:
        """Would ``path`` be written as a folder, by `write_folder`?"""
        return False

    @classmethod
    def write_folder(cls, ratings: Ratings, folder: Path) -> None:
        """Write ``ratings`` into an empty folder."""
        raise ParameterError(f"the format {cls.name} is not written as a folder", where="--format")
