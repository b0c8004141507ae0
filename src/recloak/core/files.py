"""Files that appear whole or not at all: write beside, fsync, rename."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from recloak.core.errors import MachineError, ParameterError
from recloak.core.stopping import unfinished

_STAGING = ".recloak-partial-"


def refuse_existing(path: Path, flag: str) -> None:
    """Nothing that exists is ever overwritten."""
    try:
        there = path.exists() or path.is_symlink()
    except OSError as problem:
        message = problem.strerror or str(problem)
        raise ParameterError(f"cannot be used: {message}", where=f"{flag} {path}") from None
    if there:
        raise ParameterError(
            "exists already and is never overwritten",
            where=f"{flag} {path}",
            hint="Choose another name, or remove it yourself first.",
        )


def parent_of(path: Path, flag: str) -> Path:
    """The folder that ``path`` will stand in; it must exist and be writable."""
    parent = path.absolute().parent
    if path.name in ("", "..") or path.absolute() == parent:
        raise ParameterError(
            "cannot be the name of a new file or folder", where=f"{flag} {path or '(empty)'}"
        )
    refuse_inside_release(path, flag)
    if not parent.is_dir():
        raise ParameterError(
            f"the folder {parent} does not exist", where=f"{flag} {path}", hint="Make it first."
        )
    if not os.access(parent, os.W_OK):
        raise MachineError(f"no permission to write in {parent}", where=f"{flag} {path}")
    return parent


def refuse_inside_release(path: Path, flag: str) -> None:
    """Nothing is ever put into a release: least of all what would undo it."""
    parent = path.absolute().parent
    for folder in dict.fromkeys(
        [parent, *parent.parents, parent.resolve(), *parent.resolve().parents]
    ):
        if _is_release(folder):
            raise ParameterError(
                f"would be inside the release {folder}",
                where=f"{flag} {path}",
                hint="Choose a path outside it.",
            )


def _is_release(folder: Path) -> bool:
    try:
        with (folder / "manifest.json").open("rb") as file:
            return b'"release_id"' in file.read(4096)
    except OSError:
        return False


@contextmanager
def machine_errors(path: Path) -> Iterator[None]:
    """Turn failures of the disk into errors that say what to do."""
    try:
        yield
    except PermissionError as problem:
        raise MachineError("no permission to write", where=str(path)) from problem
    except Exception as problem:
        number = _system_error(problem)
        if number is None:
            raise
        if number in (errno.ENOSPC, errno.EDQUOT):
            raise MachineError(
                "the disk is full",
                where=str(path),
                hint="Nothing was left behind; free some space.",
            ) from problem
        message = os.strerror(number) if number else str(problem)
        raise MachineError(f"cannot write: {message}", where=str(path)) from problem


def _system_error(problem: Exception) -> int | None:
    """The system's number for what went wrong; Polars words it in its own way."""
    number = re.search(r"os error (\d+)", str(problem))
    if (number and type(problem).__module__.startswith("polars")) or isinstance(problem, OSError):
        own = problem.errno if isinstance(problem, OSError) else None
        return own or (int(number[1]) if number else 0)
    return None


@contextmanager
def staging_folder(final: Path) -> Iterator[Path]:
    """A folder beside ``final`` that is gone afterwards, whatever happened.

    It is locked while its owner lives, so that the next run can tell the leftovers of a killed
    run from work under way, and removes them.
    """
    parent = parent_of(final, "--out")
    _remove_abandoned(parent)
    with ExitStack() as closing:
        with machine_errors(final):
            folder = _locked_folder(parent, closing)
        yield folder


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder where the system keeps what is for a while; gone afterwards, as the other is."""
    with staging_folder(Path(tempfile.gettempdir()) / "recloak") as folder:
        yield folder


def _locked_folder(parent: Path, closing: ExitStack) -> Path:
    """A new folder, locked; another one if a run that cleans up took it for a leftover.

    Its removal is arranged before it is made: a request to stop may come at any moment.
    """
    while True:
        folder = parent / f"{_STAGING}{secrets.token_hex(6)}"
        closing.enter_context(unfinished(folder))
        folder.mkdir(mode=0o700)
        with suppress(FileNotFoundError):
            held = os.open(folder, os.O_RDONLY)
            closing.callback(os.close, held)
            fcntl.flock(held, fcntl.LOCK_EX)
            if folder.exists():
                return folder


def move_into_place(staged: Path, final: Path, *, synced: bool = False) -> None:
    """Rename a finished file or folder, on the disk if not ``synced``; none is ever replaced."""
    with machine_errors(final):
        if not synced:
            sync_tree(staged)
        refuse_existing(final, "--out")
        staged.rename(final)
        sync_folder(final.parent)


def write_whole(path: Path, content: bytes, *, mode: int = 0o644, overwrite: bool = False) -> None:
    """Write a file whole or not at all."""
    with open_whole(path, mode=mode, overwrite=overwrite) as file:
        file.write(content)


@contextmanager
def open_whole(path: Path, *, mode: int = 0o644, overwrite: bool = False) -> Iterator[IO[bytes]]:
    """A file to write to that appears under its name only if the block ends well."""
    with staged_file(path, mode=mode, overwrite=overwrite) as (file, appear):
        yield file
        appear()


@contextmanager
def staged_file(
    path: Path, *, mode: int = 0o644, overwrite: bool = False
) -> Iterator[tuple[IO[bytes], Callable[[], None]]]:
    """A file to write to, and the function that makes it appear; gone if that is not called."""
    parent = parent_of(path, "--out")
    if not overwrite:
        refuse_existing(path, "--out")
    _remove_abandoned(parent)
    beside = parent / f"{_STAGING}{secrets.token_hex(6)}"

    def appear() -> None:
        with machine_errors(path):
            file.flush()
            os.fsync(file.fileno())
            if not overwrite:
                refuse_existing(path, "--out")
            beside.rename(path)
            sync_folder(parent)

    with machine_errors(path), unfinished(beside), _created(beside, mode) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file, appear


def _created(path: Path, mode: int) -> IO[bytes]:
    return open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode))


def digest_of(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sync_tree(path: Path) -> None:
    """Make sure that a file, or a folder and all in it, is on the disk."""
    if path.is_dir():
        for inside in path.iterdir():
            sync_tree(inside)
        sync_folder(path)
        return
    with path.open("rb") as file:
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Make sure that a folder's entries are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove_abandoned(parent: Path) -> None:
    """Remove what a killed run left: its lock died with it."""
    for left in parent.glob(f"{_STAGING}*"):
        with suppress(OSError):
            held = os.open(left, os.O_RDONLY)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left) if left.is_dir() else left.unlink()
            finally:
                os.close(held)
