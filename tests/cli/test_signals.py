from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

import pytest

from recloak.cli._shared.signals import StoppableProgress, listening
from recloak.cli.main import main
from recloak.core.errors import Cancelled
from recloak.core.progress import SILENT


def test_a_swallowed_interrupt_stops_the_next_step() -> None:
    with listening(), pytest.raises(Cancelled), StoppableProgress(SILENT).task("x") as task:
        task.advance()
        with suppress(KeyboardInterrupt):  # as a library might
            os.kill(os.getpid(), signal.SIGTERM)
        task.advance()


def test_handlers_are_put_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with listening():
        assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_compiler_is_not_interrupted() -> None:
    """An exception raised in a callback of the compiler can bring the process down."""
    inside: dict[str, object] = {"__name__": "numba.core", "kill": os.kill, "pid": os.getpid()}
    with listening():
        exec("def compile(number):\n    kill(pid, number)\n    return 'compiled'", inside)
        assert inside["compile"](signal.SIGTERM) == "compiled"  # type: ignore[operator]
        with pytest.raises(Cancelled), StoppableProgress(SILENT).task("x"):
            pass


class Panic(BaseException):
    """What Polars raises in place of an interrupt that fell into it is no Exception either."""


@pytest.mark.parametrize("surfaced", [RuntimeError, OSError, MemoryError, SystemExit, Panic])
def test_whatever_surfaces_after_a_request_to_stop_is_its_consequence(
    surfaced: type[BaseException],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def interrupted(words: list[str]) -> int:
        with suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        raise surfaced("it came out of a library as something else")

    monkeypatch.setattr(sys.modules[main.__module__], "_run", interrupted)
    assert main(["inspect", "ratings.csv"]) == 130
    assert capsys.readouterr().err == "recloak: stopped on request\n"


def test_a_defect_before_any_request_stays_a_defect(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(words: list[str]) -> int:
        raise RuntimeError("broken")

    monkeypatch.setattr(sys.modules[main.__module__], "_run", broken)
    assert main(["inspect", "ratings.csv"]) == 1
    assert "defect" in capsys.readouterr().err
