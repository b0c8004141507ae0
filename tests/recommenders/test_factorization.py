"""The factorisation: learns tastes, stays in bounds, keeps what it learnt."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.core.errors import ParameterError
from recloak.core.ratings import Ratings
from recloak.recommenders.factorization import Factorization
from recloak.recommenders.item_mean import ItemMean
from recloak.testing import RecommenderContract, Recorder
from tests.recommenders.conftest import Split


class TestFactorization(RecommenderContract):
    component = Factorization
    refused = (
        {"factors": 0},
        {"epochs": 0},
        {"learning_rate": 0},
        {"decay": 1.5},
        {"regularization": -0.1},
        {"bias_regularization": -0.1},
        {"seed": -1},
    )


def test_finds_the_tastes_that_the_item_mean_cannot(low_rank: Split) -> None:
    error = low_rank.rmse(Factorization(factors=4, epochs=40, decay=0.95))
    assert error < 0.4 * low_rank.rmse(ItemMean())
    assert low_rank.rmse(Factorization()) < 0.6 * low_rank.rmse(ItemMean())


def test_learnt_arrays_make_up_the_prediction(small: Ratings) -> None:
    fitted = Factorization(factors=5).fit(small)
    assert fitted.user_factors.shape == (small.n_users, 5)
    assert fitted.item_factors.shape == (small.n_items, 5)
    assert fitted.user_factors.dtype == fitted.item_bias.dtype == np.float32
    complete = fitted.mean + fitted.user_bias[:, None] + fitted.item_bias
    complete = complete + fitted.user_factors @ fitted.item_factors.T
    predicted = fitted.predict(small.user_codes(), small.items)
    expected = np.clip(complete[small.user_codes(), small.items], 1, 5)
    assert predicted == pytest.approx(expected, abs=1e-4)


def test_another_seed_another_start(small: Ratings) -> None:
    first, second = Factorization(seed=1).fit(small), Factorization(seed=2).fit(small)
    assert not np.array_equal(first.user_factors, second.user_factors)


def test_more_regularisation_smaller_factors(small: Ratings) -> None:
    loose, tight = (Factorization(regularization=by).fit(small) for by in (0.0, 0.5))
    assert np.abs(tight.item_factors).max() < 0.5 * np.abs(loose.item_factors).max()


def test_bias_regularisation_pulls_biases_in(small: Ratings) -> None:
    loose, tight = (Factorization(bias_regularization=by).fit(small) for by in (0.0, 1.0))
    assert np.abs(tight.user_bias).mean() < np.abs(loose.user_bias).mean()


def test_a_freak_value_does_not_throw_the_factors_out(low_rank: Split) -> None:
    values = low_rank.train.values.copy()
    values[17] = 1e6
    freak = Ratings.from_columns(low_rank.train.user_codes(), low_rank.train.items, values)
    fitted = Factorization().fit(freak)
    assert np.isfinite(fitted.predict(low_rank.users, low_rank.items)).all()


def test_divergence_is_an_error_that_says_what_to_do(low_rank: Split) -> None:
    with pytest.raises(ParameterError, match="Lower it; 1 was used") as refusal:
        Factorization(learning_rate=1, decay=1, regularization=0, epochs=200).fit(low_rank.train)
    assert "learning-rate" in str(refusal.value.where)


class InSmallParts(Factorization):
    products_per_part = 1000


def test_large_data_report_within_an_epoch_and_learn_the_same(small: Ratings) -> None:
    whole = Factorization(epochs=3).fit(small)
    counted = CountingProgress()
    parted = InSmallParts(epochs=3).fit(small, counted)
    assert counted.reports > 10
    assert counted.done["Training the factorisation"] == pytest.approx(3)
    assert np.array_equal(whole.user_factors, parted.user_factors)


class CountingProgress(Recorder):
    """Also counts the reports."""

    reports = 0

    def advance(self, amount: float = 1) -> None:
        super().advance(amount)
        self.reports += 1
