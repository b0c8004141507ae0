"""Measuring: a piece of Python in a process of its own, its seconds and its peak memory."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass

PREAMBLE = "import sys, time\n"
TIMED = "\nstarted = time.perf_counter()\n{timed}\nprint(time.perf_counter() - started)\n"


@dataclass(frozen=True)
class Cost:
    """The least seconds and the most memory over some rounds."""

    seconds: float
    gigabytes: float

    def __str__(self) -> str:
        return f"{self.seconds:.2f} s, {self.gigabytes:.2f} GB"


def cost(timed: str, setup: str = "", rounds: int = 3, *, cpu: bool = False) -> Cost:
    """Run ``setup`` and then ``timed`` in fresh processes; only ``timed`` is on the clock.

    With ``cpu`` it is the clock of the processor, which counts all threads and no other work.
    """
    clocked = TIMED.format(timed=timed)
    if cpu:
        clocked = clocked.replace("perf_counter", "process_time")
    costs = [_once(PREAMBLE + setup + clocked) for _ in range(rounds)]
    return Cost(min(one.seconds for one in costs), max(one.gigabytes for one in costs))


def versus(
    ours: str, theirs: str, setup: str = "", rounds: int = 3, *, cpu: bool = False
) -> tuple[Cost, Cost]:
    """Two ways of doing the same work, in turns, so that a busy machine slows both."""
    sides = [[cost(way, setup, 1, cpu=cpu) for way in (ours, theirs)] for _ in range(rounds)]
    return tuple(  # type: ignore[return-value]
        Cost(min(one.seconds for one in side), max(one.gigabytes for one in side))
        for side in zip(*sides, strict=True)
    )


def command(*words: str) -> Cost:
    """A whole command, start-up included."""
    return _once(
        PREAMBLE
        + "import subprocess\n"
        + TIMED.format(timed=f"subprocess.run({list(words)!r}, check=True, capture_output=True)")
    )


def processor(*words: str) -> Cost:
    """A whole command, start-up included, in seconds of the processor: other work counts less."""
    used = "resource.getrusage(resource.RUSAGE_CHILDREN)"
    return _once(
        "import resource, subprocess\n"
        f"subprocess.run({list(words)!r}, check=True, capture_output=True)\n"
        f"used = {used}\nprint(used.ru_utime + used.ru_stime)\n"
    )


def _once(code: str) -> Cost:
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"a benchmark failed:\n{code}")
    peak = usage.ru_maxrss / 2**20
    return Cost(float(output.split()[-1]), peak)
