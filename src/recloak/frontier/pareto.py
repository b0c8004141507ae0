"""Pareto: which cells no other cell beats in everything that counts."""

from __future__ import annotations

from collections.abc import Sequence

from recloak.frontier.cells import Cell
from recloak.frontier.wishes import Objective, Wish

RISKS = ("success", "gain")  # what counts beside the objective if nothing is wished for


def frontier_of(
    cells: Sequence[Cell], objective: Objective, wishes: Sequence[Wish]
) -> tuple[Cell, ...]:
    """The cells that are best in some trade-off, the best objective first.

    A cell is left out if another is at least as good in the objective and in every figure that is
    wished for, and better in one. Values are compared, not their intervals: among cells that lie
    within each other's intervals the order may be chance.
    """
    measured = [cell for cell in cells if objective.found(cell) is not None]
    scores = {id(cell): scores_of(cell, objective, wishes) for cell in measured}
    best = [
        cell
        for cell in measured
        if not any(_beats(scores[id(other)], scores[id(cell)]) for other in measured)
    ]
    return tuple(sorted(best, key=lambda cell: -objective.score(cell)))


def scores_of(cell: Cell, objective: Objective, wishes: Sequence[Wish]) -> tuple[float, ...]:
    """The objective and every figure that counts, each so that higher is better."""
    return objective.score(cell), *(_score(cell, wish) for wish in counted(wishes))


def counted(wishes: Sequence[Wish]) -> list[Wish]:
    """The wishes about figures; without any, how often people are found and what is learnt."""
    figures = [wish for wish in wishes if wish.figure]
    return figures or [Wish(name, figure=name, at_most=0.0) for name in RISKS]


def _score(cell: Cell, wish: Wish) -> float:
    met = wish.judge(cell)
    if met.figure is None:
        return float("-inf")
    return -met.figure.value if wish.at_most is not None else met.figure.value


def _beats(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    pairs = list(zip(one, other, strict=True))
    return all(mine >= theirs for mine, theirs in pairs) and any(
        mine > theirs for mine, theirs in pairs
    )
