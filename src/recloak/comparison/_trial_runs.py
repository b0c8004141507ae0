"""Running trials: a release of each setting, attacked and measured, several at once."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from itertools import zip_longest
from threading import Event, Lock

from recloak.auditing.policy import Policy
from recloak.auditing.rehearsal import split_of
from recloak.auditing.run import BYTES_PER_RATING, audit
from recloak.comparison.protocol import Protocol
from recloak.comparison.settings import Setting
from recloak.comparison.trials import ResultCache, Trial
from recloak.core import memory
from recloak.core.errors import Cancelled, InputError, ParameterError
from recloak.core.progress import Progress, Staged, Task
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings

RELEASE_BYTES = 15  # of a rating in the release, beside what the audit needs


def side_by_side(ratings: Ratings, settings: Sequence[Setting], jobs: int | None = None) -> int:
    """How many trials run at once: as many as there are cores and as memory has room for."""
    each = max((bytes_of_trial(setting, ratings) for setting in settings), default=0)
    room = int(memory.available() // max(each, 1))
    return max(1, min(jobs or os.cpu_count() or 1, room, len(settings)))


def bytes_of_trial(setting: Setting, ratings: Ratings) -> int:
    """What one trial needs beside the ratings."""
    return (BYTES_PER_RATING + RELEASE_BYTES) * setting.method.most_ratings(ratings)


def run_trials(
    ratings: Ratings,
    settings: Sequence[Setting],
    cache: ResultCache,
    jobs: int | None,
    progress: Progress,
) -> None:
    """Run a trial of each setting and write it into the cache, several at once."""
    if not settings:
        return
    shared = split_of(ratings, cache.protocol.seed)  # held while trials run, so that they share it
    stopped = Event()
    with progress.task(f"Comparing on {ratings.n_users:,} people", len(settings)) as task:
        steps = _Steps(progress, task, stopped)
        with ThreadPoolExecutor(side_by_side(ratings, settings, jobs)) as pool:
            order = _alternating(settings)
            running = [pool.submit(_run, shared.original, one, cache, steps) for one in order]
            try:
                for trial in running:
                    trial.result()
            finally:
                stopped.set()
                pool.shutdown(cancel_futures=True)


def _run(ratings: Ratings, setting: Setting, cache: ResultCache, steps: _Steps) -> None:
    started = time.perf_counter()
    trial = run_trial(ratings, setting, cache.protocol, Staged(steps, setting.label))
    cache.write(replace(trial, seconds=time.perf_counter() - started))
    steps.finished()


def run_trial(ratings: Ratings, setting: Setting, protocol: Protocol, progress: Progress) -> Trial:
    """Make the release under the protocol's seed and audit it, as `recloak audit` would."""
    recipe = setting.method
    caveat = recipe.caveat or setting.overlooks
    try:
        applied = recipe.apply(ratings, Randomness.from_seed(protocol.seed), progress)
    except (InputError, ParameterError) as problem:
        return Trial(setting, None, refused=problem.what, caveat=caveat)
    found = audit(
        ratings,
        applied.release,
        secret=applied.secret,
        method=recipe,
        policy=Policy.nothing(),  # policies are judged when trials are read
        claims=protocol.claims,
        attacks=protocol.attacks,
        measures=protocol.measures,
        seed=protocol.seed,
        progress=progress,
    )
    return Trial(setting, replace(found, tails={}), caveat=caveat)


def _alternating(settings: Sequence[Setting]) -> list[Setting]:
    """Methods in turn, so that what is done early tells how long the rest will take."""
    by_name: dict[str, list[Setting]] = {}
    for setting in settings:
        by_name.setdefault(setting.name, []).append(setting)
    turns = zip_longest(*by_name.values())
    return [setting for turn in turns for setting in turn if setting is not None]


class _Steps:
    """The progress of trials that run side by side: each step looks whether all is to stop."""

    def __init__(self, shown: Progress, task: Task, stopped: Event) -> None:
        self._shown, self._task, self._stopped, self._lock = shown, task, stopped, Lock()

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[Task]:
        """What a trial is at, and how far that is."""
        self.go_on()
        with self._shown.task(label, total) as shown:
            yield _Step(self, shown)

    def go_on(self) -> None:
        """A step within a trial: the bar of all counts trials, so this only keeps it alive."""
        if self._stopped.is_set():
            raise Cancelled
        with self._lock:
            self._task.advance(0)

    def finished(self) -> None:
        """A trial is done."""
        with self._lock:
            self._task.advance(1)


class _Step:
    """A piece of work within a trial."""

    def __init__(self, steps: _Steps, shown: Task) -> None:
        self._steps, self._shown = steps, shown

    def advance(self, amount: float = 1) -> None:
        self._steps.go_on()
        self._shown.advance(amount)
