"""Files as they are on disk: there or not, packed or not, changed while they are read."""

from __future__ import annotations

import errno
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from recloak.errors import InputError, MachineError
from recloak.formats.base import HEAD_SIZE
from recloak.formats.zstd import ZstdError, ZstdFile

_NO_SUCH = {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP}
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
PACKED_ENDINGS = (".gz", ".zst")


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Turn what the operating system or a packed file says about ``path`` into our errors."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error, ZstdError) as problem:
        raise InputError(
            f"the packed file is damaged or cut short: {str(problem).lower()}",
            where=str(path),
            hint="Copy or download it again.",
        ) from problem
    except OSError as problem:
        if problem.errno in _NO_SUCH:
            raise InputError("there is no such file", where=str(path)) from problem
        said = (problem.strerror or str(problem)).lower()
        raise MachineError(
            f"cannot be read: {said}", where=str(path), hint="Check the permissions and the disk."
        ) from problem


@contextmanager
def open_plain(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a file; if it is packed by gzip or zstd, which its first bytes say, unpacked."""
    with path.open("rb") as file:
        magic = file.read(4)
        file.seek(0)
        if magic.startswith(_GZIP):
            with gzip.GzipFile(fileobj=file, mode="rb") as unpacked:
                yield cast(IO[bytes], unpacked)
        elif magic == _ZSTD:
            with ZstdFile(file) as unpacked_zstd:
                yield cast(IO[bytes], unpacked_zstd)
        else:
            yield file


def chunks(path: Path, size: int) -> Iterator[bytes]:
    """The bytes of a file, unpacked, in pieces of about ``size``."""
    with file_errors(path), open_plain(path) as file:
        while chunk := file.read(size):
            yield chunk


def is_packed(path: Path) -> bool:
    """Is the file packed by gzip or zstd?"""
    with file_errors(path), path.open("rb") as file:
        magic = file.read(4)
        return magic.startswith(_GZIP) or magic == _ZSTD


def plain_size(path: Path) -> int | None:
    """How many bytes there will be to read; None for a packed file."""
    if is_packed(path):
        return None
    with file_errors(path):
        return path.stat().st_size


def plain_name(path: Path) -> str:
    """The name of a file without the ending that says how it is packed."""
    return path.stem if path.suffix.lower() in PACKED_ENDINGS else path.name


def inside(folder: Path, name: str) -> Path | None:
    """The file of this name in a folder, packed or not; None if there is none."""
    candidates = (folder / f"{name}{ending}" for ending in ("", *PACKED_ENDINGS))
    return next((file for file in candidates if file.is_file()), None)


def read_head(path: Path, size: int = HEAD_SIZE) -> bytes:
    """How the file starts, unpacked; nothing for a folder."""
    if "\0" in str(path):
        raise InputError("there is no such file", where=repr(str(path)))
    with file_errors(path):
        if path.is_dir():
            next(path.iterdir(), None)  # so that a folder we may not look into is refused here
            return b""
        if not path.is_file():
            path.stat()
            raise InputError("is neither a file nor a folder", where=str(path))
        with open_plain(path) as file:
            return file.read(size)


@dataclass(frozen=True)
class Stamp:
    """A file's size and time of change, to notice that someone writes to it."""

    path: Path
    size: int
    changed: int

    @classmethod
    def of(cls, path: Path) -> Stamp:
        with file_errors(path):
            state = path.stat()
        return cls(path, state.st_size, state.st_mtime_ns)

    def check(self) -> None:
        """Refuse if the file is no longer what it was."""
        if Stamp.of(self.path) != self:
            raise InputError(
                "the file changed while it was read",
                where=str(self.path),
                hint="Wait until it is written, or read a copy.",
            )
