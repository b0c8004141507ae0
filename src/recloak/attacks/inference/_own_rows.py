"""Own rows: how likely each of the best fitting rows is the person's, learnt on other people."""

from __future__ import annotations

import numpy as np

from recloak.attacks._asked_people import AskedGroup
from recloak.attacks._postings import rows_of
from recloak.attacks.inference._confidence import crossed_apart, odds_of
from recloak.attacks.inference._own_row_kernels import rival_odds, surprises
from recloak.core.arrays import Floats, Integers

CLOSE = 20.0  # of log-weights: how far a row lies above or below its rival, at most
SURPRISED = 10.0  # the scale of surprises, so that their squares do not outgrow them


def own_row_chances(groups: list[AskedGroup], quarters: list[Integers]) -> list[Floats]:
    """The chance that each of the best rows is the person's, learnt on the other half.

    Where people have several rows, these share no item: each row is then learnt about a second
    time, beside those that cannot be the person's if it is.
    """
    features = [_row_features(asked) for asked in groups]
    if not any(asked.has_several_rows for asked in groups):
        return _crossed_rows(groups, quarters, features)
    features = [
        _joined(one, _surprises(asked)) for one, asked in zip(features, groups, strict=True)
    ]
    chances = _crossed_rows(groups, quarters, features)
    beside = [
        _joined(one, _beside_rivals(asked, chance))
        for one, asked, chance in zip(features, groups, chances, strict=True)
    ]
    return _crossed_rows(groups, quarters, beside)


def _joined(one: Floats, other: Floats) -> Floats:
    return np.concatenate([one, other], axis=2)


def _crossed_rows(
    groups: list[AskedGroup], quarters: list[Integers], features: list[Floats]
) -> list[Floats]:
    """Chances by these features; the best of all is learnt about apart from the others, which are
    rarely theirs.
    """
    exists = [asked.posteriors.rows >= 0 for asked in groups]
    stacked = np.concatenate([one[kept] for one, kept in zip(features, exists, strict=True)])
    own = np.concatenate([one.own()[kept] for one, kept in zip(groups, exists, strict=True)])
    quarter = np.concatenate(
        [
            np.repeat(one[:, None], kept.shape[1], axis=1)[kept]
            for one, kept in zip(quarters, exists, strict=True)
        ]
    )
    found, start = [], 0
    best = np.concatenate([np.flatnonzero(kept.ravel()) % kept.shape[1] == 0 for kept in exists])
    crossed = crossed_apart(stacked.astype(np.float32), own, quarter, best)
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
    """How far each row lies above the best of the others, or below it, within limits."""
    rival = np.repeat(scores[:, :1], scores.shape[1], axis=1)
    rival[:, 0] = scores[:, 1]
    return np.clip(scores - rival, -CLOSE, CLOSE)


def _surprises(asked: AskedGroup) -> Floats:
    """How surprising the known items are that a row has, and those that it lacks.

    Where ratings of two items usually stand in one row if one person gave both, a row with one of
    them and without the other is hardly theirs.
    """
    known, pairs = asked.people.known_ratings, asked.co_occurrence
    found = np.zeros((*asked.posteriors.rows.shape, 2))
    rows = rows_of(asked.attacked.rows)
    given = (asked.posteriors.rows, rows, known.offsets, known.items)
    surprises(*given, pairs.place, pairs.chances, found)
    return _joined(found, np.square(found) / SURPRISED)


def _beside_rivals(asked: AskedGroup, chances: Floats) -> Floats:
    """The odds of a row by itself, and those of rows that share an item with it."""
    odds = odds_of(chances)
    rivals = np.zeros((*odds.shape, 4))
    rows = rows_of(asked.attacked.rows)
    rival_odds(asked.posteriors.rows, odds, rows, asked.attacked.rows.n_items, rivals)
    ahead = odds[..., None] - rivals[..., :2]
    behind = np.minimum(ahead[..., 1:], 0)
    return np.concatenate([rivals, odds[..., None], ahead, behind], axis=2)
