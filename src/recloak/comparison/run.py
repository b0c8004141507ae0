"""Comparing: every setting under one protocol, side by side within memory, never twice."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from threading import Event, Lock
from typing import Any

import polars as pl

from recloak.auditing.policy import Policy
from recloak.auditing.rehearsal import split_of
from recloak.auditing.run import BYTES_PER_RATING, audit, facts_of, library_versions
from recloak.comparison.charts import comparison_charts
from recloak.comparison.overview import columns, overview
from recloak.comparison.protocol import Protocol
from recloak.comparison.request import ComparisonRequest
from recloak.comparison.requirements import measurable, utility_objective
from recloak.comparison.settings import Setting
from recloak.comparison.trials import ResultCache, Trial, digest_of_ratings, tidy
from recloak.core import memory
from recloak.core.errors import Cancelled, InputError, ParameterError
from recloak.core.files import machine_errors, temporary_folder
from recloak.core.options import takes
from recloak.core.progress import SILENT, Progress, Staged, Task
from recloak.core.progress.shown import SHOWN
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation import notebook_tables
from recloak.evaluation.notebook_tables import Cell, StatusMark
from recloak.io.options import ReadOptions
from recloak.report.charts.pictures import Pictures
from recloak.report.table import MISSING

RELEASE_BYTES = 15  # of a rating in the release, beside what the audit needs


@dataclass(frozen=True, repr=False)
class Comparison:
    """All trials of a grid, in its order, and what they have in common.

    A notebook shows the settings at a glance; `to_frame` has all figures, `plot` the charts.
    """

    trials: tuple[Trial, ...]
    original: dict[str, Any]
    data: str
    protocol: Protocol
    policy: Policy
    versions: dict[str, str]
    computed: int = 0
    seconds: float = 0.0

    @property
    def audited(self) -> tuple[Trial, ...]:
        """The trials of methods that could work on these data."""
        return tuple(trial for trial in self.trials if trial.audit is not None)

    def to_frame(self) -> pl.DataFrame:
        """One row for each method, setting, attacker or measure and figure, with its interval.

        A claim is a row with the figure ``holds``, 1 or 0; a method that refused the data has one
        row of the family ``refused`` whose label says why.
        """
        return tidy(self.trials)

    def plot(self, like: str = "") -> Pictures:
        """The charts of the page: what settings cost and keep, and what attackers get.

        ``like`` is a part of the titles of those that are wanted.
        """
        objective = measurable(utility_objective(), self.trials)
        return Pictures.of(comparison_charts(self.audited, objective), like)

    def __repr__(self) -> str:
        users, data = self.original.get("users", 0), len(self.trials)
        lines = [f"Comparison of {data} settings on {users:,} people"]
        lines += [
            f"  {trial.name}: {trial.audit.status if trial.audit else f'refused, {trial.refused}'}"
            for trial in self.trials
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        seen = columns(self.audited)
        rows: list[Sequence[Cell]] = [
            (
                trial.name,
                StatusMark.of(trial.audit.status),
                *(one.shown() if one else MISSING for one in overview(trial, seen)),
            )
            for trial in self.audited
            if trial.audit is not None
        ]
        refused = [(trial.name, trial.refused) for trial in self.trials if trial.audit is None]
        head = ("setting", "policy", *(one.column for one in seen))
        caption = f"{len(self.trials)} settings on {self.original.get('users', 0):,} people"
        more = notebook_tables.table("Refused the data", refused) if refused else ""
        return notebook_tables.table(caption, rows, head) + more


@takes(ReadOptions)
def compare(
    ratings: Any,
    settings: Sequence[Setting | str] | None = None,
    *,
    methods: Sequence[str] | str | None = None,
    grid: str | Path | None = None,
    out: str | Path | None = None,
    seed: int = 0,
    policy: Policy | str | Path | None = None,
    protocol: Protocol | None = None,
    jobs: int | None = None,
    progress: Progress = SHOWN,
    **keywords: Any,
) -> Comparison:
    """Audit a release of every setting under the same protocol; finished trials stand in ``out``.

    The same seed decides every release, probe and sample, so that what differs is the method. What
    is in ``out`` already is not computed again, and a run that was stopped goes on where it was.

    Parameters
    ----------
    ratings
        The data to be published: ratings, or whatever `recloak.read` takes.
    settings
        What to try: settings, or texts such as ``microaggregation:k=5``; by default every method
        that suits the data, at several settings.
    methods
        Only these methods, by their names.
    grid
        A grid file with the settings.
    out
        A folder for the trials, which may hold some already; without one nothing is kept.
    seed
        Decides every release and sample.
    policy
        What every setting is judged by, or the file of it; by default ours.
    protocol
        How all are attacked and measured; by default as usual.
    jobs
        How many trials run at once at most; by default as many as cores and memory allow.
    progress
        Where to report how far the work is.
    **keywords
        The options of reading, one by one.

    Returns
    -------
    Comparison
        A trial for each setting, each with its audit or with why the method refused the data.

    Raises
    ------
    ParameterError
        ``out`` is a file, or a release.

    Examples
    --------
    >>> import tempfile, recloak
    >>> ratings = recloak.synthesize("ml-100k", users=60, ratings=2_000, seed=1)
    >>> recloak.compare(ratings, [], out=tempfile.mkdtemp()).trials
    ()

    """
    wanted = ComparisonRequest(ratings, keywords, settings, methods, grid, seed, protocol, policy)
    judged, followed = wanted.judged, wanted.followed
    with kept_in(out) as folder:
        data, tried = wanted.prepared(progress)
        cache = cache_of(data, folder, followed, judged)
        return complete(data, tried, cache, judged, jobs, progress)


def complete(
    ratings: Ratings,
    wanted: Sequence[Setting],
    cache: ResultCache,
    judged: Policy,
    jobs: int | None = None,
    progress: Progress = SILENT,
) -> Comparison:
    """The comparison of these settings; trials that the cache of these ratings lacks are run."""
    started = time.perf_counter()
    missing = [setting for setting in wanted if cache.read(setting) is None]
    _compute(ratings, _alternating(missing), cache, jobs, progress)
    trials = [cache.read(setting) for setting in wanted]
    return Comparison(
        trials=tuple(trial.judged(judged) for trial in trials if trial is not None),
        original=facts_of(ratings),
        data=cache.data,
        protocol=cache.protocol,
        policy=judged,
        versions=library_versions(),
        computed=len(missing),
        seconds=time.perf_counter() - started,
    )


def cache_of(
    ratings: Ratings, out: str | Path, protocol: Protocol | None, policy: Policy
) -> ResultCache:
    """Where the trials of these data stand, with all that the policy asks for."""
    followed = (protocol or Protocol.usual()).with_policy(policy)
    return ResultCache(_folder_of(out), digest_of_ratings(ratings), followed)


@contextmanager
def kept_in(out: str | Path | None) -> Iterator[str | Path]:
    """The folder for trials; without one, a temporary one that is gone afterwards."""
    if out is not None:
        refuse_place(out)
        yield out
        return
    with temporary_folder() as folder:
        yield folder


def refuse_place(out: str | Path) -> None:
    """Refuse a place where no trials and results can go."""
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise ParameterError("is a file", where=f"--out {out}", hint="Name a folder.")
    if (folder / "manifest.json").exists():
        raise ParameterError("is a release", where=f"--out {out}", hint="Name another folder.")


def _folder_of(out: str | Path) -> Path:
    """The folder for trials and results, made if it is not there."""
    refuse_place(out)
    folder = Path(out)
    with machine_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def side_by_side(ratings: Ratings, settings: Sequence[Setting], jobs: int | None = None) -> int:
    """How many trials run at once: as many as there are cores and as memory has room for."""
    each = max((bytes_of_trial(setting, ratings) for setting in settings), default=0)
    room = int(memory.available() // max(each, 1))
    return max(1, min(jobs or os.cpu_count() or 1, room, len(settings)))


def bytes_of_trial(setting: Setting, ratings: Ratings) -> int:
    """What one trial needs beside the ratings."""
    return (BYTES_PER_RATING + RELEASE_BYTES) * setting.method.most_ratings(ratings)


def _compute(
    ratings: Ratings,
    settings: Sequence[Setting],
    cache: ResultCache,
    jobs: int | None,
    progress: Progress,
) -> None:
    if not settings:
        return
    shared = split_of(ratings, cache.protocol.seed)  # held while trials run, so that they share it
    stopped = Event()
    with progress.task(f"Comparing on {ratings.n_users:,} people", len(settings)) as task:
        steps = _Steps(progress, task, stopped)
        with ThreadPoolExecutor(side_by_side(ratings, settings, jobs)) as pool:
            running = [pool.submit(_run, shared.original, one, cache, steps) for one in settings]
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
        """A cell is done."""
        with self._lock:
            self._task.advance(1)


class _Step:
    """A piece of work within a trial."""

    def __init__(self, steps: _Steps, shown: Task) -> None:
        self._steps, self._shown = steps, shown

    def advance(self, amount: float = 1) -> None:
        self._steps.go_on()
        self._shown.advance(amount)
