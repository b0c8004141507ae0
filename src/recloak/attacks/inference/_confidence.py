"""Confidence: how likely a statement is true, learnt on one half of the people for the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression

from recloak.attacks._asked_people import AskedGroup
from recloak.attacks._logistic import Logistic, chances
from recloak.attacks.inference._statements import (
    BEST_ROW,
    BY_ROWS,
    GENERAL,
    Statements,
)
from recloak.core.arrays import Floats, Indices, Integers, Mask, Values

BUCKETS = 400
LEAST_BUCKET = 50
STATEMENTS_PER_BLOCK = 500_000
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
    general = _crossed(_curved(statements.features[:, GENERAL]), statements.rated, quarter)
    features = np.column_stack(
        [
            _odds_of(1 - (1 - general) * (1 - statements.evidence)),
            _odds_of(general),
            statements.features[:, BY_ROWS],
        ]
    )
    rated = _crossed_apart(features, statements.rated, quarter, stands_out)
    odds, certain = _odds_of(rated), np.log(statements.certainty + LEAST)
    features = np.column_stack([_odds_of(rated * statements.certainty), odds, certain])
    right = _crossed_apart(features, statements.right, quarter, stands_out)
    return Confidence(rated, general, right)


def _crossed_apart(features: Floats, truth: Mask, quarter: Integers, apart: Mask) -> Floats:
    """As `_crossed`, for those under ``apart`` and for the others by themselves."""
    given, found = features.astype(np.float32), np.zeros(len(truth))
    for some in (apart, ~apart):
        found[some] = _crossed(given[some], truth[some], quarter[some])
    return found


def _curved(features: Values) -> Values:
    """The features, their squares and their products."""
    width = features.shape[1]
    pairs = [(one, two) for one in range(width) for two in range(one, width)]
    centred = (features - features.mean(axis=0)) / (features.std(axis=0) + LEAST)
    products = [centred[:, one] * centred[:, two] for one, two in pairs]
    return np.column_stack([centred, *products])


def _odds_of(chance: Floats) -> Floats:
    return np.asarray(np.log((chance + LEAST) / (1 + LEAST - chance)))


def own_row_chances(groups: list[AskedGroup], quarters: list[Integers]) -> list[Floats]:
    """The chance that each of the best rows is the person's, learnt on the other half.

    The best of all is learnt about apart from the others, which are rarely theirs.
    """
    exists = [asked.posteriors.rows >= 0 for asked in groups]
    features = np.concatenate(
        [_row_features(asked)[kept] for asked, kept in zip(groups, exists, strict=True)]
    )
    own = np.concatenate([one.own()[kept] for one, kept in zip(groups, exists, strict=True)])
    quarter = np.concatenate(
        [
            np.repeat(one[:, None], kept.shape[1], axis=1)[kept]
            for one, kept in zip(quarters, exists, strict=True)
        ]
    )
    found, start = [], 0
    best = np.concatenate([np.flatnonzero(kept.ravel()) % kept.shape[1] == 0 for kept in exists])
    crossed = _crossed_apart(features, own, quarter, best)
    for kept in exists:
        chance, count = np.zeros(kept.shape), int(kept.sum())
        chance[kept] = crossed[start : start + count]
        found.append(chance)
        start += count
    return found


def _row_features(asked: AskedGroup) -> Floats:
    """What speaks for each of the best rows of each person being theirs."""
    found = asked.posteriors
    lengths = asked.attacked.rows.user_counts[found.rows]
    known = np.maximum(asked.people.known_ratings.user_counts, 1)[:, None]
    ranks = np.log1p(np.arange(found.rows.shape[1]))
    return np.stack(
        [
            found.scores,
            found.scores - found.total[:, None],
            found.scores - found.scores[:, :1],
            _above_rival(found.scores),
            found.held / known,
            found.value_gain / known,
            np.log(lengths + 1.0),
            np.broadcast_to(ranks, found.rows.shape),
        ],
        axis=2,
    )


def _above_rival(scores: Floats) -> Floats:
    """How far each row lies above the best of the others, or below it; at most 20."""
    rival = np.repeat(scores[:, :1], scores.shape[1], axis=1)
    rival[:, 0] = scores[:, 1]
    return np.clip(scores - rival, -20, 20)


def _crossed(features: Values, truth: Mask, quarter: Integers) -> Floats:
    """Chances of all examples, each from those of the other half; their mean if these are alike."""
    found = np.zeros(len(truth))
    for tried in (0, 1):
        taught, asked = quarter // 2 != tried, quarter // 2 == tried
        answers = truth[taught]
        if not answers.any() or answers.all():
            found[asked] = answers.mean() if len(answers) else 0.5
            continue
        fitted = CalibratedLogistic.fit(features[taught], answers, quarter[taught])
        found[asked] = fitted.chances(features[asked])
    return found


@dataclass(frozen=True, eq=False)
class CalibratedLogistic:
    """Logistic regression whose odds are turned into chances as often as they came true."""

    fitted: Logistic
    odds: Floats
    share: Floats

    @classmethod
    def fit(cls, features: Values, truth: Mask, part: Integers) -> CalibratedLogistic:
        """How often odds come true is seen on each ``part`` by what was learnt from the others."""
        odds = np.zeros(len(truth))
        for one in np.unique(part):
            others = part != one if (truth & (part != one)).any() else part == one
            fitted = Logistic.fit(features[others], truth[others])
            odds[part == one] = _odds(fitted, features[part == one])
        buckets = _buckets(odds)
        sizes = np.array([len(bucket) for bucket in buckets], np.float64)
        shares = np.array([(truth[bucket].sum() + 0.5) / (len(bucket) + 1) for bucket in buckets])
        centres = np.array([odds[bucket].mean() for bucket in buckets])
        calibrated = isotonic_regression(shares, weights=sizes).x
        return cls(Logistic.fit(features, truth), centres, calibrated)

    def chances(self, features: Values) -> Floats:
        """The chances; where they are equal, higher odds come first by a trifle."""
        odds = _odds(self.fitted, features)
        return np.interp(odds, self.odds, self.share) * (1 - TIE_BREAK) + TIE_BREAK * chances(odds)


def _odds(fitted: Logistic, features: Values) -> Floats:
    starts = range(0, len(features), STATEMENTS_PER_BLOCK)
    parts = [fitted.odds(features[at : at + STATEMENTS_PER_BLOCK]) for at in starts]
    return np.concatenate([np.empty(0), *parts])


def _buckets(odds: Floats) -> list[Indices]:
    """Examples by rising odds, in buckets that are smaller where odds are higher."""
    order = np.argsort(odds, kind="stable")
    ends = np.geomspace(min(LEAST_BUCKET, len(order)), len(order), BUCKETS).astype(np.int64)
    starts = np.sort(len(order) - np.unique(ends))
    return [bucket for bucket in np.split(order, starts) if len(bucket)]
