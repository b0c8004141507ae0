"""Watching for signals: who asks to stop does not wait, whatever the work is busy with."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Any, NoReturn

from recloak.core import stopping
from recloak.core.errors import Cancelled

PATIENCE_SECONDS = 1.0  # for the work to stop by itself, at its next step
Leaving = Callable[[], tuple[int, str]]  # where to tell whoever asked that it stopped, and what
_END = b"\0"
_SHOW_CURSOR = "\x1b[?25h"


class SignalWatch:
    """A thread that learns of signals while compiled code keeps the main thread busy.

    Work that does not come to a step within moments is left as it is: what it was writing is
    removed and the process ends. A second signal ends it at once; what is left on the disk then,
    the next run removes. What appears as one is never cut in two.
    """

    def __init__(self, leaving: Leaving) -> None:
        self._leaving = leaving
        self._terminal = _terminal_modes()
        self._incoming, self._outgoing = os.pipe()
        os.set_blocking(self._outgoing, False)
        signal.set_wakeup_fd(self._outgoing, warn_on_full_buffer=False)
        Thread(target=self._run, name="watching for signals", daemon=True).start()

    def end(self) -> None:
        """The work has ended well: whatever comes now comes too late."""
        signal.set_wakeup_fd(-1)
        os.write(self._outgoing, _END)

    def _run(self) -> None:
        number, late = self._next(), False
        while number:
            if number in stopping.SIGNALS:
                in_time = stopping.request()
                again = self._next(PATIENCE_SECONDS) if in_time else None
                if again == 0:
                    return
                if in_time or late:
                    self._leave(clean=in_time and again is None)
                late = True
            number = self._next()

    def _next(self, seconds: float | None = None) -> int | None:
        """The next signal; 0 if the work has ended, None if none came in time."""
        if not select.select([self._incoming], [], [], seconds)[0]:
            return None
        return os.read(self._incoming, 1)[0]

    def _leave(self, *, clean: bool) -> None:
        with stopping.whole:
            if clean:
                stopping.remove_unfinished()
            _end_children()
            if self._terminal is not None:
                _restore(self._terminal)
            _write(*self._leaving())
            os._exit(Cancelled.exit_code)


def leave(code: int) -> NoReturn:
    """End a process that was asked to stop, without waiting for threads that are still busy.

    Python itself would wait for them, and would end by a signal in place of the code if the
    interrupt passed through an ``exec`` on its way, such as that of a dataclass.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    _end_children()
    os._exit(code)


def _end_children() -> None:
    """Nobody waits for them any more."""
    if "multiprocessing" in sys.modules:
        from multiprocessing import active_children

        for child in active_children():
            child.kill()


def _write(handle: int, text: str) -> None:
    """Write unless whoever should read does not."""
    with suppress(OSError, ValueError):
        if select.select([], [handle], [], 0.2)[1]:
            os.write(handle, text.encode())


def _terminal_modes() -> list[Any] | None:
    """How the terminal is set; whoever asks for a passphrase changes that for a while."""
    try:
        return termios.tcgetattr(2)
    except (OSError, termios.error):
        return None


def _restore(modes: list[Any]) -> None:
    with suppress(OSError, termios.error):
        termios.tcsetattr(2, termios.TCSANOW, modes)
    _write(2, f"{_SHOW_CURSOR}\n")
