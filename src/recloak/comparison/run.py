"""Comparing: every setting under one protocol, and none of them twice."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from recloak.auditing.policy import Policy
from recloak.auditing.run import facts_of, library_versions
from recloak.comparison._trial_runs import run_trials
from recloak.comparison.charts import comparison_charts
from recloak.comparison.options import ComparisonOptions
from recloak.comparison.overview import columns, overview
from recloak.comparison.protocol import Protocol
from recloak.comparison.request import ComparisonRequest
from recloak.comparison.requirements import measurable, utility_objective
from recloak.comparison.settings import Setting
from recloak.comparison.trials import ResultCache, Trial, digest_of_ratings, tidy
from recloak.core.errors import ParameterError
from recloak.core.files import machine_errors, temporary_folder
from recloak.core.options import refuse_unknown, takes
from recloak.core.progress import SILENT, Progress
from recloak.core.progress.shown import SHOWN
from recloak.core.ratings import Ratings
from recloak.evaluation import notebook_tables
from recloak.evaluation.formatting import counted
from recloak.evaluation.notebook_tables import Cell, StatusMark
from recloak.io.options import ReadOptions
from recloak.report.charts.pictures import Pictures
from recloak.report.table import MISSING


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
        lines = [f"Comparison of {counted(data, 'setting')} on {users:,} people"]
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
        tried = counted(len(self.trials), "setting")
        caption = f"{tried} on {self.original.get('users', 0):,} people"
        more = notebook_tables.table("Refused the data", refused) if refused else ""
        return notebook_tables.table(caption, rows, head) + more


@takes(ComparisonOptions, ReadOptions)
def compare(
    ratings: Any,
    settings: Sequence[Setting | str] | None = None,
    *,
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
    progress
        Where to report how far the work is.
    **keywords
        The options below one by one, also those of reading.

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
    given, reading = ComparisonOptions.split(keywords)
    refuse_unknown("compare", reading, ComparisonOptions, ReadOptions)
    options = ComparisonOptions.build("compare", given)
    wanted = ComparisonRequest(ratings, settings, options, reading)
    judged, followed = wanted.judged, wanted.followed
    with kept_in(options.out) as folder:
        data, tried = wanted.prepared(progress)
        cache = cache_of(data, folder, followed, judged)
        return complete(data, tried, cache, judged, options.jobs, progress)


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
    run_trials(ratings, missing, cache, jobs, progress)
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
