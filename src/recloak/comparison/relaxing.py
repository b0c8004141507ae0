"""Relaxing: which limit stands in the way, how far it would have to move, and what that buys."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recloak.auditing.policy import Requirement
from recloak.comparison.overview import in_a_sentence
from recloak.comparison.requirements import Objective, RequirementResult, judge
from recloak.comparison.trials import Trial
from recloak.evaluation.findings import Figure
from recloak.evaluation.formatting import enumerated

MOST_SHOWN = 3
DIGITS = 3


@dataclass(frozen=True)
class Relaxation:
    """Limits that would have to move, to what, and the setting that would then fit."""

    limits: tuple[tuple[Requirement, float], ...]
    setting: str
    figure: str
    utility: Figure

    def __str__(self) -> str:
        moved = [f"'{one.in_words}' to {one.limit_shown(limit)}" for one, limit in self.limits]
        kept = f"{in_a_sentence(self.figure)} {self.utility.shown()}"
        bought = f"{self.setting} then meets everything, with {kept}"
        return f"Relax {enumerated(moved)}: {bought}."

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {
            "limits": [{"requirement": str(one), "to": limit} for one, limit in self.limits],
            "setting": self.setting,
            self.figure: self.utility.value,
        }


def relaxations(
    candidates: Sequence[Trial], aim: Objective, requirements: Sequence[Requirement]
) -> tuple[Relaxation, ...]:
    """What to relax where nothing fits: one limit if that does, else as few as there can be.

    Of each limit the least move is named, and the best setting that it lets in. What was not
    measured and claims have no limit that could move.
    """
    judged = [
        (trial, [judge(one, trial) for one in requirements])
        for trial in candidates
        if aim.found(trial)
    ]
    movable = [(trial, mets) for trial, mets in judged if _can_move(mets)]
    fewest = min((_missed(mets) for _, mets in movable), default=0)
    if fewest == 0:
        return ()
    by_limits: dict[tuple[int, ...], list[tuple[Trial, list[RequirementResult]]]] = {}
    for trial, mets in movable:
        if _missed(mets) == fewest:
            missed = tuple(at for at, met in enumerate(mets) if met.status == "fail")
            by_limits.setdefault(missed, []).append((trial, mets))
    found = [_least(missed, some, aim, requirements) for missed, some in by_limits.items()]
    return tuple(one for _, one in sorted(found, key=lambda pair: pair[0])[:MOST_SHOWN])


def _can_move(mets: Sequence[RequirementResult]) -> bool:
    return all(met.status == "pass" or met.judged is not None for met in mets)


def _missed(mets: Sequence[RequirementResult]) -> int:
    return sum(met.status == "fail" for met in mets)


def _least(
    missed: tuple[int, ...],
    some: Sequence[tuple[Trial, list[RequirementResult]]],
    aim: Objective,
    requirements: Sequence[Requirement],
) -> tuple[float, Relaxation]:
    """The least move of these limits, with how far it is; of what it lets in, the best."""
    _, nearest = min(some, key=lambda pair: sum(pair[1][at].shortfall for at in missed))
    limits = tuple((requirements[at], _beyond(requirements[at], nearest[at])) for at in missed)
    let_in = [
        trial
        for trial, mets in some
        if all(mets[at].shortfall <= nearest[at].shortfall for at in missed)
    ]
    best = max(let_in, key=aim.score)
    utility = aim.found(best)
    assert utility is not None
    moved = sum(nearest[at].shortfall for at in missed)
    return moved, Relaxation(limits, best.name, aim.figure, utility)


def _beyond(requirement: Requirement, met: RequirementResult) -> float:
    """The judged end, rounded to the side on which it still passes."""
    end = met.judged or 0.0
    step = 10.0 ** (math.floor(math.log10(abs(end))) - DIGITS + 1) if end else 1.0
    side = 1 if requirement.at_most is not None else -1
    limit = side * math.ceil(side * end / step) * step
    shown = float(f"{limit:.{DIGITS + 3}g}")
    return shown if side * shown >= side * end else float(f"{limit + side * step:.{DIGITS + 3}g}")
