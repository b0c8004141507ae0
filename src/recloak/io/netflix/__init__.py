"""The Netflix Prize: a file for each film, or all films in a few files; many files as one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
import polars as pl

from recloak.core.arrays import Codes, Integers
from recloak.core.errors import InputError
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.io._blocks import BLOCK_SIZE, Block
from recloak.io._delimited import WORKERS, in_order
from recloak.io._source import InputPath, chunks, file_errors, plain_name
from recloak.io.base import Batch, Format, Opened, Place
from recloak.io.netflix import _kernels as kernels
from recloak.io.netflix._writing import write_combined, write_films
from recloak.io.options import OF_TEXT, ReadOptions

_FILM_FILE = re.compile(r"mv_\d{7}\.txt(\.gz|\.zst)?")
_COMBINED_FILE = re.compile(r"combined_data_\d+\.txt(\.gz|\.zst)?")
_START = re.compile(rb"\s*\d+:\r?\n\s*\d+,\d+,\d{4}-\d\d-\d\d\r?\n")
_SHORTEST_LINE = 15
_LONGEST_LINE = 1 << 20
_MESSAGES = {
    kernels.NO_CUSTOMER: "neither a film (12:) nor a rating (customer,rating,date)",
    kernels.NO_RATING: "the rating is not a whole number",
    kernels.NO_DATE: "the date is not of the form 2005-12-31",
    kernels.NO_END: "the line has more than a film or a rating",
}


class Netflix(Format):
    """A line ``film:``, then ``customer,rating,date`` for each rating of it, on 1..5.

    A folder has a file for each film (``mv_0000001.txt``, perhaps in ``training_set``) or the
    combined ``combined_data_1.txt`` and so on.
    """

    name = "netflix"
    summary = "Netflix Prize: a file for each film (mv_0000001.txt), or combined_data_1.txt …"
    looks_for = "mv_0000001.txt or combined_data_1.txt (Netflix)"

    @classmethod
    def sniff(cls, source: InputPath) -> bool:
        folder = source.path.is_dir()
        return bool(_files(source.path)) if folder else _START.match(source.head) is not None

    @classmethod
    def open(cls, source: InputPath, options: ReadOptions) -> Opened:
        options.refuse(cls.name, "columns", *OF_TEXT, "order", "id_column", "issues")
        path = source.path
        files = _files(path) if path.is_dir() else [path]
        if not files:
            raise InputError(f"the folder holds no {cls.looks_for}", where=str(path))
        if not path.is_dir() and not source.head:
            raise InputError("the file is empty", where=str(path))
        return OpenedNetflix(path, files)

    @classmethod
    def write(cls, ratings: Ratings, file: IO[bytes], path: Path) -> None:
        write_combined(ratings, file)

    @classmethod
    def writes_folder(cls, path: Path) -> bool:
        return not path.suffix

    @classmethod
    def write_folder(cls, ratings: Ratings, folder: Path) -> None:
        write_films(ratings, folder)


@dataclass(frozen=True)
class FileLines:
    """Whole lines of one file; ``first`` if they are its first."""

    file: Path
    block: Block
    first: bool


@dataclass(frozen=True)
class ParsedLines:
    """The ratings of some lines; those before the first film line have film -1."""

    lines: FileLines
    films: Integers
    batch: Batch
    starts: Codes
    last_film: int
    problem: int
    stopped: int


class OpenedNetflix(Opened):
    """Files of the Netflix Prize, in the order of their names."""

    scale = Scale(1, 5)
    dated = True

    def __init__(self, path: Path, files: Sequence[Path], block_size: int = BLOCK_SIZE) -> None:
        super().__init__(path)
        self._files = files
        self._block_size = block_size

    @property
    def files(self) -> Sequence[Path]:
        return self._files

    def batches(self, progress: Progress) -> Iterator[Batch]:
        film = kernels.UNKNOWN
        with progress.task(f"reading {self.path.name}", self._size()) as task:
            for found in in_order(_read, self._lines(), WORKERS):
                film = kernels.UNKNOWN if found.lines.first else film
                yield _with_films(found, film)
                film = film if found.last_film == kernels.UNKNOWN else found.last_film
                task.advance(len(found.lines.block.data))

    def places(self, positions: Sequence[int]) -> list[Place]:
        wanted, found, before = list(positions), [], 0
        for read in map(_read, self._lines()):
            while wanted and wanted[0] < before + len(read.starts):
                line = read.lines.block.line_at(int(read.starts[wanted.pop(0) - before]))
                found.append(Place(read.lines.file, f"line {line}"))
            before += len(read.starts)
        return found

    def written(self, role: str) -> Iterator[pl.Series] | None:
        return iter(())  # ratings are whole numbers and times are days, each written in one way

    def column(self, role: str) -> str:
        return {"user": "1 (customer)", "rating": "2 (rating)", "time": "3 (date)"}.get(role, role)

    def _size(self) -> int:
        with file_errors(self.path):
            return sum(file.stat().st_size for file in self._files)

    def _lines(self) -> Iterator[FileLines]:
        for file in self._files:
            line, rest, first = 1, b"", True
            for chunk in chunks(file, self._block_size):
                rest += chunk
                end = rest.rfind(b"\n") + 1
                if end == 0 and len(rest) > _LONGEST_LINE:
                    end = len(rest)  # no line is that long: let it be complained about
                if end:
                    yield _whole(file, rest[:end], line, first)
                    line, rest, first = line + rest.count(b"\n", 0, end), rest[end:], False
            if rest:
                yield _whole(file, rest, line, first)
            elif first:
                raise InputError("the file is empty", where=str(file))


def _files(folder: Path) -> list[Path]:
    """The files in a folder or its ``training_set``: one for each film, or the combined ones."""
    with file_errors(folder):
        for place in (folder, folder / "training_set"):
            names = sorted(place.iterdir()) if place.is_dir() else []
            for pattern in (_FILM_FILE, _COMBINED_FILE):
                found = [file for file in names if pattern.fullmatch(file.name)]
                if found:
                    return sorted(found, key=_number)
    return []


def _number(file: Path) -> tuple[int, str]:
    digits = re.sub(r"\D", "", plain_name(file))
    return int(digits), file.name


def _whole(file: Path, text: bytes, line: int, first: bool) -> FileLines:
    ended = text if text.endswith(b"\n") else text + b"\n"
    return FileLines(file, Block(np.frombuffer(ended, np.uint8), line, latin=False), first)


def _read(lines: FileLines) -> ParsedLines:
    data = lines.block.data
    most = len(data) // _SHORTEST_LINE + 1
    films, customers, times = np.empty((3, most), np.int64)
    values, starts = np.empty(most, np.float32), np.empty(most, np.int32)
    count, last, problem, stopped = kernels.read_lines(
        data, films, customers, values, times, starts
    )
    here = slice(0, count)
    batch = Batch(customers[here], films[here], values[here].copy(), times[here].copy())
    return ParsedLines(lines, films[here], batch, starts[here], last, problem, stopped)


def _with_films(found: ParsedLines, film: int) -> Batch:
    """The batch, its first ratings given the film of the lines before."""
    orphans = int(np.searchsorted(found.films != kernels.UNKNOWN, True))
    block, file = found.lines.block, found.lines.file
    if orphans and film == kernels.UNKNOWN:
        where = f"{file}, line {block.line_at(int(found.starts[0]))}"
        raise InputError(
            "there is a rating before the first film",
            where=where,
            hint="A line with the film's number and a colon (12:) comes first.",
        )
    if found.problem != kernels.FINE:
        line = block.data[found.stopped : found.stopped + 60].tobytes().split(b"\n")[0]
        raise InputError(
            f"{_MESSAGES[found.problem]}: '{line.decode('utf-8', 'replace').strip()}'",
            where=f"{file}, line {block.line_at(found.stopped)}",
            hint="A line is a film (12:) or a rating (1488844,3,2005-09-06).",
        )
    found.films[:orphans] = film
    return found.batch
