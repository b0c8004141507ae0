"""Statements: which items somebody may have rated and how, with what speaks for each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.attacks._asked_people import AskedGroup
from recloak.attacks._row_posterior import levels_of
from recloak.attacks.inference._kernels import best_levels, generosity_of, listed_by_rows
from recloak.core.arrays import Codes, Floats, Indices, Integers, Mask, Values
from recloak.core.progress import Task

LEAST = 1e-4
PRIOR_SPREAD = 5.0
NEWTON_STEPS = 4
GENERAL = (0, 1, 2, 5)
BEST_ROW = 7
BY_ROWS = (3, 4, 6, 7, 8, 9, 10)
"""The features that come from the best fitting rows; the general ones need no row."""


class Statements(NamedTuple):
    """Every item that somebody is not known to have rated, and a guess of what they gave it.

    ``person`` is the place among those asked; ``features`` speak for "rated the item";
    ``evidence`` is the chance that one of their own rows lists it truly, ``certainty`` how likely
    the guess is right if they rated it. ``rated`` and ``right`` are the truth.
    """

    person: Integers
    features: Values
    evidence: Values
    certainty: Values
    rated: Mask
    right: Mask


class _Beliefs(NamedTuple):
    """What the best rows of one person say of all items."""

    evidence: Floats
    mass: Floats
    guess: Codes
    certainty: Floats


class _Target(NamedTuple):
    """The ratings of one person as items and levels, and which of them are known."""

    items: Codes
    levels: Codes
    known: Mask


def statements_of(asked: AskedGroup, people: Indices, own_chance: Floats, task: Task) -> Statements:
    """All statements about ``people``, whose best rows are theirs with ``own_chance``."""
    fold_in = asked.implicit_model.scores(asked.people.known_ratings.take_users(people))
    parts = []
    for person, fitting in zip(people, fold_in, strict=True):
        parts.append(_about(asked, int(person), own_chance[person], fitting))
        task.advance()
    return joined(parts)


def joined(parts: list[Statements]) -> Statements:
    """All of them; those of a single part are not copied."""
    if len(parts) == 1:
        return parts[0]
    return Statements(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _about(asked: AskedGroup, person: int, own_chance: Floats, fitting: Floats) -> Statements:
    target = _target(asked, person)
    beliefs = _beliefs(asked, person, target, own_chance)
    truth = np.full(len(beliefs.guess), -1, np.int32)
    truth[target.items] = target.levels
    unknown = np.ones(len(truth), np.bool_)
    unknown[target.items[target.known]] = False
    features = _features(asked, person, target, beliefs, own_chance, fitting)
    return Statements(
        np.full(int(unknown.sum()), person),
        features[unknown],
        beliefs.evidence[unknown].astype(np.float32),
        beliefs.certainty[unknown].astype(np.float32),
        truth[unknown] >= 0,
        (truth == beliefs.guess)[unknown],
    )


def _target(asked: AskedGroup, person: int) -> _Target:
    ratings = asked.people.ratings
    here = slice(ratings.offsets[person], ratings.offsets[person + 1])
    levels = levels_of(ratings.values[here], ratings.scale)
    return _Target(ratings.items[here], levels, asked.people.known[here])


def _beliefs(asked: AskedGroup, person: int, target: _Target, own_chance: Floats) -> _Beliefs:
    attacked, found, usual = asked.attacked, asked.posteriors, asked.attacked.usual_levels
    evidence, mass = np.zeros(len(usual)), np.zeros(len(usual))
    values, guess = np.zeros(usual.shape), np.zeros(len(usual), np.int32)
    certainty = np.zeros(len(usual))
    listed_by_rows(
        found.rows[person],
        own_chance,
        np.exp(found.scores[person] - found.total[person]),
        attacked.rows.offsets,
        attacked.rows.items,
        attacked.row_states,
        attacked.fame,
        attacked.learnt.honest,
        attacked.level_given_state,
        evidence,
        mass,
        values,
    )
    known = target.items[target.known]
    tilt = generosity_of(target.levels[target.known], usual[known], PRIOR_SPREAD, NEWTON_STEPS)
    best_levels(evidence, values, usual, attacked.rated, tilt, guess, certainty)
    return _Beliefs(evidence, mass, guess, certainty)


def _features(
    asked: AskedGroup,
    person: int,
    target: _Target,
    beliefs: _Beliefs,
    own_chance: Floats,
    fitting: Floats,
) -> Values:
    """Fame, what a recommender says, what rows list, and how active the person seems to be."""
    share = asked.attacked.share
    fame = np.log(share / (1 - share))
    sure = np.clip(beliefs.evidence, LEAST, 1 - LEAST)
    odds = np.log(sure / (1 - sure))
    obscure = -float(np.log(share[target.items[target.known]]).mean())
    length, best = _likely_length(asked, person), float(own_chance.max(initial=0.0))
    columns = np.empty((len(share), len(BY_ROWS) + len(GENERAL)), np.float32)
    columns[:, 0], columns[:, 1] = fame, fitting
    columns[:, 2] = np.log(np.maximum(fitting, LEAST))
    columns[:, 3] = odds
    columns[:, 4] = np.log((beliefs.mass + LEAST) / (share + LEAST))
    columns[:, 5], columns[:, 6], columns[:, 7] = obscure, length, best
    columns[:, 8], columns[:, 9], columns[:, 10] = fame * length, odds * best, fame * best
    return columns


def _likely_length(asked: AskedGroup, person: int) -> float:
    """The log of how long the best rows are, by their weights."""
    found = asked.posteriors
    weights = np.exp(found.scores[person] - found.scores[person, 0]) * (found.rows[person] >= 0)
    lengths = asked.attacked.rows.user_counts[found.rows[person]]
    return float(np.log1p((weights * lengths).sum() / max(weights.sum(), LEAST)))
