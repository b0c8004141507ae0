"""Reasons: why a setting is advised, or why none is, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from recloak.auditing.evaluation_registry import utility_figures
from recloak.auditing.policy import Requirement
from recloak.comparison.overview import in_a_sentence
from recloak.comparison.requirements import Objective, judge
from recloak.comparison.trials import Trial
from recloak.evaluation.findings import Figure
from recloak.evaluation.formatting import with_minus_signs, words


def why(
    pick: Trial,
    fitting: Sequence[Trial],
    tried: Sequence[Trial],
    aim: Objective,
    requirements: Sequence[Requirement],
) -> str:
    """Why this one was picked among those that fit."""
    found, these = aim.found(pick), _counted(requirements)
    shown = found.shown() if found else "not measured"
    worth = _worth(aim, found)
    if len(fitting) == 1:
        only = f"{pick.name} is the only one of {len(tried)} settings that meets {these}"
        return f"{only}; its {aim.figure}{_named(aim)} is {shown}.{worth}"
    among = f"the {len(fitting)} of {len(tried)} settings that meet {these}"
    if not requirements:
        among = f"all {len(tried)} settings (nothing was required)"
    second = aim.found(fitting[1])
    near = ", within its interval" if found and second and _within(second, found) else ""
    next_best = second.shown() if second else "not measured"
    return (
        f"{pick.name} has the {aim.words}{_named(aim)}, {shown}, of {among}; "
        f"{fitting[1].name} comes next with {next_best}{near}.{worth}"
    )


def _why_unfit(unfit: Sequence[Trial]) -> str:
    reasons = dict.fromkeys(
        f"{trial.name} {trial.caveat}" if trial.setting.overlooks else _broken(trial)
        for trial in unfit
    )
    return f"No setting may be published: {'; '.join(reasons)}."


def _broken(trial: Trial) -> str:
    return f"{trial.name} ({trial.caveat or 'its own claim does not hold'})"


def _named(aim: Objective) -> str:
    """What a short name stands for, for who does not know it."""
    name = in_a_sentence(aim.figure)
    return "" if name in (aim.figure, words(aim.figure)) else f" ({name})"


def _counted(requirements: Sequence[Requirement]) -> str:
    if len(requirements) == 2:
        return "both requirements"
    return f"all {len(requirements)} requirements" if len(requirements) > 2 else "the requirement"


def _worth(aim: Objective, found: Figure | None) -> str:
    """A choice can meet all requirements and be worth nothing: that is said in so many words."""
    against_averages = [one.name for one in utility_figures() if not one.bounded]
    if aim.figure not in against_averages or found is None or (found.low or 0.0) > 0:
        return ""
    return (
        " Note that this may not be above 0: to predict ratings, the release may be worth no "
        "more than a table of item averages, which says nothing about anybody."
    )


def _within(second: Figure, first: Figure) -> bool:
    if first.low is None or first.high is None:
        return False
    return first.low <= second.value <= first.high


def why_nothing(
    nearest: Trial | None,
    tried: int,
    requirements: Sequence[Requirement],
    unfit: Sequence[Trial] = (),
) -> str:
    """What comes nearest where nothing fits, and what it misses.

    ``unfit`` are settings that could work, but whose releases must not be published.
    """
    if not tried and unfit:
        return _why_unfit(unfit)
    if not tried:
        return "No method works on these data, so there is nothing to choose from."
    if nearest is None:
        return (
            f"None of the requirements could be measured with any of the {tried} settings, so "
            "nothing can be advised: there are too few people or ratings, or no values."
        )
    missed = [
        f"{one.in_words} (found: {with_minus_signs(met.found)})"
        for one in requirements
        if (met := judge(one, nearest)).status != "pass"
    ]
    if not missed:
        return f"{nearest.name} meets {_counted(requirements)}, but its utility was not measured."
    none = f"None of the {tried} settings" if tried > 1 else "The only setting"
    meets = "meets all requirements" if tried > 1 else "does not meet all requirements"
    return f"{none} {meets}. The nearest is {nearest.name}, which misses {'; '.join(missed)}."
