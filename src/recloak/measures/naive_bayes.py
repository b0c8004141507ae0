"""Measure `naive-bayes`: how well a classifier learns the sensitive issue from the release."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from recloak.answers import Answers
from recloak.findings import Figure, Finding
from recloak.measures.base import Measure
from recloak.measures.classifying import MISSING, Records, is_there, scored
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress
from recloak.randomness import Randomness
from recloak.scene import Codes, Scene
from recloak.statistics import mean_figure
from recloak.surveys import NULL, Survey, SurveyParameters

Parts = tuple[Codes, Codes]


class NaiveBayesParameters(SurveyParameters):
    """How often a classifier is trained and tested, and on how many records."""

    trials: int = Field(default=50, ge=2, le=1000)
    """How often; each trial draws its records anew."""

    records: int = Field(default=2000, ge=1)
    """How many records it is trained on, and on how many others it is tested."""


class Scores(NamedTuple):
    """Of one trial: trained and tested on the release, on the original, and without training."""

    release: float
    original: float
    guess: float


class NaiveBayes(Measure):
    """Accuracy of a naive Bayes classifier, trained and tested on the release.

    It predicts each sensitive issue from the non-sensitive ones, no answer being a category of
    its own; several sensitive issues count alike. Records are drawn from two halves of the
    respondents, so that nobody is both trained on and tested. Beside it stand the same on the
    original, and the most frequent answer of the training records for everyone. It needs
    scikit-learn.
    """

    name: ClassVar[str] = "naive-bayes"
    summary: ClassVar[str] = "Accuracy of a classifier of the sensitive issue, before and after."
    reference: ClassVar[str] = (
        "Sun, Sun: Privacy Preserving Large-Scale Rating Data Publishing. ICST 2013. Figure 8."
    )
    figures: ClassVar[tuple[str, ...]] = (
        "accuracy",
        "accuracy_original",
        "accuracy_majority",
        "accuracy_loss",
    )
    Parameters: ClassVar[type[Parameters]] = NaiveBayesParameters
    parameters: NaiveBayesParameters

    @property
    def label(self) -> str:
        return f"{self.parameters.trials} trials of {self.parameters.records:,} records"

    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        summary = "The sensitive issue predicted from the others by naive Bayes."
        answers = Answers.of(scene, self.parameters)
        trouble = answers if isinstance(answers, str) else _why_not(answers)
        if isinstance(answers, str) or trouble:
            return self.finding(summary, (), 0, seed, (trouble or "",))
        rng = Randomness.from_seed(seed).generator(self.name)
        scores = []
        with progress.task("Training classifiers", self.parameters.trials) as task:
            for _ in range(self.parameters.trials):
                scores.append(self._trial(answers, rng))
                task.advance()
        sample = self.parameters.trials * self.parameters.records
        notes = (*answers.notes, *self._resampled(answers))
        return self.finding(summary, _figures(scores), sample, seed, notes)

    def _trial(self, answers: Answers, rng: np.random.Generator) -> Scores:
        original, guess = self._scored(answers.before, rng)
        return Scores(self._scored(answers.after, rng)[0], original, guess)

    def _scored(self, survey: Survey, rng: np.random.Generator) -> tuple[float, float]:
        train, test = halves(survey.n, self.parameters.records, rng)
        return scored(Records.of(survey, train), Records.of(survey, test), survey.r)

    def _resampled(self, answers: Answers) -> list[str]:
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


def _why_not(answers: Answers) -> str | None:
    if not answers.before.hidden_issues:
        return "No sensitive issue was declared, so there is none to predict."
    if not is_there():
        return MISSING
    if min(answers.before.n, answers.after.n) < 2:
        return "There are too few respondents to train on some and test on others."
    answered = (answers.before.hidden != NULL).any() and (answers.after.hidden != NULL).any()
    return None if answered else "Nobody answered a sensitive issue."


def _figures(scores: list[Scores]) -> tuple[Figure, ...]:
    release, original, guess = np.array(scores).T
    told = {
        "accuracy": (release, "trained and tested on the release"),
        "accuracy_original": (original, "trained and tested on the original"),
        "accuracy_majority": (guess, "the most frequent answer for everyone"),
        "accuracy_loss": (original - release, "how much the accuracy fell"),
    }
    return tuple(
        figure
        for name, (found, meaning) in told.items()
        for figure in mean_figure(
            name, found[np.isfinite(found)], "share", f"{meaning}, mean over trials"
        )
    )
