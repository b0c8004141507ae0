"""Statements: which items somebody may have rated and how, with what speaks for each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.attacks._asked_people import AskedGroup
from recloak.attacks._row_posterior import levels_of
from recloak.attacks.inference._kernels import best_levels, generosity_of, listed_by_rows
from recloak.attacks.inference._stated_items import StatedItems
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
    """Items that somebody is not known to have rated, and a guess of what they gave each.

    ``person`` is the place among those asked; ``features`` speak for "rated the item";
    ``evidence`` is the chance that one of their own rows lists it truly, ``certainty`` how likely
    the guess is right if they rated it. ``rated`` and ``right`` are the truth; ``times`` as how
    many statements each counts.
    """

    person: Integers
    features: Values
    evidence: Values
    certainty: Values
    rated: Mask
    right: Mask
    times: Values


class _Beliefs(NamedTuple):
    """What the best rows of one person say of the stated items."""

    evidence: Floats
    mass: Floats
    guess: Codes
    certainty: Floats


class _Target(NamedTuple):
    """One person: the place, their ratings as items and levels, and which of them are known."""

    person: int
    items: Codes
    levels: Codes
    known: Mask


def statements_of(
    asked: AskedGroup,
    people: Indices,
    own_chance: Floats,
    rng: np.random.Generator | None,
    task: Task,
) -> Statements:
    """Statements about ``people``, whose best rows are theirs with ``own_chance``.

    About all items, or with ``rng`` about some of those for which nothing speaks.
    """
    model, stated = asked.implicit_model, StatedItems.of(asked, rng)
    tastes = model.tastes(asked.people.known_ratings.take_users(people))
    place = np.full(asked.people.ratings.n_items, -1, np.int32)
    parts = []
    for person, taste in zip(people, tastes, strict=True):
        target = _target(asked, int(person))
        chances, known = own_chance[person], target.items[target.known]
        items, times = stated.about(target.person, chances, target.items, known)
        place[items] = np.arange(len(items), dtype=np.int32)
        beliefs = _beliefs(asked, target, chances, items, place)
        place[items] = -1
        fitting = model.scores(taste, items)
        features = _features(asked, target, items, beliefs, chances, fitting)
        parts.append(_about(target, items, times, beliefs, features))
        task.advance()
    return joined(parts)


def joined(parts: list[Statements]) -> Statements:
    """All of them; those of a single part are not copied."""
    if len(parts) == 1:
        return parts[0]
    return Statements(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _about(
    target: _Target, items: Indices, times: Values, beliefs: _Beliefs, features: Values
) -> Statements:
    level = np.full(len(items), -1, np.int32)
    level[np.searchsorted(items, target.items[~target.known])] = target.levels[~target.known]
    return Statements(
        np.full(len(items), target.person),
        features,
        beliefs.evidence.astype(np.float32),
        beliefs.certainty.astype(np.float32),
        level >= 0,
        level == beliefs.guess,
        times,
    )


def _target(asked: AskedGroup, person: int) -> _Target:
    ratings = asked.people.ratings
    here = slice(ratings.offsets[person], ratings.offsets[person + 1])
    levels = levels_of(ratings.values[here], ratings.scale)
    return _Target(person, ratings.items[here], levels, asked.people.known[here])


def _beliefs(
    asked: AskedGroup, target: _Target, own_chance: Floats, items: Indices, place: Codes
) -> _Beliefs:
    """What is believed of ``items``, each of which has its ``place`` among them."""
    attacked, found, person = asked.attacked, asked.posteriors, target.person
    usual = attacked.usual_levels[items]
    evidence, mass = np.zeros(len(items)), np.zeros(len(items))
    values, guess = np.zeros(usual.shape), np.zeros(len(items), np.int32)
    certainty = np.zeros(len(items))
    listed_by_rows(
        found.rows[person],
        own_chance,
        np.exp(found.scores[person] - found.total[person]),
        attacked.rows.offsets,
        attacked.rows.items,
        attacked.row_states,
        place,
        attacked.fame,
        attacked.learnt.honest,
        attacked.cell_levels,
        evidence,
        mass,
        values,
    )
    known, levels = target.items[target.known], target.levels[target.known]
    tilt = generosity_of(levels, attacked.usual_levels[known], PRIOR_SPREAD, NEWTON_STEPS)
    best_levels(evidence, values, usual, attacked.rated[items], tilt, guess, certainty)
    return _Beliefs(evidence, mass, guess, certainty)


def _features(
    asked: AskedGroup,
    target: _Target,
    items: Indices,
    beliefs: _Beliefs,
    own_chance: Floats,
    fitting: Floats,
) -> Values:
    """Fame, what a recommender says, what rows list, and how active the person seems to be."""
    share, everywhere = asked.attacked.share[items], asked.attacked.share
    fame = np.log(share / (1 - share))
    sure = np.clip(beliefs.evidence, LEAST, 1 - LEAST)
    odds = np.log(sure / (1 - sure))
    obscure = -float(np.log(everywhere[target.items[target.known]]).mean())
    length, best = _likely_length(asked, target.person), float(own_chance.max(initial=0.0))
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
