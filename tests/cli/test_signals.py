from __future__ import annotations

import os
import signal
from contextlib import suppress

import pytest

from recloak.cli.signals import Watchful, listening
from recloak.errors import Cancelled
from recloak.progress import SILENT


def test_a_swallowed_interrupt_stops_the_next_step() -> None:
    with listening(), pytest.raises(Cancelled), Watchful(SILENT).task("x") as task:
        task.advance()
        with suppress(KeyboardInterrupt):  # as a library might
            os.kill(os.getpid(), signal.SIGTERM)
        task.advance()


def test_handlers_are_put_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with listening():
        assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before
