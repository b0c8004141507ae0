"""Signals: Ctrl-C and SIGTERM stop the work, even when they fall into code that swallows them."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from types import FrameType
from typing import TYPE_CHECKING

from recloak.core import stopping
from recloak.core.errors import Cancelled
from recloak.core.progress import Progress, Task
from recloak.core.stopping import SIGNALS

if TYPE_CHECKING:
    from recloak.cli._shared.watching import Leaving


telling = Lock()  # held while whoever asked to stop is told that it stopped


class _SignalState:
    hint: str | None = None
    reported = False


@contextmanager
def listening(leaving: Leaving | None = None) -> Iterator[None]:
    """While the block runs, a signal interrupts it.

    Afterwards handlers are what they were. A process that ends with the block gives ``leaving``,
    what is told if it must leave before the work has stopped; signals that come after the work is
    done are ignored then, so that they do not turn success into something else.
    """
    stopping.begin()
    _SignalState.hint, _SignalState.reported = None, False
    try:
        before = [signal.signal(number, _stop) for number in SIGNALS]
    except ValueError:  # not in the main thread: whoever runs us handles signals
        yield
        return
    try:
        with _watched(leaving):
            yield
    finally:
        for number, handler in zip(SIGNALS, before, strict=True):
            signal.signal(number, signal.SIG_IGN if leaving else handler)


@contextmanager
def _watched(leaving: Leaving | None) -> Iterator[None]:
    """Work that was stopped may leave threads behind, so that the watch then goes on."""
    if leaving is None:
        yield
        return
    from recloak.cli._shared.watching import (
        SignalWatch,  # it starts a thread: only commands need it
    )

    watch = SignalWatch(leaving)
    previous_hook, sys.unraisablehook = sys.unraisablehook, _tell_unless_stopped
    yield
    sys.unraisablehook = previous_hook
    watch.end()


def _tell_unless_stopped(lost: sys.UnraisableHookArgs) -> None:
    """Tell of an exception that nobody can catch, unless it is how a request to stop was lost."""
    if not (stopping.requested() and issubclass(lost.exc_type, KeyboardInterrupt)):
        sys.__unraisablehook__(lost)


def goes_on(hint: str) -> None:
    """Say what is kept, should the command be stopped from here on."""
    _SignalState.hint = hint


def stopped() -> Cancelled | None:
    """What tells whoever asked for it that the command has stopped; None if they were told."""
    before, _SignalState.reported = _SignalState.reported, True
    return None if before else Cancelled(hint=_SignalState.hint)


def _stop(number: int, frame: FrameType | None) -> None:
    """Interrupt at once, except inside the compiler, which would crash; it is soon done."""
    if stopping.request() and not _compiling(frame):
        raise KeyboardInterrupt


def _compiling(frame: FrameType | None) -> bool:
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).split(".")[0] in ("numba", "llvmlite"):
            return True
        frame = frame.f_back
    return False


class StoppableProgress:
    """A progress that also stops the work once a signal has come.

    An interrupt that is raised while a library compiles or cleans up can be lost there; the next
    step of the work then finds the request here.
    """

    def __init__(self, shown: Progress) -> None:
        self._shown = shown

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[Task]:
        stopping.begin_work()
        with self._shown.task(label, total) as task:
            yield _WatchfulTask(task)


class _WatchfulTask:
    def __init__(self, shown: Task) -> None:
        self._shown = shown

    def advance(self, amount: float = 1) -> None:
        stopping.check()
        self._shown.advance(amount)
