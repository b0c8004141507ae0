"""The fit with noise: what can be heard over it, of items and of what goes together."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Floats
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods import method
from recloak.methods.synthetic._traits import Traits
from recloak.simulation import synthesize

PEOPLE, ITEMS, HEAD = 2500, 200, 60


def two_kinds() -> Ratings:
    """Who is of one kind rates the even items more; who is of another likes every third more."""
    rng = np.random.default_rng(4)
    fame = 0.5 / (1 + np.arange(ITEMS)) ** 0.4
    kind, taste = rng.random(PEOPLE) < 0.5, rng.random(PEOPLE) < 0.5
    likely = np.where((np.arange(ITEMS) % 2 == 0) == kind[:, None], 1.5, 0.5)
    users, items = np.nonzero(rng.random((PEOPLE, ITEMS)) < likely * fame)
    liked = (items % 3 == 0) == taste[users]
    values = np.clip(np.rint(rng.normal(np.where(liked, 4.2, 2.8), 0.7)), 1, 5)
    return Ratings.from_columns(users, items, values, scale="1..5")


def traits_of(ratings: Ratings, epsilon: float) -> Traits:
    model = method("synthetic", epsilon=epsilon).fit(ratings, Randomness.from_seed(1))
    found: Traits = model.traits
    return found


def apart(places: Floats, group: np.ndarray) -> float:
    """How far two groups of items lie apart along some axes, over how far items spread."""
    between = places[group].mean(axis=0) - places[~group].mean(axis=0)
    axis = between / np.linalg.norm(between)
    along = places @ axis
    return float(abs(along[group].mean() - along[~group].mean()) / along.std())


def test_what_goes_together_is_heard_in_the_head_and_outside_of_it() -> None:
    traits = traits_of(two_kinds(), epsilon=3.0)
    assert min(traits.ranks) >= 1
    even, third = np.arange(ITEMS) % 2 == 0, np.arange(ITEMS) % 3 == 0
    for part in (slice(0, HEAD), slice(HEAD, ITEMS)):
        assert apart(traits.directions[part], even[part]) > 1.2
        assert apart(traits.likes[part], third[part]) > 1.2


def test_made_up_people_differ_as_much_as_real_ones() -> None:
    real = two_kinds()
    applied = method("synthetic", epsilon=8.0, calm=1.0).apply(real, Randomness.from_seed(1))
    ours = [_lift(rows) for rows in (real, applied.release.as_ratings())]
    assert 0.6 * ours[0] < ours[1] < 1.4 * ours[0]


def _lift(rows: Ratings) -> float:
    """How much more often two of the first items of one kind stand in a row than two of both."""
    held = np.zeros((rows.n_users, 20))
    first = rows.item_labels[rows.items].astype(np.int64)
    held[rows.user_codes()[first < 20], first[first < 20]] = 1.0
    together = held.T @ held / np.outer(held.sum(axis=0), held.sum(axis=0)) * rows.n_users
    same = np.add.outer(np.arange(20), np.arange(20)) % 2 == 0
    np.fill_diagonal(same, False)
    return float(together[same].mean() / together[~same & ~np.eye(20, dtype=bool)].mean() - 1)


def test_effects_of_items_survive_much_noise() -> None:
    ratings = synthesize("ml-100k", users=900, ratings=90_000, seed=3)
    own = np.bincount(ratings.user_codes(), ratings.values) / ratings.user_counts
    beyond = ratings.values - own[ratings.user_codes()]
    support = ratings.item_support
    true = np.bincount(ratings.items, beyond, ratings.n_items) / np.maximum(support, 1)
    found = traits_of(ratings, epsilon=1.0).effects
    famous = np.argsort(-support)[:200]
    assert np.corrcoef(true[famous], found[famous])[0, 1] > 0.6
