"""Running trials: a release of each setting, attacked and measured, several at once."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest

from recloak.auditing.policy import Policy
from recloak.auditing.rehearsal import split_of
from recloak.auditing.run import BYTES_PER_RATING, audit
from recloak.comparison.protocol import Protocol
from recloak.comparison.settings import Setting
from recloak.comparison.trials import ResultCache, Trial
from recloak.core import memory
from recloak.core.errors import InputError, ParameterError
from recloak.core.progress import Progress, Staged
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.side_by_side import Steps, side_by_side

RELEASE_BYTES = 15  # of a rating in the release, beside what the audit needs


def most_at_once(ratings: Ratings, settings: Sequence[Setting], jobs: int | None = None) -> int:
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
    works = [partial(_run, shared.original, one, cache) for one in _alternating(settings)]
    with progress.task(f"Comparing on {ratings.n_users:,} people", len(settings)) as task:
        side_by_side(works, most_at_once(ratings, settings, jobs), progress, task)


def _run(ratings: Ratings, setting: Setting, cache: ResultCache, steps: Steps) -> None:
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
