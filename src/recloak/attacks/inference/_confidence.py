"""Confidence: how likely a statement is true, learnt on one half of the people for the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression

from recloak.attacks._logistic import DECIMALS, Logistic, chances
from recloak.attacks.inference._kernels import curved, linear_odds
from recloak.attacks.inference._statements import (
    BEST_ROW,
    BY_ROWS,
    GENERAL,
    Statements,
)
from recloak.core.arrays import Floats, Integers, Mask, Values
from recloak.core.parallel import in_threads
from recloak.core.progress import SILENT

BUCKETS = 400
LEAST_BUCKET = 50
TIE_BREAK = 1e-7
LEAST = 1e-4
STANDS_OUT = 0.5


@dataclass(frozen=True, eq=False)
class Confidence:
    """The confidence of every statement: that the item was rated, the same without looking at
    rows, and that the value is right.
    """

    rated: Floats
    rated_in_general: Floats
    right: Floats


def confidence_of(statements: Statements, quarter: Integers) -> Confidence:
    """Learn on the people of one half, members and outsiders alike, and tell of the other.

    People for whom a row stands out are learnt about apart from those for whom none does.
    """
    stands_out = statements.features[:, BEST_ROW] >= STANDS_OUT
    times = statements.times
    curved_features = _curved(statements.features[:, GENERAL])
    general = _crossed(curved_features, statements.rated, quarter, times)
    either = odds_of(1 - (1 - general) * (1 - statements.evidence))
    by_rows = [statements.features[:, place] for place in BY_ROWS]
    features = _stacked([either, odds_of(general), *by_rows])
    rated = crossed_apart(features, statements.rated, quarter, stands_out, times)
    odds, certain = odds_of(rated), np.log(statements.certainty + LEAST)
    features = _stacked([odds_of(rated * statements.certainty), odds, certain])
    right = crossed_apart(features, statements.right, quarter, stands_out, times)
    return Confidence(rated, general, right)


def crossed_apart(
    features: Values, truth: Mask, quarter: Integers, apart: Mask, times: Values | None = None
) -> Floats:
    """As `_crossed`, for those under ``apart`` and for the others by themselves.

    ``times`` are as how many each example counts, else as one.
    """
    found = np.zeros(len(truth))
    counted = np.ones(len(truth), np.float32) if times is None else times
    for some in (apart, ~apart):
        found[some] = _crossed(features[some], truth[some], quarter[some], counted[some])
    return found


def _curved(features: Values) -> Values:
    """The features, their squares and their products."""
    width = features.shape[1]
    centre, spread = features.mean(axis=0, dtype=float), features.std(axis=0, dtype=float)
    found = np.empty((len(features), width + width * (width + 1) // 2), np.float32)
    curved(np.ascontiguousarray(features), centre, spread + LEAST, found)
    return found


def _stacked(columns: Sequence[Floats | Values]) -> Values:
    """A column for each, next to each other, in single precision."""
    found = np.empty((len(columns[0]), len(columns)), np.float32)
    for place, column in enumerate(columns):
        found[:, place] = column
    return found


def odds_of(chance: Floats) -> Floats:
    """Log-odds of chances, within limits."""
    return np.asarray(np.log((chance + LEAST) / (1 + LEAST - chance)))


def _crossed(features: Values, truth: Mask, quarter: Integers, times: Values) -> Floats:
    """Chances of all examples, each from those of the other half; their mean if these are alike."""
    rows = [np.flatnonzero(quarter == one) for one in range(4)]
    parts = [(features[some], truth[some], times[some]) for some in rows]
    found = np.zeros(len(truth))

    def one_half(asked: int, taught: int) -> None:
        answers = np.concatenate([parts[taught][1], parts[taught + 1][1]])
        if not answers.any() or answers.all():
            chance = float(answers.mean()) if len(answers) else 0.5
            found[rows[asked]] = found[rows[asked + 1]] = chance
            return
        fitted = CalibratedLogistic.fit(parts[taught], parts[taught + 1])
        for one in (asked, asked + 1):
            found[rows[one]] = fitted.chances(parts[one][0])

    with SILENT.task("") as task:
        in_threads(one_half, [(0, 2), (2, 0)], task)
    return found


Examples = tuple[Values, Mask, Values]
"""Features, which of the examples are true, and as how many each counts."""


@dataclass(frozen=True, eq=False)
class CalibratedLogistic:
    """Logistic regression whose odds are turned into chances as often as they came true."""

    fitted: Logistic
    odds: Floats
    share: Floats

    @classmethod
    def fit(cls, one: Examples, other: Examples) -> CalibratedLogistic:
        """How often odds come true is seen on either part by what was learnt from the other."""
        odds = np.concatenate([_odds_by(other, one), _odds_by(one, other)])
        features, truth, times = (np.concatenate(both) for both in zip(one, other, strict=True))
        bucket = np.searchsorted(_limits(odds), odds, side="right")
        sizes = np.bincount(bucket, times)
        there = sizes > 0
        sizes = sizes[there]
        shares = (np.bincount(bucket, times * truth)[there] + 0.5) / (sizes + 1)
        centres = np.bincount(bucket, times * odds)[there] / sizes
        calibrated = isotonic_regression(shares, weights=sizes).x
        return cls(Logistic.fit(features, truth, times), centres, calibrated)

    def chances(self, features: Values) -> Floats:
        """The chances; where they are equal, higher odds come first by a trifle."""
        odds = _odds(self.fitted, features)
        return np.interp(odds, self.odds, self.share) * (1 - TIE_BREAK) + TIE_BREAK * chances(odds)


def _odds_by(teachers: Examples, tried: Examples) -> Floats:
    """The odds by what teachers show; where nothing is true of them, by the examples themselves."""
    if len(tried[1]) == 0:
        return np.empty(0)
    return _odds(Logistic.fit(*(teachers if teachers[1].any() else tried)), tried[0])


def _odds(fitted: Logistic, features: Values) -> Floats:
    slopes, found = fitted.weights[1:] / fitted.spread, np.empty(len(features))
    linear_odds(features, slopes, float(fitted.weights[0] - fitted.centre @ slopes), found)
    return np.round(found, DECIMALS)  # as `Logistic.odds`


def _limits(odds: Floats) -> Floats:
    """Where buckets of examples begin, which are smaller where odds are higher."""
    ascending = np.sort(odds)
    ends = np.geomspace(min(LEAST_BUCKET, len(odds)), len(odds), BUCKETS).astype(np.int64)
    return np.unique(ascending[len(odds) - ends])
