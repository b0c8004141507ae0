"""Own rows: how likely each of the best fitting rows is the person's, learnt on other people."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.attacks._asked_people import AskedGroup
from recloak.attacks._postings import rows_of
from recloak.attacks.inference._confidence import crossed_apart, odds_of
from recloak.attacks.inference._own_row_kernels import rival_odds, surprises
from recloak.attacks.inference._tree_chances import crossed_by_trees
from recloak.attacks.membership._weighed_candidates import weighed_groups
from recloak.core.arrays import Floats, Integers, Mask, Values

CLOSE = 20.0  # of log-weights: how far a row lies above or below its rival, at most
SURPRISED = 10.0  # the scale of surprises, so that their squares do not outgrow them


def own_row_chances(
    groups: list[AskedGroup], quarters: list[Integers], rng: np.random.Generator
) -> list[Floats]:
    """The chance that each of the best rows is the person's, learnt on the other half.

    Where people have several rows, these share no item: each row is then learnt about a second
    time, beside those that cannot be the person's if it is. There what one sign
    means depends on others, so trees learn it. Whole rows are told as well by weighted sums, and
    groups better where people have few ratings.
    """
    if not any(asked.has_several_rows for asked in groups):
        features = [_signs_of_one_row(asked) for asked in groups]
        examples = _Examples.of(groups, quarters, features)
        return _of_each(groups, _by_sums(examples))
    features = [_joined(_row_features(asked), _surprises(asked)) for asked in groups]
    alone = _of_each(groups, _by_trees(_Examples.of(groups, quarters, features), rng))
    beside = [
        _joined(one, _beside_rivals(asked, chance))
        for one, asked, chance in zip(features, groups, alone, strict=True)
    ]
    return _of_each(groups, _by_trees(_Examples.of(groups, quarters, beside), rng))


class _Examples(NamedTuple):
    """The best rows of everybody one by one: what speaks for each, is it theirs, the quarter of
    the people to which it belongs, and is it the best of all.
    """

    features: Values
    own: Mask
    quarter: Integers
    best: Mask

    @classmethod
    def of(
        cls, groups: list[AskedGroup], quarters: list[Integers], features: list[Floats]
    ) -> _Examples:
        exists = [asked.posteriors.rows >= 0 for asked in groups]
        signs = [one[there] for one, there in zip(features, exists, strict=True)]
        own = [asked.own()[there] for asked, there in zip(groups, exists, strict=True)]
        people = [
            np.broadcast_to(one[:, None], there.shape)[there]
            for one, there in zip(quarters, exists, strict=True)
        ]
        best = [np.flatnonzero(there) % there.shape[1] == 0 for there in exists]
        stacked = np.concatenate(signs).astype(np.float32)
        return cls(stacked, *(np.concatenate(one) for one in (own, people, best)))


def _by_trees(examples: _Examples, rng: np.random.Generator) -> Floats:
    return crossed_by_trees(examples.features, examples.own, examples.quarter, rng)


def _by_sums(examples: _Examples) -> Floats:
    """The best row of all is learnt about apart from the others, which are rarely theirs."""
    return crossed_apart(*examples)


def _of_each(groups: list[AskedGroup], told: Floats) -> list[Floats]:
    """What is told of all examples, person by person."""
    found, start = [], 0
    for asked in groups:
        exists = asked.posteriors.rows >= 0
        chance, count = np.zeros(exists.shape), int(exists.sum())
        chance[exists] = told[start : start + count]
        found.append(chance)
        start += count
    return found


def _signs_of_one_row(asked: AskedGroup) -> Floats:
    """Where nobody has several rows; of groups also what `bayes-linkage` makes of them."""
    return _joined(_row_features(asked), *weighed_groups(asked))


def _joined(*parts: Floats) -> Floats:
    return np.concatenate(parts, axis=2)


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


def _beside_rivals(asked: AskedGroup, alone: Floats) -> Floats:
    """The odds of a row by itself, and those of rows that share an item with it."""
    odds = odds_of(alone)
    rivals = np.zeros((*odds.shape, 4))
    rows = rows_of(asked.attacked.rows)
    rival_odds(asked.posteriors.rows, odds, rows, asked.attacked.rows.n_items, rivals)
    ahead = odds[..., None] - rivals[..., :2]
    behind = np.minimum(ahead[..., 1:], 0)
    return np.concatenate([rivals, odds[..., None], ahead, behind], axis=2)
