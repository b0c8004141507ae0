"""What every format offers: recognise a file, open it, yield batches of ratings, say where."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, ClassVar

import polars as pl

from recloak.errors import ParameterError
from recloak.progress import Progress
from recloak.ratings import Ratings
from recloak.scale import Scale

HEAD_SIZE = 1 << 20  # what a format may look at to recognise a file


@dataclass(frozen=True)
class Options:
    """What the user said about the file; a format refuses what it has no use for."""

    columns: Mapping[str, str] = field(default_factory=dict)
    separator: str | None = None
    encoding: str | None = None

    def refuse(self, format_name: str, *names: str) -> None:
        """Complain if one of ``names`` was given: it would be ignored."""
        for name in names:
            if getattr(self, name):
                raise ParameterError(
                    f"the format {format_name} takes no {name}",
                    where=f"--{name}",
                    hint=f"Leave it out, or read the file as text: --format csv --{name} …",
                )


class Opened(ABC):
    """A file that is being read: what is known about it before and after its batches."""

    path: Path
    scale: Scale | None = None
    dropped: tuple[str, ...] = ()
    personal: tuple[str, ...] = ()

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notes: list[str] = []

    @abstractmethod
    def batches(self, progress: Progress) -> Iterator[pl.DataFrame]:
        """Frames in the order of the file, of one set of columns; may be called again.

        ``user`` and ``item`` are Int64 or String, ``rating`` is Float32 and finite, ``time`` is
        Int64 in the unit of the file (seconds, or milliseconds and finer if the numbers are that
        large); none has nulls.
        """

    @abstractmethod
    def places(self, positions: Sequence[int]) -> list[str]:
        """Where the ratings at these ascending positions stand, such as ``line 12``."""

    def column(self, role: str) -> str:
        """The name of the column that plays ``role``, for messages."""
        return role


class Format(ABC):
    """A way in which ratings are stored. One class in one file, one line in the registry."""

    name: ClassVar[str]
    summary: ClassVar[str]
    looks_for: ClassVar[str] = ""
    """What makes a folder one of this format, in words; empty if folders never are."""
    suffixes: ClassVar[tuple[str, ...]] = ()
    """Endings of file names that are written in this format; empty if it is read only."""

    @classmethod
    @abstractmethod
    def sniff(cls, path: Path, head: bytes) -> bool:
        """Is this file or folder of the format? ``head`` is how the file starts."""

    @classmethod
    @abstractmethod
    def open(cls, path: Path, options: Options) -> Opened:
        """Look at the file closely enough to know its columns."""

    @classmethod
    def write(cls, ratings: Ratings, file: IO[bytes], path: Path) -> None:
        """Write ``ratings`` to ``file``, which will be called ``path``; the same bytes always."""
        raise ParameterError(f"the format {cls.name} can be read, not written", where="--format")
