"""Stopping: requests to stop, what they must not cut in two, and what is removed before leaving."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import RLock, current_thread, main_thread
from types import FrameType
from typing import ClassVar

from recloak.core.errors import Cancelled

SIGNALS = (signal.SIGINT, signal.SIGTERM)
ATTEMPTS = 5


class _State:
    requested = False
    completed = False
    unfinished: ClassVar[set[Path]] = set()


whole = RLock()  # held while several things appear as one, and by whoever ends the process


def begin() -> None:
    """A new command begins: nobody has asked it to stop."""
    _State.requested = _State.completed = False


def request() -> bool:
    """Ask the work to stop; False if what was asked for is in force, so that it comes too late."""
    with whole:
        _State.requested = True
        return not _State.completed


def requested() -> bool:
    """Has the command that runs now, or ran last, been asked to stop in time?"""
    return _State.requested and not _State.completed


def check() -> None:
    """Stop here if that was asked for in time."""
    if requested():
        raise Cancelled


def begin_work() -> None:
    """Another piece of work begins, unless the command is to stop."""
    _State.completed = False
    check()


@contextmanager
def indivisible() -> Iterator[None]:
    """A stretch of moments in which several things appear: all of them or none.

    A request to stop that came before is followed before anything appears; one that comes
    meanwhile comes too late and is dropped. Handlers are exchanged rather than signals blocked:
    a process has threads that would take them all the same.
    """
    with ExitStack() as handlers:
        if current_thread() is main_thread():
            for number in SIGNALS:
                handlers.callback(signal.signal, number, signal.getsignal(number))
                signal.signal(number, _too_late)
            handlers.enter_context(unwatched())
        with whole:
            begin_work()
            yield
            _State.completed = True


@contextmanager
def unwatched() -> Iterator[None]:
    """While the block runs, in the main thread, only its own handlers learn of signals."""
    watching = signal.set_wakeup_fd(-1)
    try:
        yield
    finally:
        signal.set_wakeup_fd(watching, warn_on_full_buffer=False)


def _too_late(number: int, frame: FrameType | None) -> None:
    pass


@contextmanager
def unfinished(path: Path) -> Iterator[None]:
    """While the block runs, a file or folder may be at ``path``; afterwards there is none.

    Enter before it is made: a request to stop may come at any moment.
    """
    _State.unfinished.add(path)
    try:
        yield
    finally:
        _remove(path)
        _State.unfinished.discard(path)


def remove_unfinished() -> None:
    """Remove all work under way; for a process that leaves while threads may still be writing."""
    for path in tuple(_State.unfinished):
        _remove(path)


def _remove(path: Path) -> None:
    for _ in range(ATTEMPTS):  # a thread that is still writing may put something back
        with suppress(OSError):
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()
        if not path.exists():
            return
