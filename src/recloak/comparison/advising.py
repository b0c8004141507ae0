"""Advising: the setting that meets all requirements and keeps most, and how it was found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recloak.auditing.policy import Policy, Requirement
from recloak.comparison import sampling
from recloak.comparison._goal import Goal
from recloak.comparison._reasons import why, why_nothing
from recloak.comparison.advice import Advice as Advice
from recloak.comparison.advice import Round as Round
from recloak.comparison.frontier import frontier_of
from recloak.comparison.options import AdviceOptions
from recloak.comparison.protocol import Protocol
from recloak.comparison.relaxing import relaxations
from recloak.comparison.request import ComparisonRequest
from recloak.comparison.requirements import (
    Objective,
    judge,
    measurable,
)
from recloak.comparison.run import Comparison, cache_of, complete, kept_in
from recloak.comparison.sampling import every_other, kept_of, sample_of, sizes_of_rounds
from recloak.comparison.settings import Setting
from recloak.comparison.trials import Trial
from recloak.core.options import refuse_unknown, takes
from recloak.core.progress import Progress
from recloak.core.progress.shown import SHOWN
from recloak.core.ratings import Ratings
from recloak.io.options import ReadOptions

OnRound = Callable[[Round], object]


def _unheard(_: Round) -> None:
    """Nobody asks what a sample showed."""


@takes(AdviceOptions, ReadOptions)
def advise(
    ratings: Any,
    settings: Sequence[Setting | str] | None = None,
    *,
    progress: Progress = SHOWN,
    on_round: OnRound = _unheard,
    **keywords: Any,
) -> Advice:
    """Find the setting that meets all requirements and has the best objective.

    Where there are many people, all settings run on a sample of them first, attacked by what
    decides between them alone, and the better ones go on; these run in full, and only full runs
    are reported. ``on_round`` is called with what each sample showed. Everything runs
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
    on_round
        What to do with each `Round` as soon as it is over.
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
    refuse_unknown("advise", reading, AdviceOptions, ReadOptions)
    options = AdviceOptions.build("advise", given)
    wanted = ComparisonRequest(ratings, settings, options, reading)
    goal = Goal.of(wanted, options)
    followed = wanted.followed.with_lines(goal.named)
    with kept_in(options.out) as folder:
        data, tried = wanted.prepared(progress)
        search = _AdviceSearch(goal, followed, wanted.judged, options.jobs, progress, on_round)
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
    on_round: OnRound

    def on_a_sample(self, ratings: Ratings, settings: Sequence[Setting], out: str | Path) -> Advice:
        """The advice from a sample of the people alone, and from attacks that decide alone."""
        people = min(sampling.QUICK_PEOPLE, ratings.n_users)
        part = people if people < ratings.n_users else None
        few = sample_of(ratings, people, self.protocol.seed)
        protocol = self.goal.deciding(self.protocol) if part else self.protocol
        cache = cache_of(few, out, protocol, self.policy)
        tried = complete(few, settings, cache, self.policy, self.jobs, self.progress)
        return replace(decided(tried, *self.goal), people=part)

    def in_rounds(self, ratings: Ratings, settings: Sequence[Setting], out: str | Path) -> Advice:
        """On a sample of the people first; the better ones go on, and run in full."""
        cache = cache_of(ratings, out, self.protocol, self.policy)
        left = [setting for setting in settings if cache.read(setting) is None]
        finished = [setting for setting in settings if setting not in left]
        rounds = []
        for people in sizes_of_rounds(ratings):
            if len(left) <= sampling.FEWEST_KEPT:
                break
            left, found = self._round(sample_of(ratings, people, self.protocol.seed), left, out)
            rounds.append(found)
            self.on_round(found)
        in_full = [setting for setting in settings if setting in finished or setting in left]
        compared = complete(ratings, in_full, cache, self.policy, self.jobs, self.progress)
        return decided(compared, *self.goal, tuple(rounds))

    def _round(
        self, sample: Ratings, settings: Sequence[Setting], out: str | Path
    ) -> tuple[list[Setting], Round]:
        """The settings that go on from a sample, and what is said of it."""
        cache = cache_of(sample, out, self.goal.deciding(self.protocol), Policy.nothing())
        found = complete(sample, settings, cache, self.policy, self.jobs, self.progress)
        aim, requirements = self.goal
        kept = going_on(found.trials, measurable(aim, found.trials), requirements)
        tried, went_on = (tuple(one.label for one in some) for some in (settings, kept))
        pick = decided(found, aim, requirements).pick
        return kept, Round(sample.n_users, tried, went_on, pick.name if pick else "")


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


def going_on(
    trials: Sequence[Trial], objective: Objective, requirements: Sequence[Requirement]
) -> list[Setting]:
    """The settings that go on: the whole frontier, then those nearest to the requirements.

    On a sample people stand out more than among all, so that limits are not yet enforced: they
    only rank.
    """
    usable = [trial for trial in trials if trial.audit is not None]
    wanted = kept_of(len(trials))
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
