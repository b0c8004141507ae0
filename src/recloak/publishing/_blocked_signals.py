"""Blocked signals: a short stretch of work that a signal must not cut in two."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

HELD = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def signals_blocked() -> Iterator[None]:
    """Ctrl-C and SIGTERM wait while the block runs; it takes moments.

    If the block ends well, a request that came meanwhile came too late and is dropped; if it
    fails, its own error says more.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, HELD)
    try:
        yield
    finally:
        while signal.sigtimedwait(HELD, 0) is not None:
            pass
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
