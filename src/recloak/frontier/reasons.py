"""Reasons: why a setting is advised, or why none is, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from recloak.findings import Figure
from recloak.frontier.cells import Cell
from recloak.frontier.wishes import Objective, Wish
from recloak.report.amounts import words
from recloak.report.wording import label


def why(
    pick: Cell,
    fitting: Sequence[Cell],
    tried: Sequence[Cell],
    aim: Objective,
    wishes: Sequence[Wish],
) -> str:
    """Why this one was picked among those that fit."""
    found, these = aim.found(pick), _counted(wishes)
    shown = found.shown() if found else "not measured"
    worth = _worth(aim, found)
    if len(fitting) == 1:
        only = f"{pick.name} is the only one of {len(tried)} settings that meets {these}"
        return f"{only}; its {aim.figure}{_named(aim)} is {shown}.{worth}"
    among = f"the {len(fitting)} of {len(tried)} settings that meet {these}"
    if not wishes:
        among = f"all {len(tried)} settings (nothing was wished for)"
    second = aim.found(fitting[1])
    near = ", within its interval" if found and second and _within(second, found) else ""
    next_best = second.shown() if second else "not measured"
    return (
        f"{pick.name} has the {aim.words}{_named(aim)}, {shown}, of {among}; "
        f"{fitting[1].name} comes next with {next_best}{near}.{worth}"
    )


def _named(aim: Objective) -> str:
    """What a short name stands for, for who does not know it."""
    name = label(aim.figure).lower()
    return "" if name in (aim.figure, words(aim.figure)) else f" ({name})"


def _counted(wishes: Sequence[Wish]) -> str:
    if len(wishes) == 2:
        return "both wishes"
    return f"all {len(wishes)} wishes" if len(wishes) > 2 else "the wish"


def _worth(aim: Objective, found: Figure | None) -> str:
    """A choice can meet all wishes and be worth nothing: that is said in so many words."""
    if aim.figure != "mu" or found is None or (found.low or 0.0) > 0:
        return ""
    return (
        " Mind that this is not surely above 0: for predicting ratings the release may be worth no "
        "more than a table of item averages, which tells of nobody."
    )


def _within(second: Figure, first: Figure) -> bool:
    if first.low is None or first.high is None:
        return False
    return first.low <= second.value <= first.high


def why_nothing(nearest: Cell | None, tried: int, wishes: Sequence[Wish]) -> str:
    """What comes nearest where nothing fits, and what it misses."""
    if not tried:
        return "No method could work on these data, so that there is nothing to choose from."
    if nearest is None:
        return (
            f"Nothing that is wished for could be measured with any of the {tried} settings, so "
            "that nothing can be advised: there are too few people or ratings, or no values."
        )
    missed = [
        f"{wish.text} (found: {met.found})"
        for wish in wishes
        if (met := wish.judge(nearest)).status != "pass"
    ]
    told = "; ".join(missed) or "its objective was not measured"
    return (
        f"None of the {tried} settings meets all wishes. Nearest comes {nearest.name}, "
        f"which misses {told}."
    )
