"""Which sensitive answers were stated rightly, by models blended to one confidence, and figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from recloak.attacks._figures import excess_figure
from recloak.core.arrays import Floats, Indices, Levels, Mask
from recloak.core.survey import NULL
from recloak.evaluation.findings import Figure
from recloak.evaluation.intervals import safe_ratio_figure, share_figure

CONFIDENT = 0.9
TENTH = 0.1


@dataclass(frozen=True)
class StatedAnswers:
    """For each person and sensitive issue: was it stated correctly, how surely, was it asked?

    Answers with equal chances are guessed among: one of two is half right.
    """

    right: Floats
    confidence: Floats
    given: Mask
    guessed: Floats

    @classmethod
    def of(cls, chances: Floats, truth: Levels, most_frequent: Levels) -> StatedAnswers:
        """What was stated from ``chances`` of each level, for those who answered any issue."""
        some = (truth != NULL).any(axis=1)
        chances, truth = chances[some], truth[some]
        confidence = chances.max(axis=2)
        best = chances == confidence[:, :, None]
        level = np.arange(chances.shape[2]) == truth[:, :, None]
        right = (best & level).any(axis=2) / best.sum(axis=2)
        guessed = (truth == most_frequent).astype(np.float64)
        return cls(right, confidence, truth != NULL, guessed)

    def by_person(self, outcomes: Floats) -> Floats:
        """For each person the mean outcome over the issues that they answered."""
        total = np.where(self.given, outcomes, 0.0).sum(axis=1)
        return np.asarray(total / np.maximum(self.given.sum(axis=1), 1))

    @property
    def inferred(self) -> Floats:
        """For each person the share of their sensitive answers that was stated correctly."""
        return self.by_person(self.right)

    @property
    def of_the_surest(self) -> Floats:
        """The same for the tenth of people of whom the adversary is surest."""
        surest = most_confident(self.by_person(self.confidence), TENTH)
        return np.asarray(self.inferred[surest])

    def surely(self) -> tuple[Floats, Floats, Floats]:
        """By person: answers stated with confidence, those that are right, all answers."""
        sure = self.given & (self.confidence >= CONFIDENT)
        right = np.where(sure, self.right, 0.0).sum(axis=1)
        return sure.sum(axis=1).astype(float), right, self.given.sum(axis=1).astype(float)


def figures_of(members: StatedAnswers, outsiders: StatedAnswers | None) -> tuple[Figure, ...]:
    """What comes out for members, beside those left out if there are any."""
    meaning = "sensitive answers that are stated correctly"
    found = [
        share_figure("inferred", members.inferred, f"{meaning}, of members"),
        share_figure(
            "inferred_guess",
            members.by_person(members.guessed),
            f"{meaning} by always saying the most frequent one",
        ),
    ]
    if outsiders is not None:
        found += [
            share_figure(
                "inferred_outsiders", outsiders.inferred, f"{meaning}, of respondents left out"
            ),
            excess_figure(
                "inferred_excess",
                members.inferred,
                outsiders.inferred,
                f"{meaning}, of members more than of respondents left out",
            ),
        ]
    sides = {"": (members, "members")}
    if outsiders is not None:
        sides["_outsiders"] = (outsiders, "respondents left out")
    for ending, (side, who) in sides.items():
        found += [*_worst_tenth(side, ending, who), *_confident(side, ending, who)]
    return tuple(found)


def _worst_tenth(side: StatedAnswers, ending: str, who: str) -> Iterator[Figure]:
    yield share_figure(
        f"inferred_worst_tenth{ending}",
        side.of_the_surest,
        f"sensitive answers that are stated correctly, of the tenth of {who} of whom the "
        "adversary is surest",
    )


def _confident(side: StatedAnswers, ending: str, who: str) -> Iterator[Figure]:
    """How many answers are stated with confidence, and how many of these rightly."""
    stated, right, given = side.surely()
    shares = {
        f"confident{ending}": (stated, given, f"sensitive answers of {who} that are stated with "
                               "at least 90 % confidence"),
        f"confident_right{ending}": (right, stated, f"those of them that are right, of {who}"),
    }  # fmt: skip
    for name, (part, whole, meaning) in shares.items():
        if whole.sum():
            yield safe_ratio_figure(name, part, whole, meaning)


PENALTY = 5.0  # on weights that differ from equal ones, so that a few people do not decide them


def cross_fitted(models: Floats, truth: Levels, rng: np.random.Generator) -> Floats:
    """The chance of each level by person and issue, with weights learnt on the other half.

    ``models`` are log-chances by person, issue, level and model; of each half of the people the
    adversary knows the answers of the other half.
    """
    half = rng.permutation(len(truth)) % 2
    found = np.empty(models.shape[:3])
    for side in (0, 1):
        weights = fit(models[half != side], truth[half != side])
        found[half == side] = _chances(models[half == side] @ weights)
    return found


def fit(models: Floats, truth: Levels) -> Floats:
    """The weights under which the true answers are likeliest; equal ones without any answer."""
    given = truth != NULL
    features, levels = models[given], truth[given].astype(np.int64)
    equal = np.full(models.shape[3], 1 / models.shape[3])
    at = np.arange(len(levels))

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds = features @ weights
        total = logsumexp(odds, axis=1, keepdims=True)
        expected = np.einsum("nl,nlm->m", np.exp(odds - total), features)
        off = weights - equal
        value = float((total[:, 0] - odds[at, levels]).sum() + PENALTY / 2 * off @ off)
        return value, expected - features[at, levels].sum(axis=0) + PENALTY * off

    return np.asarray(minimize(loss, equal, jac=True, method="L-BFGS-B").x)


def _chances(odds: Floats) -> Floats:
    return np.asarray(np.exp(odds - logsumexp(odds, axis=2, keepdims=True)))


def most_confident(confidence: Floats, share: float) -> Indices:
    """The share of people of whom the adversary is surest, at least one of them."""
    count = max(1, round(share * len(confidence)))
    return np.argsort(-confidence, kind="stable")[:count]
