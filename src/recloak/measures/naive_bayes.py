"""Measure `naive-bayes`: how well a classifier learns the sensitive issue from the release."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from recloak.core.arrays import Indices, Levels
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.survey import NULL, Survey, SurveyParameters
from recloak.evaluation.context import AuditContext
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.evaluation.formatting import of_100
from recloak.evaluation.intervals import mean_figure
from recloak.evaluation.survey_pairs import SurveyPairs, declares_issues
from recloak.measures.base import Measure

MISSING = "scikit-learn is not installed, so no classifier was trained: pip install '.[studies]'."


class SurveyRecords(NamedTuple):
    """Some respondents: what is predicted from, and what is predicted."""

    known: Levels
    hidden: Levels

    @classmethod
    def of(cls, survey: Survey, respondents: Indices | slice = slice(None)) -> SurveyRecords:
        """Those respondents of a survey, or all of them."""
        return cls(survey.known[respondents], survey.hidden[respondents])

    def answered(self, issue: int) -> tuple[Levels, Levels]:
        """Of those who answered a sensitive issue, the non-sensitive answers and that one."""
        given = self.hidden[:, issue] != NULL
        return self.known[given], self.hidden[given, issue]


def sklearn_installed() -> bool:
    """Is scikit-learn installed?"""
    return find_spec("sklearn") is not None


def accuracies(train: SurveyRecords, test: SurveyRecords, levels: int) -> tuple[float, float]:
    """The accuracy of the classifier and of the majority, mean over sensitive issues.

    Issues that nobody of either part answered do not count; not a number if there is no other.
    """
    found = []
    for issue in range(train.hidden.shape[1]):
        (known, answers), (others, truth) = train.answered(issue), test.answered(issue)
        if len(answers) and len(truth):
            classes = predicted(known, answers, others, levels)
            found.append((np.mean(classes == truth), np.mean(truth == _most_frequent(answers))))
    if not found:
        return np.nan, np.nan
    learned, guessed = np.mean(found, axis=0).tolist()
    return learned, guessed


def predicted(known: Levels, answers: Levels, others: Levels, levels: int) -> Levels:
    """The classes of ``others`` by a classifier trained on ``known`` and ``answers``."""
    from sklearn.naive_bayes import CategoricalNB

    model = CategoricalNB(min_categories=levels + 1)
    model.fit(known.astype(np.int64) - NULL, answers)
    classes: Levels = model.predict(others.astype(np.int64) - NULL)
    return classes


def _most_frequent(answers: Levels) -> np.int8:
    levels, counts = np.unique(answers, return_counts=True)
    most: np.int8 = levels[counts.argmax()]
    return most


Parts = tuple[Indices, Indices]


class NaiveBayesParameters(SurveyParameters):
    """How often a classifier is trained and tested, and on how many records."""

    trials: int = Field(default=50, ge=2, le=1000)
    """How often; each trial draws new records."""

    records: int = Field(default=2000, ge=1)
    """How many records it is trained on, and on how many others it is tested."""


class TrialAccuracies(NamedTuple):
    """Of one trial: trained and tested on the release, on the original, and without training."""

    release: float
    original: float
    guess: float


_FIGURES = (
    DeclaredFigure(
        "accuracy",
        worse="less",
        heading="Accuracy",
        meaning=(
            "The share of sensitive answers that a naive Bayes classifier predicts correctly from "
            "the non-sensitive ones. It is what a researcher could learn from the release; an "
            "attacker who knows those answers can use the same rule."
        ),
        original="accuracy_original",
    ),
    DeclaredFigure("accuracy_original"),
    DeclaredFigure("accuracy_majority"),
    DeclaredFigure("accuracy_loss", worse="more"),
)


class NaiveBayes(Measure):
    """Accuracy of a naive Bayes classifier, trained and tested on the release.

    It predicts each sensitive issue from the non-sensitive ones, with no answer as a category of
    its own; several sensitive issues count equally. Records are drawn from two halves of the
    respondents, so that nobody is both trained on and tested. For comparison: the same on the
    original, and the most frequent answer of the training records for everyone. It needs
    scikit-learn.
    """

    name: ClassVar[str] = "naive-bayes"
    summary: ClassVar[str] = "Accuracy of a classifier of the sensitive issue, before and after."
    reference: ClassVar[str] = (
        "Sun, Sun: Privacy Preserving Large-Scale Rating Data Publishing. ICST 2013. Figure 8."
    )
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    applies_to: ClassVar[str] = "of a survey"
    compared_with: ClassVar[tuple[str, ...]] = ()
    Parameters: ClassVar[type[Parameters]] = NaiveBayesParameters
    parameters: NaiveBayesParameters

    @property
    def label(self) -> str:
        return f"{self.parameters.trials} trials of {self.parameters.records:,} records"

    @classmethod
    def sentences(cls, findings: Sequence[Finding], audit: Audit) -> list[str]:
        finding = next(iter(findings), None)
        after = finding.share("accuracy") if finding else None
        if finding is None or after is None:
            return []
        before, guess = (finding.share(f"accuracy_{side}") for side in ("original", "majority"))
        summary = (
            f"Trained on the release, a classifier gives {of_100(after)} of 100 sensitive "
            "answers correctly"
        )
        parts = [summary]
        parts += [f"trained on the original, {of_100(before)}"] if before else []
        parts += [f"always saying the most frequent one, {of_100(guess)}"] if guess else []
        return ["; ".join(parts) + "."]

    def applies(self, context: AuditContext) -> bool:
        return declares_issues(context.public)

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        summary = "The sensitive issue predicted from the others by naive Bayes."
        answers = SurveyPairs.of(context, self.parameters)
        reason = answers if isinstance(answers, str) else _why_not(answers)
        if isinstance(answers, str) or reason:
            return self.finding(summary, (), 0, seed, (reason or "",))
        rng = Randomness.from_seed(seed).generator(self.name)
        scores = []
        with progress.task("Training classifiers", self.parameters.trials) as task:
            for _ in range(self.parameters.trials):
                scores.append(self._trial(answers, rng))
                task.advance()
        sample = self.parameters.trials * self.parameters.records
        notes = (*answers.notes, *self._resampled(answers))
        return self.finding(summary, _figures(scores), sample, seed, notes)

    def _trial(self, answers: SurveyPairs, rng: np.random.Generator) -> TrialAccuracies:
        original, guess = self._scored(answers.before, rng)
        return TrialAccuracies(self._scored(answers.after, rng)[0], original, guess)

    def _scored(self, survey: Survey, rng: np.random.Generator) -> tuple[float, float]:
        train, test = halves(survey.n, self.parameters.records, rng)
        return accuracies(SurveyRecords.of(survey, train), SurveyRecords.of(survey, test), survey.r)

    def _resampled(self, answers: SurveyPairs) -> list[str]:
        fewest = min(answers.before.n, answers.after.n) // 2
        if fewest >= self.parameters.records:
            return []
        return [
            f"There are fewer than {2 * self.parameters.records:,} respondents: records were drawn "
            "with repetition."
        ]


def halves(respondents: int, records: int, rng: np.random.Generator) -> Parts:
    """Records to train on and others to test on; drawn with repetition if there are too few."""
    order = rng.permutation(respondents)
    cut = respondents // 2
    train, test = (
        rng.choice(half, records, replace=len(half) < records)
        for half in (order[:cut], order[cut:])
    )
    return train, test


def _why_not(answers: SurveyPairs) -> str | None:
    if not answers.before.hidden_issues:
        return "No sensitive issue was declared, so there is none to predict."
    if not sklearn_installed():
        return MISSING
    if min(answers.before.n, answers.after.n) < 2:
        return "There are too few respondents to train on some and test on others."
    answered = (answers.before.hidden != NULL).any() and (answers.after.hidden != NULL).any()
    return None if answered else "Nobody answered a sensitive issue."


def _figures(scores: list[TrialAccuracies]) -> tuple[Figure, ...]:
    release, original, guess = np.array(scores).T
    columns = {
        "accuracy": (release, "trained and tested on the release"),
        "accuracy_original": (original, "trained and tested on the original"),
        "accuracy_majority": (guess, "the most frequent answer for everyone"),
        "accuracy_loss": (original - release, "how much the accuracy fell"),
    }
    return tuple(
        figure
        for name, (found, meaning) in columns.items()
        for figure in mean_figure(
            name, found[np.isfinite(found)], "share", f"{meaning}, mean over trials"
        )
    )
