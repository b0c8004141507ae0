"""The plain factorisation: of rank 1 as the paper trained it, more than that with a spread."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.core.ratings import Ratings
from recloak.recommenders.item_mean import ItemMean
from recloak.recommenders.plain_factorization import PlainFactorization
from recloak.testing import RecommenderContract, Recorder
from tests.recommenders.conftest import Split


class TestPlainFactorization(RecommenderContract):
    component = PlainFactorization
    refused = (
        {"factors": 0},
        {"learning_rate": 0.1},
        {"regularization": -0.1},
        {"start": 0},
        {"spread": -1},
        {"improvement": -1e-6},
        {"epochs": 0},
        {"seed": -1},
    )


def generous(n_users: int = 120, n_items: int = 40) -> Ratings:
    """People who differ in generosity alone: a person's number times an item's number."""
    rng = np.random.default_rng(2)
    complete = np.outer(rng.uniform(0.5, 1.2, n_users), rng.uniform(1.5, 4, n_items))
    users, items = np.nonzero(rng.random(complete.shape) < 0.6)
    return Ratings.from_columns(users, items, complete[users, items], scale="0..5 continuous")


def test_ends_at_rank_one_whatever_the_number_of_factors(low_rank: Split) -> None:
    fitted = PlainFactorization().fit(low_rank.train)
    sizes = np.linalg.svd(fitted.item_factors, compute_uv=False)
    assert fitted.item_factors.shape[1] == 25
    assert sizes[1] < 1e-3 * sizes[0]


def test_factors_that_stay_alike_are_as_if_each_were_trained(low_rank: Split) -> None:
    """A spread too small to be seen trains all of them, and ends at the same predictions."""
    settings = {"factors": 6, "epochs": 60, "improvement": 0}
    one = PlainFactorization(**settings).fit(low_rank.train)
    each = PlainFactorization(**settings, spread=1e-12).fit(low_rank.train)
    assert one.item_factors == pytest.approx(each.item_factors, rel=1e-3)
    assert one.predict(low_rank.users, low_rank.items) == pytest.approx(
        each.predict(low_rank.users, low_rank.items), abs=1e-3
    )


def test_learns_how_generous_people_are() -> None:
    ratings = generous()
    users = ratings.user_codes()
    errors = PlainFactorization(epochs=2000).fit(ratings).predict(users, ratings.items)
    means = ItemMean().fit(ratings).predict(users, ratings.items)
    truth = ratings.values
    assert np.square(errors - truth).mean() < 0.3 * np.square(means - truth).mean()


def test_a_spread_lets_the_factors_part_and_learn_tastes(low_rank: Split) -> None:
    rank_one = low_rank.rmse(PlainFactorization())
    parted = PlainFactorization(spread=0.05, learning_rate=0.005, epochs=2000)
    assert low_rank.rmse(parted) < 0.8 * rank_one


def test_stops_when_the_validation_split_no_longer_improves(low_rank: Split) -> None:
    patient = PlainFactorization(improvement=0, epochs=3000).fit(low_rank.train)
    hasty = PlainFactorization(improvement=1e-2).fit(low_rank.train)
    bounded = PlainFactorization(epochs=3).fit(low_rank.train)
    assert bounded.epochs_trained == 3
    assert 3 < hasty.epochs_trained < patient.epochs_trained


class InSmallParts(PlainFactorization):
    products_per_part = 1000


def test_large_data_report_within_an_epoch_and_learn_the_same(small: Ratings) -> None:
    whole = PlainFactorization(epochs=3).fit(small)
    seen = Recorder()
    parted = InSmallParts(epochs=3).fit(small, seen)
    assert seen.done["Training the plain factorisation"] == pytest.approx(3)
    assert np.array_equal(whole.user_factors, parted.user_factors)
