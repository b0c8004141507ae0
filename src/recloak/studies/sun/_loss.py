"""Studies `sun-figure7` and `sun-figure8`: information lost, and what a classifier still learns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import numpy as np
from pydantic import Field

from recloak.core.errors import MachineError
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.survey import Survey
from recloak.measures import measure
from recloak.measures.naive_bayes import MISSING, SurveyRecords, accuracies, sklearn_installed
from recloak.methods import method
from recloak.studies.base import Cell, Column, Measured, Picture, StudyParameters, StudyResult
from recloak.studies.data import DataSet
from recloak.studies.sun import SunStudy, context_of
from recloak.studies.sun._surveys import SurveyData

K, EPSILON = 40, 2  # what the paper fixes while the other varies
SIZES = (10, 20, 30, 40, 50, 60)
SHAPE_7 = (
    "The paper prints no numbers. Its curves rise with k. They fall as ε grows, to zero at ε = "
    "5, where nothing is required any more. We refuse ε = 5 on five levels for that reason."
)
SHAPE_8 = (
    "The paper prints one number: about 75 % on average, very close to the accuracy on the "
    "original. It does not say how accurate it would be always to guess the most frequent "
    "answer; ours is given beside it."
)
MODES = (
    "`interval` is the paper's release: values within ε of each other in every group. `identical` "
    "is our default: equal values in every group, whatever ε is."
)


class SurveyStudyParameters(StudyParameters):
    """How many issues are taken."""

    seeds: int = Field(default=1, ge=1, le=100)
    """Number of runs; the groups do not depend on it, so one is enough."""

    issues: int = Field(default=10, ge=1, le=100)
    """How many of the most rated items are issues."""


class SunFigure7(SunStudy):
    """Distortion for each cell, by ε and by k, in both modes."""

    name: ClassVar[str] = "sun-figure7"
    summary: ClassVar[str] = "Figure 7: information loss by ε and by k."
    Parameters: ClassVar[type[Parameters]] = SurveyStudyParameters
    parameters: SurveyStudyParameters

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        view = SurveyData.of(data, self.parameters.issues)
        by_epsilon = [(K, epsilon) for epsilon in range(view.survey.r)]
        by_size = [(k, EPSILON) for k in SIZES]
        rows: list[tuple[Cell, ...]] = []
        for k, epsilon in dict.fromkeys([*by_epsilon, *by_size]):
            rows.append((k, epsilon, *_losses(view, k, epsilon, progress)))
        columns = [
            Column("k"),
            Column("ε"),
            Column("per cell, interval"),
            Column("cells changed, %", 1),
        ]
        columns += [Column("per cell, identical"), Column("cells changed, %", 1)]
        pictures = [
            _picture("ε", [(row[1], row[2], row[4]) for row in rows if row[0] == K]),
            _picture("k", [(row[0], row[2], row[4]) for row in rows if row[1] == EPSILON]),
        ]
        return self.result(view.data, columns, rows, pictures, [SHAPE_7, MODES])


def _losses(view: SurveyData, k: int, epsilon: int, progress: Progress) -> list[float]:
    """Distortion for each cell and the percentage that was changed, in both modes."""
    found = []
    for mode in ("interval", "identical"):
        context = context_of(view, "proximity", progress, k=k, epsilon=epsilon, l=0, mode=mode)
        finding = measure("survey-distortion").run(context, 0, progress)
        figures = {figure.name: figure.value for figure in finding.figures}
        found += [figures["cell_distortion"], 100 * figures["changed"]]
    return found


def _picture(name: str, points: Iterable[tuple[Cell, ...]]) -> Picture:
    places = sorted((float(str(x)), float(str(a)), float(str(b))) for x, a, b in points)
    lines = tuple(
        (mode, tuple((place[0], place[at]) for place in places))
        for at, mode in ((1, "interval"), (2, "identical"))
    )
    return Picture("lines", name, "distortion for each cell", lines)


class AccuracyParameters(SurveyStudyParameters):
    """How many trials there are, and of how many records."""

    trials: int = Field(default=50, ge=2, le=1000)
    """How many pairs of training and testing sets are drawn; the paper has 50."""

    records: int = Field(default=2000, ge=100)
    """How many records each set has; the paper has 2,000."""


class SunFigure8(SunStudy):
    """A classifier trained on anonymised records and tested on others, anonymised by themselves."""

    name: ClassVar[str] = "sun-figure8"
    summary: ClassVar[str] = "Figure 8: accuracy of naive Bayes on anonymised data."
    Parameters: ClassVar[type[Parameters]] = AccuracyParameters
    parameters: AccuracyParameters

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        if not sklearn_installed():
            raise MachineError(MISSING.rstrip("."), where=self.name)
        view = SurveyData.of(data, self.parameters.issues)
        found: dict[str, list[tuple[float, float]]] = {}
        with progress.task("Training classifiers", self.parameters.trials) as task:
            for trial in range(self.parameters.trials):
                for name, score in self._trial(view, trial):
                    found.setdefault(name, []).append(score)
                task.advance()
        scores = {name: Measured.of(100 * one for one, _ in pairs) for name, pairs in found.items()}
        scores["most frequent answer"] = Measured.of(100 * one for _, one in found["original"])
        rows = [(name, *_setting(name), score) for name, score in scores.items()]
        columns = [Column("data"), Column("mode"), Column("k"), Column("accuracy, %", 1)]
        notes = [SHAPE_8, MODES, *self._resampled(view)]
        return self.result(view.data, columns, rows, [_accuracies(scores)], notes)

    def _trial(self, view: SurveyData, trial: int) -> Iterable[tuple[str, tuple[float, float]]]:
        rng = Randomness.from_seed(trial).generator(self.name)
        train, test = _halves(view, self.parameters.records, rng)
        yield "original", _score(train.survey, test.survey)
        for mode in ("interval", "identical"):
            for k in SIZES[1::2]:
                made = {"k": k, "epsilon": EPSILON, "l": 0, "mode": mode}
                released = (_released(part, **made) for part in (train, test))
                yield f"{mode}, k = {k}", _score(*released)

    def _resampled(self, view: SurveyData) -> list[str]:
        people, records = view.data.ratings.n_users, self.parameters.records
        if people >= 2 * records:
            return []
        return [f"There are {people:,} respondents only: records were drawn with repetition."]


def _halves(
    view: SurveyData, records: int, rng: np.random.Generator
) -> tuple[SurveyData, SurveyData]:
    """Two sets of records that share nobody."""
    order = rng.permutation(view.data.ratings.n_users)
    first, second = (view.only(half) for half in np.array_split(order, 2))
    return first.sample(records, rng), second.sample(records, rng)


def _released(view: SurveyData, **parameters: object) -> Survey:
    made = method("proximity", **view.spelled, **parameters)
    applied = made.apply(view.data.ratings, Randomness.from_seed(0), SILENT)
    return Survey.of(applied.release.as_ratings(), view.declared)


def _score(train: Survey, test: Survey) -> tuple[float, float]:
    return accuracies(SurveyRecords.of(train), SurveyRecords.of(test), train.r)


def _setting(name: str) -> tuple[str | None, str | None]:
    mode, _, size = name.partition(", k = ")
    return (mode, size) if size else (None, None)


def _accuracies(scores: dict[str, Measured]) -> Picture:
    bars = tuple((float(at), one.mean) for at, one in enumerate(scores.values()))
    return Picture("bars", "", "accuracy, %", (("accuracy", bars),), tuple(scores))
