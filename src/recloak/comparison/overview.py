"""Overview: a handful of figures by which a setting is seen at a glance."""

from __future__ import annotations

from recloak.auditing.evaluations import declared_figures
from recloak.comparison.trials import Trial
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure


def columns() -> list[DeclaredFigure]:
    """The figures that are declared to be seen at a glance, those of attacks first."""
    return [figure for figure in declared_figures().values() if figure.at_a_glance]


def overview(trial: Trial) -> dict[str, Figure | None]:
    """The worst figure of each column, over all attackers and measures that have it."""
    return {
        column.name: worst(trial, column.name, risk=column.worse == "more") for column in columns()
    }


def worst(trial: Trial, name: str, *, risk: bool) -> Figure | None:
    """The least favourable figure of a name: the highest of a risk, the lowest of a use."""
    figures = [figure for _, figure in trial.figures(name)]
    sign = 1 if risk else -1
    return max(figures, key=lambda one: sign * one.unfavourable(high_is_bad=risk), default=None)
