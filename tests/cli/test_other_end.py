"""Warming up in two processes: the second one does its part, and never outlives the first."""

from __future__ import annotations

import subprocess
import sys

from recloak.cli._shared import other_end
from recloak.cli._shared.other_end import STARTS, compiling_from_the_last
from recloak.core.parallel import at_most_threads


def test_the_other_process_runs_every_measure_and_attack_of_the_usual_path() -> None:
    started = subprocess.Popen(
        [sys.executable, "-c", STARTS],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert started.stdout is not None
    counts = [int(line) for line in started.stdout]
    _, problem = started.communicate()
    assert started.returncode == 0, problem
    assert len(counts) > 30
    assert counts == sorted(counts)


def test_it_ends_once_the_process_that_started_it_has_ended() -> None:
    started = subprocess.Popen(
        [sys.executable, "-c", STARTS], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    assert started.stdin is not None
    started.stdin.close()
    assert started.wait(timeout=60) == 1


def test_it_ends_with_the_block(monkeypatch) -> None:
    started = []
    begin = subprocess.Popen

    def noted(*words, **settings):
        started.append(begin(*words, **settings))
        return started[-1]

    monkeypatch.setattr(other_end.subprocess, "Popen", noted)
    with at_most_threads(2), compiling_from_the_last() as compiled:
        assert compiled() >= 0
        assert started[0].poll() is None
    assert started[0].returncode is not None


def test_on_one_core_nothing_is_started(monkeypatch) -> None:
    monkeypatch.setattr(other_end.subprocess, "Popen", None)
    with at_most_threads(1), compiling_from_the_last() as compiled:
        assert compiled() == 0
