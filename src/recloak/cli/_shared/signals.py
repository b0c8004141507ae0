"""Signals: Ctrl-C and SIGTERM stop the work, even when they fall into code that swallows them."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from recloak.core.errors import Cancelled
from recloak.core.progress import Progress, Task

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class _State:
    requested = False


@contextmanager
def listening(*, leaving: bool) -> Iterator[None]:
    """While the block runs, a signal interrupts it.

    Afterwards handlers are what they were; in a process that is ``leaving``, signals that come
    after the work is done are ignored, so that they do not turn success into something else.
    """
    _State.requested = False
    try:
        before = [signal.signal(number, _stop) for number in SIGNALS]
    except ValueError:  # not in the main thread: whoever runs us handles signals
        yield
        return
    try:
        yield
    finally:
        for number, handler in zip(SIGNALS, before, strict=True):
            signal.signal(number, signal.SIG_IGN if leaving else handler)


def requested() -> bool:
    """Has a signal asked the command that runs now, or ran last, to stop?"""
    return _State.requested


def _stop(number: int, frame: FrameType | None) -> None:
    """Interrupt at once, except inside the compiler, which would crash; it is soon done."""
    _State.requested = True
    if not _compiling(frame):
        raise KeyboardInterrupt


def _compiling(frame: FrameType | None) -> bool:
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).split(".")[0] in ("numba", "llvmlite"):
            return True
        frame = frame.f_back
    return False


class Watchful:
    """A progress that also stops the work once a signal has come.

    An interrupt that is raised while a library compiles or cleans up can be lost there; the next
    step of the work then finds the request here.
    """

    def __init__(self, shown: Progress) -> None:
        self._shown = shown

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[Task]:
        _check()
        with self._shown.task(label, total) as task:
            yield _WatchfulTask(task)


class _WatchfulTask:
    def __init__(self, shown: Task) -> None:
        self._shown = shown

    def advance(self, amount: float = 1) -> None:
        _check()
        self._shown.advance(amount)


def _check() -> None:
    if _State.requested:
        raise Cancelled
