"""Overview: a handful of figures by which a setting is seen at a glance."""

from __future__ import annotations

from typing import NamedTuple

from recloak.findings import Figure
from recloak.frontier.cells import Cell


class Column(NamedTuple):
    """A figure, its heading, and whether the highest or the lowest of several is the worst."""

    figure: str
    heading: str
    meaning: str
    risk: bool


COLUMNS = (
    Column(
        "success",
        "success",
        "the share of people found, by the attacker who finds most; less is safer",
        True,
    ),
    Column(
        "worst_tenth",
        "worst tenth",
        "the same among the tenth of the people who fare worst; less is safer",
        True,
    ),
    Column(
        "gain",
        "gain",
        "true facts about a person that an attacker learns, who learns most; less is safer",
        True,
    ),
    Column(
        "read_back",
        "read back",
        "the share of ratings that the profile of a group gives away; less is safer",
        True,
    ),
    Column(
        "mu",
        "μ",
        "tailoring utility: how much better than item averages a recommender predicts; at 0 or "
        "less, the averages alone would do",
        False,
    ),
    Column(
        "rmse_loss",
        "RMSE loss",
        "by how much the error of a recommender rose; less is better",
        True,
    ),
    Column(
        "ndcg",
        "nDCG",
        "whether what people like comes first in recommended lists; more is better",
        False,
    ),
)


def overview(cell: Cell) -> dict[str, Figure | None]:
    """The worst figure of each column, over all attackers and measures that have it."""
    return {column.figure: worst(cell, column.figure, risk=column.risk) for column in COLUMNS}


def worst(cell: Cell, name: str, *, risk: bool) -> Figure | None:
    """The least favourable figure of a name: the highest of a risk, the lowest of a use."""
    figures = [figure for _, figure in cell.figures(name)]
    return max(figures, key=lambda one: _badness(one, risk), default=None)


def _badness(figure: Figure, risk: bool) -> float:
    if risk:
        return figure.value if figure.high is None else figure.high
    return -(figure.value if figure.low is None else figure.low)
