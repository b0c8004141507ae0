"""A comparison in short: what was tried, what is worth a look, and that nothing is decided yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recloak.findings import Figure, Light
from recloak.frontier.advising import measurable, publishable
from recloak.frontier.cells import Cell
from recloak.frontier.comparing import Comparison
from recloak.frontier.overview import worst
from recloak.frontier.pareto import RISKS, frontier_of
from recloak.frontier.wishes import Objective
from recloak.report.amounts import figure_shown
from recloak.report.chart import MISSING, Table
from recloak.report.wording import counted, label

_HEADINGS = {"success": "People found", "gain": "Facts learnt"}
_LEAST = {"success": "fewest people are found with", "gain": "least is learnt with"}
_USES = {
    "mu": "how much better than item averages a recommender predicts; at 0 or less, the averages "
    "alone would do",
    "ndcg": "whether what people like comes first in recommended lists; more is better",
}
DECISION = (
    "Nothing is decided here. How much risk is too much is for you to say: say what you require, "
    "and the setting that meets it and keeps most is picked, with its reason and the command that "
    "publishes it."
)


@dataclass(frozen=True)
class Short:
    """What a page without advice opens with."""

    sentences: list[str]
    columns: str
    frontier: Table | None
    policy: str
    decision: str
    command: str


def in_short(comparison: Comparison, command: str | None) -> Short:
    """A comparison for someone who never saw the tool."""
    aim = measurable(Objective("mu"), comparison.cells)
    candidates = publishable(comparison)
    best = frontier_of(candidates, aim, ())
    return Short(
        sentences=[
            *_tried(comparison),
            *_worth_a_look(best, candidates, comparison),
            *_ends(best, aim),
        ],
        columns=_columns(aim),
        frontier=_frontier(best, aim) if best else None,
        policy=_by_policy(candidates, aim, comparison.policy.title),
        decision=DECISION,
        command=command or "",
    )


def _tried(comparison: Comparison) -> list[str]:
    audited = comparison.audited
    methods = len({cell.setting.name for cell in audited})
    refused = len(comparison.cells) - len(audited)
    if not audited:
        return ["None of the methods could work on these data; why is said below."]
    were = "was" if len(audited) == 1 else "were"
    said = (
        f"{counted(len(audited), 'setting')} of {counted(methods, 'method')} {were} tried. With "
        "each, a release was made as it would be published. Attackers who know a few of someone's "
        "ratings then looked for that person in it, and a recommender was trained on it to see "
        "what it is still good for."
    )
    more = f"{counted(refused, 'more setting')} could not work on these data; why is said below."
    return [said, more] if refused else [said]


def _worth_a_look(
    best: Sequence[Cell], candidates: Sequence[Cell], comparison: Comparison
) -> list[str]:
    if not best:
        nothing = "What a release is still good for could not be measured on these data."
        return [nothing] if candidates else []
    left_out = len(comparison.audited) - len(candidates)
    others = len(candidates) - len(best)
    said = f"{counted(len(best), 'setting')} {'is' if len(best) == 1 else 'are'} worth a look"
    if others:
        each = f"for each of the {others} others" if others > 1 else "for the other one"
        said += (
            f": {each} there is one among these that is at least as useful, lets at most as many "
            "people be found and at most as much be learnt"
        )
    said += "." if len(best) == 1 else ". Which of them is best depends on what must not happen."
    if left_out:
        said += (
            f" {counted(left_out, 'setting')} cannot be published as "
            f"{'it is' if left_out == 1 else 'they are'} and {'is' if left_out == 1 else 'are'} "
            "left out: a claim is broken, or the method itself warns of it."
        )
    return [said]


def _ends(best: Sequence[Cell], aim: Objective) -> list[str]:
    """Where the frontier begins and ends, for whoever reads no table."""
    if len(best) < 2:
        return []
    told = [f"most useful is {best[0].name}, with {_reading(aim, best[0])}"]
    for risk, words in _LEAST.items():
        known = [cell for cell in best if worst(cell, risk, risk=True)]
        if known:
            least = min(known, key=lambda cell: _value(cell, risk))
            told.append(f"{words} {least.name}: {_shown(worst(least, risk, risk=True))}")
    said = f"{'; '.join(told)}."
    return [said[:1].upper() + said[1:]]


def _reading(aim: Objective, cell: Cell) -> str:
    return f"{label(aim.figure)[:1].lower()}{label(aim.figure)[1:]} {_shown(aim.found(cell))}"


def _value(cell: Cell, risk: str) -> float:
    figure = worst(cell, risk, risk=True)
    return figure.value if figure else float("inf")


def _columns(aim: Objective) -> str:
    return (
        f"{label(aim.figure)} tells {_USES[aim.figure]}. People found and facts learnt are those "
        "of the attacker who finds, or learns, most; a fact is a rating that he did not know."
    )


def _frontier(cells: Sequence[Cell], aim: Objective) -> Table:
    headings = [_HEADINGS[risk] for risk in RISKS]
    rows = tuple(
        (
            cell.name,
            _shown(aim.found(cell)),
            *(_shown(worst(cell, risk, risk=True)) for risk in RISKS),
            _passed(cell),
        )
        for cell in cells
    )
    columns = ("Setting", label(aim.figure), *headings, "Policy lines passed")
    return Table("The frontier, the most useful first, with 95% intervals", columns, rows)


def _shown(figure: Figure | None) -> str:
    return figure_shown(figure) if figure else MISSING


def _passed(cell: Cell) -> str:
    lights = cell.audit.lights if cell.audit else ()
    return f"{_passes(cell)} of {len(lights)}" if lights else MISSING


def _passes(cell: Cell) -> int:
    return sum(light.passed for light in cell.audit.lights) if cell.audit else 0


def _by_policy(cells: Sequence[Cell], aim: Objective, title: str) -> str:
    judged = [cell for cell in cells if cell.audit and cell.audit.lights]
    if not judged:
        return ""
    most = max(map(_passes, judged))
    first, *others = sorted(
        (cell for cell in judged if _passes(cell) == most), key=lambda cell: -aim.score(cell)
    )
    lights = first.audit.lights if first.audit else ()
    if most == 0:
        return f"No setting passes any line of the policy “{title}”."
    like = _likewise(len(others))
    if most == len(lights):
        all_lines = f"all {most} lines" if most > 1 else "the one line"
        return f"{first.name} passes {all_lines} of the policy “{title}”{like}."
    missed = "; ".join(f"{one.line} ({_missed(one)})" for one in lights if not one.passed)
    return (
        f"No setting passes every line of the policy “{title}”. {first.name} passes most, {most} "
        f"of {len(lights)}{like}. What it does not pass: {missed}."
    )


def _likewise(others: int) -> str:
    if not others:
        return ""
    do = "does 1 other" if others == 1 else f"do {others} others"
    return f", as {do}; it is the most useful of them"


def _missed(light: Light) -> str:
    """What was found, with its interval: its unfavourable end is what was judged."""
    if light.status != "fail":
        return light.status
    found, _, interval = light.found.partition(" (")
    within = f", 95% interval {interval.rstrip(')')}" if light.figure and interval else ""
    return f"found: {found}{within}"
