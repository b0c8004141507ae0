"""What speaks for somebody being in a release, from what is known of them."""

from __future__ import annotations

import numpy as np

from recloak.attacks._asked_people import AskedGroup
from recloak.attacks._row_posterior import levels_of
from recloak.attacks.membership._leading_directions import MadeUpRows, leading_directions
from recloak.attacks.membership._profile_deviations import profile_deviations
from recloak.attacks.membership._projections import projections
from recloak.attacks.membership._weighed_candidates import weighed_candidates
from recloak.core.arrays import Floats
from recloak.core.ratings import Ratings

RARE = (0, 1, 2, 4)
LEAST = 1e-6


def membership_features(asked: AskedGroup) -> Floats:
    """A row for each person asked: the best rows, the items, and a recommender.

    Of groups also what their profiles depart by, of groups and fragments how likely they are, of
    clusters what their chunks explain. Of made-up rows the directions in which they differ, and
    little else: no row is anybody's, and each feature that tells nothing hides those that do.
    """
    known = asked.people.known_ratings
    if MadeUpRows.of(asked) is not None:
        count_and_fame = _of_items(asked, known)[:2]
        made_up = [*_of_copies(asked, known), *count_and_fame, *leading_directions(asked, known)]
        return _finite(np.column_stack(made_up))
    columns = [*_of_rows(asked, known), *_of_items(asked, known), *_of_recommender(asked, known)]
    columns += [
        *profile_deviations(asked, known),
        *weighed_candidates(asked, known),
        *projections(asked, known),
    ]
    return _finite(np.column_stack(columns))


def with_squares(features: Floats) -> Floats:
    """The features and how far each lies from its mean, squared: for weighted sums."""
    squares = (features - features.mean(axis=0)) / (features.std(axis=0) + LEAST)
    return np.column_stack([features, np.clip(squares, -4, 4) ** 2])


def _finite(features: Floats) -> Floats:
    """What is impossible (a score of −∞) counts as the worst that is possible."""
    known = np.isfinite(features)
    low = np.min(features, axis=0, initial=np.inf, where=known)
    high = np.max(features, axis=0, initial=-np.inf, where=known)
    low, high = (np.where(np.isfinite(one), one, 0.0) for one in (low, high))
    return np.clip(np.where(np.isnan(features), low, features), low, high)


def _of_rows(asked: AskedGroup, known: Ratings) -> list[Floats]:
    """How well the best rows explain what is known, and how far they stand out."""
    found = asked.posteriors
    count = np.maximum(known.user_counts, 1).astype(np.float64)
    best, held = found.scores[:, 0], found.held.astype(np.float64)
    lengths = asked.attacked.rows.user_counts[found.rows]
    overlap = held / np.maximum(count[:, None] + lengths - held, 1)
    others = found.scores[:, 1:]
    return [
        best,
        best / count,
        found.total,
        np.clip(best - found.scores[:, 1], 0, 50),
        np.log1p(np.clip(best - found.scores[:, 1], 0, 1e6)),
        (best - others.mean(axis=1)) / (others.std(axis=1) + 1),
        held[:, 0] / count,
        held.max(axis=1) / count,
        found.value_gain[:, 0] / count,
        found.value_gain.max(axis=1) / count,
        overlap[:, 0],
        overlap.max(axis=1),
        np.log(lengths[:, 0] + 1.0),
        np.log(count) - np.log(lengths[:, 0] + 1.0),
        np.log1p(found.complete),
    ]


def _of_copies(asked: AskedGroup, known: Ratings) -> list[Floats]:
    """Whether some row that should be made up is a copy of somebody's."""
    found = asked.posteriors
    count = np.maximum(known.user_counts, 1).astype(np.float64)
    best, others, held = found.scores[:, 0], found.scores[:, 1:], found.held.astype(np.float64)
    lengths = asked.attacked.rows.user_counts[found.rows]
    overlap = held / np.maximum(count[:, None] + lengths - held, 1)
    return [
        best / count,
        (best - others.mean(axis=1)) / (others.std(axis=1) + 1),
        overlap.max(axis=1),
    ]


def _of_items(asked: AskedGroup, known: Ratings) -> list[Floats]:
    """How famous the known items are, and how many are hardly in the release."""
    support = asked.attacked.rows.item_support[known.items]
    count = np.maximum(known.user_counts, 1)
    fame = _mean(known, np.log(asked.attacked.share[known.items]))
    rare = [_mean(known, (support <= few).astype(np.float64)) * count for few in RARE]
    return [np.log(count), fame, *(np.log1p(many) for many in rare), rare[0]]


def _of_recommender(asked: AskedGroup, known: Ratings) -> list[Floats]:
    """How well a recommender trained on the release knows the items and their values."""
    model = asked.implicit_model
    own = np.empty(len(known))
    for person, taste in enumerate(model.tastes(known)):
        here = slice(known.offsets[person], known.offsets[person + 1])
        own[here] = model.scores(taste, known.items[here])
    levels = levels_of(known.values, known.scale)
    usual = asked.attacked.usual_levels[known.items, levels]
    return [
        _mean(known, own),
        _mean(known, np.log(np.maximum(own, LEAST))),
        _mean(known, np.log(usual + LEAST)),
    ]


def _mean(known: Ratings, of_each: Floats) -> Floats:
    """The mean over what is known of each person."""
    sums = np.bincount(known.user_codes(), of_each, known.n_users)
    return np.asarray(sums / np.maximum(known.user_counts, 1))
