from __future__ import annotations

import os
import signal
from contextlib import suppress

import pytest

from recloak.cli._shared.signals import Watchful, listening
from recloak.core.errors import Cancelled
from recloak.core.progress import SILENT


def test_a_swallowed_interrupt_stops_the_next_step() -> None:
    with listening(leaving=False), pytest.raises(Cancelled), Watchful(SILENT).task("x") as task:
        task.advance()
        with suppress(KeyboardInterrupt):  # as a library might
            os.kill(os.getpid(), signal.SIGTERM)
        task.advance()


def test_handlers_are_put_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with listening(leaving=False):
        assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_compiler_is_not_interrupted() -> None:
    """An exception raised in a callback of the compiler can bring the process down."""
    inside: dict[str, object] = {"__name__": "numba.core", "kill": os.kill, "pid": os.getpid()}
    with listening(leaving=False):
        exec("def compile(number):\n    kill(pid, number)\n    return 'compiled'", inside)
        assert inside["compile"](signal.SIGTERM) == "compiled"  # type: ignore[operator]
        with pytest.raises(Cancelled), Watchful(SILENT).task("x"):
            pass
