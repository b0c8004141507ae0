"""Files on disk: opening, unpacking, reading the start, and noticing changes while reading."""

from __future__ import annotations

import errno
import gzip
import io
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any, cast

from recloak.core.errors import InputError, MachineError, ParameterError, RecloakError
from recloak.core.files import machine_errors, temporary_folder
from recloak.io._zstd import ZstdError, ZstdFile

_NO_SUCH = {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP}
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
PACKED_ENDINGS = (".gz", ".zst")
HEAD_SIZE = 1 << 20  # what a format may look at to recognise a file
# Ratings as text shrink by 3 to 10 times, a survey without answers by some 50; what grows by more
# is no table of ratings, and would fill the memory long before it could be refused as such.
MOST_EXPANSION = 100
ALWAYS_UNPACKED = 64 << 20  # bytes that any packed file may give


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Turn errors of the operating system and of packed files at ``path`` into recloak's."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error, ZstdError) as problem:
        raise InputError(
            f"the compressed file is damaged or cut short: {str(problem).lower()}",
            where=str(path),
            hint="Copy or download it again.",
        ) from problem
    except OSError as problem:
        if problem.errno in _NO_SUCH:
            raise InputError("there is no such file", where=str(path)) from problem
        message = (problem.strerror or str(problem)).lower()
        raise MachineError(
            f"cannot be read: {message}",
            where=str(path),
            hint="Check the permissions and the disk.",
        ) from problem


@contextmanager
def open_plain(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for its bytes; unpack it if its first bytes say gzip or zstd."""
    with path.open("rb") as file:
        magic = file.read(4)
        file.seek(0)
        if magic.startswith(_GZIP):
            with gzip.GzipFile(fileobj=file, mode="rb") as unpacked:
                yield UnpackedFile(_Unpacking(cast(IO[bytes], unpacked), path))
        elif magic == _ZSTD:
            with ZstdFile(file) as unpacked_zstd:
                yield UnpackedFile(_Unpacking(cast(IO[bytes], unpacked_zstd), path))
        else:
            yield file


class UnpackedFile(io.BufferedReader):
    """The content of a file that was packed by gzip or zstd."""


class _Unpacking(io.RawIOBase):
    """What a packed file holds; refused once it is far more than ratings could have been."""

    def __init__(self, inner: IO[bytes], path: Path) -> None:
        self._inner, self._path = inner, path
        self._limit = max(ALWAYS_UNPACKED, MOST_EXPANSION * path.stat().st_size)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._inner.seekable()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._inner.seek(offset, whence)

    def readinto(self, buffer: Any) -> int:
        content = self._inner.read(len(buffer))
        buffer[: len(content)] = content
        if self._inner.tell() > self._limit:
            raise InputError(
                f"decompresses to more than {self._limit >> 20:,} MB, which ratings never do",
                where=str(self._path),
                hint="If the file is genuine, decompress it yourself and give the result.",
            )
        return len(content)


def chunks(path: Path, size: int) -> Iterator[bytes]:
    """The bytes of a file, unpacked, in pieces of about ``size``."""
    with file_errors(path), open_plain(path) as file:
        while chunk := file.read(size):
            yield chunk


def plain_name(path: Path) -> str:
    """The name of a file without the ending that says how it is packed."""
    return path.stem if path.suffix.lower() in PACKED_ENDINGS else path.name


def file_inside(folder: Path, name: str) -> Path | None:
    """The file of this name in a folder, packed or not; None if there is none."""
    candidates = (folder / f"{name}{ending}" for ending in ("", *PACKED_ENDINGS))
    return next((file for file in candidates if file.is_file()), None)


class InputPath:
    """A file or folder to read; its start is read once, when it is first asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._inside: dict[str, InputPath] = {}

    @property
    def name(self) -> str:
        """What the data are called: the file without its folder."""
        return self.path.name or self.path.resolve().name

    @property
    def head(self) -> bytes:
        """The first bytes of the file, unpacked; empty for a folder.

        Raises `InputError` if there is no such file or it is damaged.
        """
        return self._start[0]

    @property
    def packed(self) -> bool:
        """Is the file packed by gzip or zstd?"""
        return self._start[1]

    @property
    def plain_size(self) -> int | None:
        """The number of bytes to read; None for a packed file."""
        if self.packed:
            return None
        with file_errors(self.path):
            return self.path.stat().st_size

    def inside(self, name: str) -> InputPath | None:
        """The file of this name in the folder, packed or not; None if there is none."""
        if name not in self._inside:
            file = file_inside(self.path, name)
            if file is None:
                return None
            self._inside[name] = InputPath(file)
        return self._inside[name]

    @cached_property
    def _start(self) -> tuple[bytes, bool]:
        """The head, and whether the file is packed."""
        path = self.path
        if "\0" in str(path):
            raise InputError("there is no such file", where=repr(str(path)))
        with file_errors(path):
            if path.is_dir():
                next(path.iterdir(), None)  # so that a folder we may not look into is refused here
                return b"", False
            if not path.is_file():
                path.stat()
                raise InputError("is neither a file nor a folder", where=str(path))
            with open_plain(path) as file:
                return file.read(HEAD_SIZE), isinstance(file, UnpackedFile)


@dataclass(frozen=True)
class FileStamp:
    """A file's size and time of change, to notice that someone writes to it."""

    path: Path
    size: int
    changed: int

    @classmethod
    def of(cls, path: Path) -> FileStamp:
        with file_errors(path):
            state = path.stat()
        return cls(path, state.st_size, state.st_mtime_ns)

    def check(self) -> None:
        """Raise `InputError` if the file has changed since."""
        if FileStamp.of(self.path) != self:
            raise InputError(
                "the file changed while it was read",
                where=str(self.path),
                hint="Wait until it is written, or read a copy.",
            )


DASH = "-"
NAME = "standard input"


@contextmanager
def local_paths(source: str | Path | Sequence[str | Path]) -> Iterator[list[Path]]:
    """The files of ``source``; for ``-`` a temporary copy of standard input."""
    given = [source] if isinstance(source, str | Path) else list(source)
    paths = [Path(each) for each in given]
    if not paths:
        raise ParameterError("no file is given to read")
    _refuse_repeated(paths)
    if DASH not in map(str, paths):
        yield paths
        return
    with _copied_input() as copy:
        try:
            yield [copy if str(path) == DASH else path for path in paths]
        except RecloakError as problem:
            if problem.where:
                problem.where = problem.where.replace(str(copy), NAME)
            problem.what = problem.what.replace(str(copy), NAME)
            raise


@contextmanager
def _copied_input() -> Iterator[Path]:
    """A copy of standard input, gone afterwards.

    It has no name on the disk where the system lets us reach it all the same (Linux), so that a
    process that is killed leaves a link to nothing, not the original.
    """
    with (
        temporary_folder() as folder,
        tempfile.TemporaryFile(dir=folder) as unnamed,
    ):
        copy = folder / NAME
        reached = Path(f"/proc/{os.getpid()}/fd/{unnamed.fileno()}")
        with machine_errors(copy):
            if reached.exists():
                _spool(unnamed)
                copy.symlink_to(reached)
            else:
                with copy.open("wb") as named:
                    _spool(named)
        yield copy


def _refuse_repeated(paths: list[Path]) -> None:
    repeated = [path for place, path in enumerate(paths) if path in paths[:place]]
    if repeated:
        raise ParameterError("the file is given twice", where=str(repeated[0]))


def _spool(file: IO[bytes]) -> None:
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None or stream.closed:
        raise InputError("there is nothing on standard input", where=NAME)
    shutil.copyfileobj(stream, file, 1 << 20)
    file.flush()
