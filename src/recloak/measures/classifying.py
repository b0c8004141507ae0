"""Classifying: naive Bayes on levels, by scikit-learn, which is loaded when it is needed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import NamedTuple

import numpy as np

from recloak.scene import Codes
from recloak.surveys import NULL, Levels, Survey

MISSING = "scikit-learn is not installed, so no classifier was trained: pip install '.[studies]'."


class Records(NamedTuple):
    """Some respondents: what is predicted from, and what is predicted."""

    known: Levels
    hidden: Levels

    @classmethod
    def of(cls, survey: Survey, respondents: Codes | slice = slice(None)) -> Records:
        """Those respondents of a survey, or all of them."""
        return cls(survey.known[respondents], survey.hidden[respondents])

    def answered(self, issue: int) -> tuple[Levels, Levels]:
        """Of those who answered a sensitive issue, the non-sensitive answers and that one."""
        given = self.hidden[:, issue] != NULL
        return self.known[given], self.hidden[given, issue]


def is_there() -> bool:
    """Is scikit-learn installed?"""
    return find_spec("sklearn") is not None


def scored(train: Records, test: Records, levels: int) -> tuple[float, float]:
    """The accuracy of the classifier and of the majority, mean over sensitive issues.

    Issues that nobody of either part answered do not count; not a number if there is no other.
    """
    found = []
    for issue in range(train.hidden.shape[1]):
        (known, answers), (others, truth) = train.answered(issue), test.answered(issue)
        if len(answers) and len(truth):
            told = predicted(known, answers, others, levels)
            found.append((np.mean(told == truth), np.mean(truth == _most_frequent(answers))))
    if not found:
        return np.nan, np.nan
    learned, guessed = np.mean(found, axis=0).tolist()
    return learned, guessed


def predicted(known: Levels, answers: Levels, others: Levels, levels: int) -> Levels:
    """What a classifier trained on ``known`` and ``answers`` says of ``others``."""
    from sklearn.naive_bayes import CategoricalNB

    model = CategoricalNB(min_categories=levels + 1)
    model.fit(known.astype(np.int64) - NULL, answers)
    told: Levels = model.predict(others.astype(np.int64) - NULL)
    return told


def _most_frequent(answers: Levels) -> np.int8:
    levels, counts = np.unique(answers, return_counts=True)
    most: np.int8 = levels[counts.argmax()]
    return most
