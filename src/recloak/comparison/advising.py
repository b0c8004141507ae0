"""Advising: the setting that meets all requirements and keeps most, and how it was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from recloak.auditing.policy import Policy, Requirement
from recloak.comparison._goal import Goal
from recloak.comparison._reasons import why, why_nothing
from recloak.comparison.frontier import frontier_of
from recloak.comparison.options import AdviceOptions
from recloak.comparison.protocol import Protocol
from recloak.comparison.relaxing import Relaxation, relaxations
from recloak.comparison.request import ComparisonRequest
from recloak.comparison.requirements import (
    Objective,
    RequirementResult,
    judge,
    measurable,
    policy_of,
)
from recloak.comparison.run import Comparison, cache_of, complete, kept_in
from recloak.comparison.settings import Setting
from recloak.comparison.trials import Trial
from recloak.core.options import takes
from recloak.core.progress import Progress
from recloak.core.progress.shown import SHOWN
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.io.options import ReadOptions
from recloak.report.wording.unjudged import not_looked_at

FEWEST_PEOPLE = 1000  # fewer tell too little about the others
FEWEST_RATINGS = 100_000
SAMPLE_SHARES = (1 / 16, 1 / 4)
KEPT_SHARE = 0.5
FEWEST_KEPT = 6
QUICK_PEOPLE = 1000


@dataclass(frozen=True)
class Round:
    """One round of halving: on how many people, which settings went in and which went on."""

    people: int
    tried: tuple[str, ...]
    kept: tuple[str, ...]


@dataclass(frozen=True)
class Advice:
    """The frontier, the pick with its reason, and what comes nearest if nothing satisfies."""

    comparison: Comparison
    objective: Objective
    requirements: tuple[Requirement, ...]
    frontier: tuple[Trial, ...]
    pick: Trial | None
    nearest: Trial | None
    reason: str
    rounds: tuple[Round, ...] = ()
    relaxations: tuple[Relaxation, ...] = ()
    people: int | None = None
    """On how many people, drawn at random, everything was tried; None if on all of them."""

    def met(self, trial: Trial) -> list[RequirementResult]:
        """How a trial stands to each requirement."""
        return [judge(one, trial) for one in self.requirements]

    @property
    def not_looked_at(self) -> str:
        """What was found out about the pick and nothing that is required judges."""
        if self.pick is None:
            return ""
        judged = self.pick.judged(policy_of(self.requirements, self.pick)).audit
        return not_looked_at(judged) if judged else ""

    @property
    def chosen(self) -> Trial | None:
        """The pick, or what comes nearest."""
        return self.pick or self.nearest


@takes(AdviceOptions, ReadOptions)
def advise(
    ratings: Any,
    settings: Sequence[Setting | str] | None = None,
    *,
    progress: Progress = SHOWN,
    **keywords: Any,
) -> Advice:
    """Find the setting that meets all requirements and has the best objective.

    Where there are many people, all settings run on a sample of them first and the better half
    goes on; those that are left run in full, and only full runs are reported. Everything runs
    through the trials of a comparison in ``out``, so that nothing is computed twice, and what a
    comparison has finished there needs no sample.

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
    Advice
        The setting, if one meets all requirements, why, and what was compared.

    Raises
    ------
    ParameterError
        A requirement cannot be read or contradicts another, or ``out`` is something else.

    Examples
    --------
    >>> import tempfile, recloak
    >>> from recloak.comparison.settings import Setting
    >>> ratings = recloak.synthesize("ml-100k", users=60, ratings=2_000, seed=1)
    >>> advice = recloak.advise(
    ...     ratings,
    ...     [Setting("gaussian-noise", {"sigma": 0.5})],
    ...     out=tempfile.mkdtemp(),
    ...     require=["success<=1"],
    ... )
    >>> advice.pick.setting.label
    'gaussian-noise:sigma=0.5'

    """
    given, reading = AdviceOptions.split(keywords)
    options = AdviceOptions.build("advise", given)
    wanted = ComparisonRequest(ratings, settings, options, reading)
    goal = Goal.of(wanted, options)
    followed = wanted.followed.with_lines(goal.named)
    with kept_in(options.out) as folder:
        data, tried = wanted.prepared(progress)
        search = _AdviceSearch(goal, followed, wanted.judged, options.jobs, progress)
        if options.quick:
            few = tried if wanted.is_listed else every_other(tried)
            return search.on_a_sample(data, few, folder)
        return search.in_rounds(data, tried, folder)


@dataclass(frozen=True)
class _AdviceSearch:
    """How settings are tried until one is advised."""

    goal: Goal
    protocol: Protocol
    policy: Policy
    jobs: int | None
    progress: Progress

    def on_a_sample(self, ratings: Ratings, settings: Sequence[Setting], out: str | Path) -> Advice:
        """The advice from a sample of the people alone."""
        people = min(QUICK_PEOPLE, ratings.n_users)
        tried = self._tried(sample_of(ratings, people, self.protocol.seed), settings, out)
        part = people if people < ratings.n_users else None
        return replace(decided(tried, self.goal.aim, self.goal.requirements), people=part)

    def in_rounds(self, ratings: Ratings, settings: Sequence[Setting], out: str | Path) -> Advice:
        """On more and more people; the better half goes on, and what is left runs in full."""
        cache = cache_of(ratings, out, self.protocol, self.policy)
        left = [setting for setting in settings if cache.read(setting) is None]
        finished = [setting for setting in settings if setting not in left]
        rounds = []
        aim, requirements = self.goal
        for people in sizes_of_rounds(ratings):
            if len(left) <= FEWEST_KEPT:
                break
            found = self._tried(sample_of(ratings, people, self.protocol.seed), left, out)
            kept = better_half(found.trials, measurable(aim, found.trials), requirements)
            names = [tuple(setting.label for setting in some) for some in (left, kept)]
            rounds.append(Round(people, *names))
            left = kept
        in_full = [setting for setting in settings if setting in finished or setting in left]
        compared = complete(ratings, in_full, cache, self.policy, self.jobs, self.progress)
        return decided(compared, aim, requirements, tuple(rounds))

    def _tried(self, sample: Ratings, settings: Sequence[Setting], out: str | Path) -> Comparison:
        cache = cache_of(sample, out, self.protocol, self.policy)
        return complete(sample, settings, cache, self.policy, self.jobs, self.progress)


def every_other(settings: Sequence[Setting]) -> list[Setting]:
    """Of each family of settings the first, the third and so on."""
    families: dict[str, list[Setting]] = {}
    for setting in settings:
        families.setdefault(setting.family, []).append(setting)
    kept = {id(setting) for some in families.values() for setting in some[::2]}
    return [setting for setting in settings if id(setting) in kept]


def sizes_of_rounds(ratings: Ratings) -> list[int]:
    """On how many people settings are tried before all; on few, full runs are as quick."""
    sizes = [(int(share * ratings.n_users), share * ratings.n_ratings) for share in SAMPLE_SHARES]
    return [people for people, size in sizes if people >= FEWEST_PEOPLE and size >= FEWEST_RATINGS]


def decided(
    comparison: Comparison,
    objective: Objective,
    requirements: Sequence[Requirement],
    rounds: tuple[Round, ...] = (),
) -> Advice:
    """Frontier, pick and reason from full runs."""
    aim = measurable(objective, comparison.trials)
    candidates = publishable(comparison)
    frontier = frontier_of(candidates, aim, requirements)
    ranked = sorted(candidates, key=lambda trial: _rank(trial, aim, requirements))
    fitting = [trial for trial in ranked if _satisfies(trial, requirements) and aim.found(trial)]
    pick = fitting[0] if fitting else None
    nearest = (
        None if pick else next((trial for trial in ranked if _tells(trial, requirements)), None)
    )
    reason = (
        why(pick, fitting, candidates, aim, requirements)
        if pick
        else why_nothing(nearest, len(candidates), requirements, comparison.audited)
    )
    relaxed = () if pick else relaxations(candidates, aim, requirements)
    return Advice(
        comparison, aim, tuple(requirements), frontier, pick, nearest, reason, rounds, relaxed
    )


def publishable(comparison: Comparison) -> list[Trial]:
    """The trials that may be published: what they claim holds, and nothing speaks against them."""
    return [trial for trial in comparison.audited if not trial.caveat and not trial.broken]


def sample_of(ratings: Ratings, people: int, seed: int) -> Ratings:
    """The ratings of so many people, drawn at random."""
    generator = Randomness.from_seed(seed).generator("sample of people to compare on")
    drawn = generator.choice(ratings.n_users, people, replace=False)
    return ratings.take_users(np.sort(drawn)).compact()


def better_half(
    trials: Sequence[Trial], objective: Objective, requirements: Sequence[Requirement]
) -> list[Setting]:
    """The settings that go on: the whole frontier, then those nearest to the requirements.

    On a sample people stand out more than among all, so that limits are not yet enforced: they
    only rank.
    """
    usable = [trial for trial in trials if trial.audit is not None]
    wanted = max(FEWEST_KEPT, round(KEPT_SHARE * len(trials)))
    ranked = sorted(usable, key=lambda trial: _rank(trial, objective, requirements))
    frontier = frontier_of(usable, objective, requirements)
    chosen = {id(trial): trial for trial in [*ranked[: wanted // 2], *frontier, *ranked]}
    kept = set(list(chosen)[:wanted])
    return [trial.setting for trial in trials if id(trial) in kept]


def _rank(
    trial: Trial, objective: Objective, requirements: Sequence[Requirement]
) -> tuple[float, float]:
    """First who is least beyond the requirements, then who has the best objective."""
    beyond = sum(min(judge(one, trial).shortfall, 1e6) for one in requirements)
    return beyond, -objective.score(trial)


def _tells(trial: Trial, requirements: Sequence[Requirement]) -> bool:
    """Was anything measured that is wished for? What was not cannot come near either."""
    return not requirements or any(
        judge(one, trial).status != "not measured" for one in requirements
    )


def _satisfies(trial: Trial, requirements: Sequence[Requirement]) -> bool:
    return all(judge(one, trial).status == "pass" for one in requirements)
