"""Measure `survey-marginals`: do the answers to each issue, and to pairs of them, stay the same."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from recloak.core.arrays import Floats, Levels
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress, Task
from recloak.core.survey import NULL, Survey, SurveyParameters
from recloak.evaluation.context import AuditContext
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure, Finding
from recloak.evaluation.survey_pairs import SurveyPairs, declares_issues
from recloak.measures.base import Measure

RESPONDENTS_PER_BLOCK = 50_000
FEWEST_TOGETHER = 3  # two answers always lie on a line

_FIGURES = (
    DeclaredFigure(
        "moved_mean",
        worse="more",
        heading="Mean shift of answers",
        meaning="The share of respondents who would have to answer an issue differently for its "
        "distribution to be that of the original; on average over issues.",
        utility_sentence="Answers moved by {value} on average over the issues.",
    ),
    DeclaredFigure(
        "moved_most",
        worse="more",
        heading="Largest shift of answers",
        meaning="The same share for the issue that moved most.",
    ),
    DeclaredFigure(
        "correlation_change",
        "rating",
        worse="more",
        heading="Correlation change",
        meaning="By how much the correlation of two issues (from −1 to 1) differs between "
        "original and release, on average over all pairs, and for the worst pair.",
    ),
    DeclaredFigure("correlation_change_most", "rating", worse="more"),
)


class SurveyMarginals(Measure):
    """What a table of counts or a correlation read from the release would get wrong.

    The distribution of an issue is that of its levels and of no answer; how far it moved is the
    total variation distance, the share of respondents who would have to answer otherwise. The
    correlation of two issues is over those who answered both. All figures are exact.
    """

    name: ClassVar[str] = "survey-marginals"
    summary: ClassVar[str] = "How far distributions of issues and correlations of pairs moved."
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    applies_to: ClassVar[str] = "of a survey"
    compared_with: ClassVar[tuple[str, ...]] = ()
    Parameters: ClassVar[type[Parameters]] = SurveyParameters
    parameters: SurveyParameters

    @property
    def label(self) -> str:
        return "distributions and correlations"

    def applies(self, context: AuditContext) -> bool:
        return declares_issues(context.public)

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        summary = "The distribution of each issue and the correlation of each pair."
        answers = SurveyPairs.of(context, self.parameters)
        if isinstance(answers, str) or answers.after.n == 0:
            reason = answers if isinstance(answers, str) else "There is no row in the release."
            return self.finding(summary, (), 0, seed, (reason,))
        before, after = _all(answers.before), _all(answers.after)
        with progress.task("Comparing distributions", None) as task:
            moved = _moved(before, after, answers.before.r)
            changes = np.abs(correlations(before, task) - correlations(after, task))
        pairs = changes[np.triu_indices(len(changes), 1)]
        names = (*answers.before.known_issues, *answers.before.hidden_issues)
        note = f"The issue that moved most is '{names[int(moved.argmax())]}'."
        figures = (*_moved_figures(moved), *_pair_figures(pairs[np.isfinite(pairs)]))
        return self.finding(summary, figures, answers.after.n, seed, (*answers.notes, note))


def _all(survey: Survey) -> Levels:
    return np.hstack([survey.known, survey.hidden])


def _moved(before: Levels, after: Levels, levels: int) -> Floats:
    """The total variation distance of each issue."""
    gaps = np.abs(_distribution(before, levels) - _distribution(after, levels))
    return np.asarray(gaps.sum(axis=1) / 2)


def _distribution(answers: Levels, levels: int) -> Floats:
    """Of each issue the share of no answer, then of each level."""
    counts = [
        np.bincount(column.astype(np.int64) - NULL, minlength=levels + 1) for column in answers.T
    ]
    return np.array(counts) / len(answers)


def correlations(answers: Levels, task: Task) -> Floats:
    """Of each pair of issues, over those who answered both; not a number where none is defined."""
    width = answers.shape[1]
    answered_both, sums, squares, products = np.zeros((4, width, width))
    for start in range(0, len(answers), RESPONDENTS_PER_BLOCK):
        block = answers[start : start + RESPONDENTS_PER_BLOCK]
        given = (block != NULL).astype(np.float64)
        levels = np.where(block != NULL, block, 0).astype(np.float64)
        answered_both += given.T @ given
        sums += levels.T @ given
        squares += (levels**2).T @ given
        products += levels.T @ levels
        task.advance()
    shared = np.where(answered_both >= FEWEST_TOGETHER, answered_both, np.nan)
    spread = squares / shared - (sums / shared) ** 2
    covariance = products / shared - sums * sums.T / shared**2
    scale = np.sqrt(np.where(spread > 1e-12, spread, np.nan))
    return np.asarray(covariance / (scale * scale.T))


def _moved_figures(moved: Floats) -> list[Figure]:
    meaning = (
        "the share of respondents who would have to answer an issue differently to restore its "
        "distribution"
    )
    return [
        Figure("moved_mean", float(moved.mean()), meaning=f"{meaning}; mean over issues"),
        Figure("moved_most", float(moved.max()), meaning=f"{meaning}; the issue that moved most"),
    ]


def _pair_figures(pairs: Floats) -> list[Figure]:
    if len(pairs) == 0:
        return []
    meaning = "by how much the correlation of two issues changed"
    return [
        Figure(
            "correlation_change",
            float(pairs.mean()),
            unit="rating",
            meaning=f"{meaning}, on average",
        ),
        Figure(
            "correlation_change_most",
            float(pairs.max()),
            unit="rating",
            meaning=f"{meaning} at most",
        ),
    ]
