"""Measure `survey-distortion`: how far the answers of a release lie from those that were given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from recloak.core.arrays import Floats, Indices, Levels
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.survey import NULL, SurveyParameters
from recloak.evaluation.context import AuditContext
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.evaluation.formatting import amount, of_100
from recloak.evaluation.survey_pairs import SurveyPairs, declares_issues
from recloak.measures.base import Measure

RESPONDENTS_PER_BLOCK = 100_000

CHANGES = ("distance", "changed", "erased", "filled")

_FIGURES = (
    DeclaredFigure("total", "count", worse="more"),
    DeclaredFigure(
        "cell_distortion",
        "rating",
        worse="more",
        heading="Cell distortion, total",
        meaning="By how many levels an answer in the release differs from the one that was given, "
        "on average over the non-sensitive issues, and in total over all. An answer that was "
        "erased, or made up where there was none, counts as the number of levels.",
    ),
    DeclaredFigure("changed", worse="more"),
    DeclaredFigure("erased", worse="more"),
    DeclaredFigure("filled", worse="more"),
    DeclaredFigure("sensitive_distortion", "rating", worse="more"),
    DeclaredFigure("deleted", worse="more"),
)


class SurveyDistortion(Measure):
    """The total distortion of the paper, and what happened to the cells.

    A cell costs the difference of its levels; an answer that was erased, or made up where there
    was none, costs the number of levels. Respondents who have no row are counted apart, as the
    paper knows no deletion. All figures are exact.
    """

    name: ClassVar[str] = "survey-distortion"
    summary: ClassVar[str] = "How far the answers of a release lie from those that were given."
    reference: ClassVar[str] = (
        "Sun, Sun: Privacy Preserving Large-Scale Rating Data Publishing. ICST 2013. Definitions "
        "4 and 5."
    )
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    applies_to: ClassVar[str] = "of a survey"
    compared_with: ClassVar[tuple[str, ...]] = ()
    Parameters: ClassVar[type[Parameters]] = SurveyParameters
    parameters: SurveyParameters

    @property
    def label(self) -> str:
        return "answers, level by level"

    @classmethod
    def sentences(cls, findings: Sequence[Finding], audit: Audit) -> list[str]:
        finding = next(iter(findings), None)
        changed = finding.share("changed") if finding else None
        if finding is None or changed is None:
            return []
        distance, gone = finding.figure("cell_distortion"), finding.share("deleted")
        by = f", by {amount(distance.value, 'rating')} levels for each cell" if distance else ""
        moved = f"{of_100(changed)} were changed{by if changed.value > 0 else ''}"
        left = f" {of_100(gone).capitalize()} of 100 respondents" if gone and gone.value > 0 else ""
        without = f"{left} were left out." if left else ""
        return [f"Of 100 answers that somebody may know, {moved}.{without}"]

    def applies(self, context: AuditContext) -> bool:
        return declares_issues(context.public)

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        summary = "What people answered against what the release says of them."
        answers = SurveyPairs.of(context, self.parameters)
        if isinstance(answers, str):
            return self.finding(summary, (), 0, seed, (answers,))
        people = answers.kept
        with progress.task("Comparing answers", 2) as task:
            known = _changes(answers.before.known, answers.after.known, answers, people)
            task.advance()
            hidden = _changes(answers.before.hidden, answers.after.hidden, answers, people)
            task.advance()
        cells = len(people) * len(answers.before.known_issues)
        figures = (*_figures(known, hidden, cells), *_others(hidden, answers))
        return self.finding(summary, figures, len(people), seed, answers.notes)


def _changes(before: Levels, after: Levels, answers: SurveyPairs, people: Indices) -> Floats:
    """Over all cells: the distance, and how many were changed, erased and filled."""
    totals = np.zeros(len(CHANGES))
    for start in range(0, len(people), RESPONDENTS_PER_BLOCK):
        here = people[start : start + RESPONDENTS_PER_BLOCK]
        one, other = before[here].astype(np.int16), after[answers.own[here]].astype(np.int16)
        erased, filled = (one != NULL) & (other == NULL), (one == NULL) & (other != NULL)
        apart = np.where(erased | filled, answers.before.r, np.abs(one - other))
        totals += [apart.sum(), np.count_nonzero(apart), erased.sum(), filled.sum()]
    return totals


def _figures(known: Floats, hidden: Floats, cells: int) -> tuple[Figure, ...]:
    total = Figure(
        "total",
        float(known[0] + hidden[0]),
        unit="count",
        meaning="the sum of all differences of levels, over all issues",
    )
    if cells == 0:
        return (total,)
    distance, changed, erased, filled = (known / cells).tolist()
    return (
        total,
        Figure(
            "cell_distortion",
            distance,
            unit="rating",
            meaning="the same for each cell of the non-sensitive issues",
        ),
        Figure("changed", changed, meaning="cells of the non-sensitive issues that differ"),
        Figure("erased", erased, meaning="of these cells, answers that are gone"),
        Figure("filled", filled, meaning="of these cells, answers that nobody gave"),
    )


def _others(hidden: Floats, answers: SurveyPairs) -> list[Figure]:
    figures = []
    cells = len(answers.kept) * len(answers.before.hidden_issues)
    if cells:
        meaning = "the differences of levels for each cell of the sensitive issues"
        figures.append(
            Figure("sensitive_distortion", float(hidden[0]) / cells, unit="rating", meaning=meaning)
        )
    gone = 1 - len(answers.kept) / answers.before.n
    meaning = "respondents who have no row in the release; they are in no other figure"
    return [*figures, Figure("deleted", gone, meaning=meaning)]
