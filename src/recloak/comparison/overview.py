"""Overview: a handful of figures by which a setting is seen at a glance."""

from __future__ import annotations

from collections.abc import Sequence

from recloak.auditing.evaluation_registry import declared_figures
from recloak.comparison.trials import Trial
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure
from recloak.evaluation.formatting import label, within_sentence


def columns(trials: Sequence[Trial]) -> list[DeclaredFigure]:
    """The figures declared to be seen at a glance that some trial has, those of attacks first."""
    return [
        figure
        for figure in declared_figures().values()
        if figure.at_a_glance and any(trial.figures(figure.name) for trial in trials)
    ]


def overview(trial: Trial, shown: Sequence[DeclaredFigure]) -> list[Figure | None]:
    """The worst figure of each column, over all attackers and measures that have it."""
    return [worst(trial, column.name, risk=column.worse == "more") for column in shown]


def heading(name: str) -> str:
    """What a figure is called in tables and sentences."""
    declared = declared_figures().get(name)
    return declared.heading if declared and declared.at_a_glance else label(name)


def in_a_sentence(name: str) -> str:
    """The same within a sentence."""
    return within_sentence(heading(name))


def worst(trial: Trial, name: str, *, risk: bool) -> Figure | None:
    """The least favourable figure of a name: the highest of a risk, the lowest of a use."""
    figures = [figure for _, figure in trial.figures(name)]
    sign = 1 if risk else -1
    return max(figures, key=lambda one: sign * one.unfavourable(high_is_bad=risk), default=None)
