"""A comparison on the screen: a line for each setting, and what is advised."""

from __future__ import annotations

from recloak.cli.screen import Screen
from recloak.findings import Figure
from recloak.frontier.advising import Advice
from recloak.frontier.cells import Cell
from recloak.frontier.comparing import Comparison
from recloak.frontier.overview import COLUMNS, overview

MARKS = {"pass": "✔", "fail": "✘", "not measured": "?"}


def show_comparison(screen: Screen, comparison: Comparison) -> None:
    """A line for each setting; the report has the rest."""
    screen.heading("Methods and settings: the strongest attacker, and what is left")
    headings = ("setting", *(f">{column.heading}" for column in COLUMNS), ">policy")
    screen.table(headings, [_row(cell) for cell in comparison.audited])
    refused = [(cell.name, cell.refused) for cell in comparison.cells if cell.audit is None]
    if refused:
        screen.heading("Not possible on these data")
        screen.table(("setting", "because"), refused)


def show_advice(screen: Screen, advice: Advice, command: str | None) -> None:
    """The frontier, the pick, its reason, and how to publish it."""
    for one in advice.rounds:
        screen.say(
            f"On a sample of {one.people:,} people {len(one.tried)} settings were tried; "
            f"{len(one.kept)} went on."
        )
    screen.heading(f"The frontier: {advice.objective.words} against what was wished for")
    wished = [wish.text for wish in advice.wishes]
    screen.table(
        ("setting", f">{advice.objective.figure}", *wished),
        [_choice(advice, cell) for cell in advice.frontier],
    )
    screen.heading("Advice" if advice.pick else "Nothing satisfies the wishes")
    screen.say(advice.reason)
    if command:
        screen.say(f"\n{command}")


def _row(cell: Cell) -> tuple[str, ...]:
    figures = overview(cell)
    return (cell.name, *(_value(figures[column.figure]) for column in COLUMNS), _lights(cell))


def _value(figure: Figure | None) -> str:
    return figure.shown().split(" (")[0] if figure else "–"


def _lights(cell: Cell) -> str:
    lights = cell.audit.lights if cell.audit else ()
    return f"{sum(light.passed for light in lights)} of {len(lights)}" if lights else "–"


def _choice(advice: Advice, cell: Cell) -> tuple[str, ...]:
    found = advice.objective.found(cell)
    mets = [f"{MARKS[met.status]} {_value(met.figure)}" for met in advice.met(cell)]
    return (cell.name, found.shown() if found else "–", *mets)
