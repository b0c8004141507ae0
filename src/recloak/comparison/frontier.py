"""Frontier: which trials no other trial beats in everything that counts."""

from __future__ import annotations

from collections.abc import Sequence

from recloak.auditing.evaluation_registry import declared_figures
from recloak.auditing.policy import Requirement
from recloak.comparison.requirements import Objective, judge
from recloak.comparison.trials import Trial
from recloak.evaluation.figures import RISKS


def frontier_of(
    trials: Sequence[Trial], objective: Objective, requirements: Sequence[Requirement]
) -> tuple[Trial, ...]:
    """The trials that are best in some trade-off, the best objective first.

    A trial is left out if another is at least as good in the objective and in every figure that is
    required, and better in one. Values are compared, not their intervals: among trials that lie
    within each other's intervals the order may be chance.
    """
    measured = [trial for trial in trials if objective.found(trial) is not None]
    scores = {id(trial): scores_of(trial, objective, requirements) for trial in measured}
    best = [
        trial
        for trial in measured
        if not any(_beats(scores[id(other)], scores[id(trial)]) for other in measured)
    ]
    return tuple(sorted(best, key=lambda trial: -objective.score(trial)))


def scores_of(
    trial: Trial, objective: Objective, requirements: Sequence[Requirement]
) -> tuple[float, ...]:
    """The objective and every figure that counts, each so that higher is better."""
    return objective.score(trial), *(_score(trial, one) for one in counted(requirements))


def counted(requirements: Sequence[Requirement]) -> list[Requirement]:
    """The requirements of figures; without any, the risks to people in the release."""
    figures = [one for one in requirements if one.figure]
    return figures or [Requirement(figure=name, at_most=0.0) for name in risks_compared()]


def risks_compared() -> list[str]:
    """The figures that attacks declare to stand for a risk, in the order of the risks.

    Each is less its control, and measured for every release, also of made-up people.
    """
    declared = [one for one in declared_figures().values() if one.stands_for]
    return [one.name for risk in RISKS for one in declared if one.stands_for == risk]


def _score(trial: Trial, requirement: Requirement) -> float:
    met = judge(requirement, trial)
    if met.figure is None:
        return float("-inf")
    return -met.figure.value if requirement.at_most is not None else met.figure.value


def _beats(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    pairs = list(zip(one, other, strict=True))
    return all(mine >= theirs for mine, theirs in pairs) and any(
        mine > theirs for mine, theirs in pairs
    )
