"""Files as they are on disk: there or not, readable or not, changed while they are read."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from recloak.errors import InputError, MachineError
from recloak.formats.base import HEAD_SIZE

_NO_SUCH = {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP}


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Turn what the operating system says about ``path`` into our errors."""
    try:
        yield
    except OSError as problem:
        if problem.errno in _NO_SUCH:
            raise InputError("there is no such file", where=str(path)) from problem
        said = (problem.strerror or str(problem)).lower()
        raise MachineError(
            f"cannot be read: {said}", where=str(path), hint="Check the permissions and the disk."
        ) from problem


def read_head(path: Path) -> bytes:
    """How the file starts; nothing for a folder."""
    if "\0" in str(path):
        raise InputError("there is no such file", where=repr(str(path)))
    with file_errors(path):
        if path.is_dir():
            next(path.iterdir(), None)  # so that a folder we may not look into is refused here
            return b""
        if not path.is_file():
            path.stat()
            raise InputError("is neither a file nor a folder", where=str(path))
        with path.open("rb") as file:
            return file.read(HEAD_SIZE)


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
