"""Costs: CPU seconds and memory of one way to check a survey."""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from recloak.core.progress import SILENT, Progress
from recloak.core.survey import Survey
from recloak.guarantees.proximity._routes import ROUTES, GroupDeviations, ProximityRule

_STATUS = Path("/proc/self/status")
MOST_ROUNDS, ENOUGH_SECONDS = 3, 1.0


def seconds_of(
    route: str, survey: Survey, asked: ProximityRule, progress: Progress = SILENT
) -> tuple[float, GroupDeviations]:
    """The fewest CPU seconds of all threads over some rounds, and what was found.

    The time of the processor rather than of the clock: it does not grow on a busy machine.
    """
    spent: list[float] = []
    while len(spent) < MOST_ROUNDS and sum(spent) < ENOUGH_SECONDS:
        started = time.process_time()
        groups = ROUTES[route](survey, asked, progress)
        spent.append(time.process_time() - started)
    return min(spent), groups


def warm_up(routes: tuple[str, ...], survey: Survey, asked: ProximityRule) -> None:
    """Compile what is not compiled yet, off the clock."""
    for route in routes:
        ROUTES[route](survey, asked, SILENT)


def megabytes_of(route: str, survey: Survey, asked: ProximityRule, few: Survey) -> float | None:
    """By how much a process of its own grows, beyond what the same on a ``few`` records takes.

    None on systems that do not tell the peak of a process.
    """
    if not _STATUS.exists():
        return None
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
        return alone.submit(_growth, route, survey, asked, few).result()


def _growth(route: str, survey: Survey, asked: ProximityRule, few: Survey) -> float:
    ROUTES[route](few, asked, SILENT)
    before = _peak()
    ROUTES[route](survey, asked, SILENT)
    return (_peak() - before) / 1024


def _peak() -> int:
    """Kilobytes that this process held at most so far; getrusage would count its parent's."""
    lines = _STATUS.read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
