"""Padding: a table that is never stored, against the same table written out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from recloak.core.ratings import Ratings
from recloak.methods.predictive._folding import LearntItems, folded
from recloak.methods.predictive.padding import Padding
from recloak.recommenders.factorization import Factorization
from recloak.testing import random_ratings
from tests.methods.predictive.test_padding_kernels import predictions, whole


def padding_of(ratings: Ratings, factors: int = 6) -> Padding:
    return Padding.by(ratings, Factorization(factors=factors, epochs=30).fit(ratings))


def distances(rows: np.ndarray) -> np.ndarray:
    return np.linalg.norm(rows[:, None].astype(float) - rows[None], axis=2)


def test_users_are_as_far_apart_as_their_predicted_rows() -> None:
    ratings = random_ratings(30, 25, 0.5)
    known = padding_of(ratings)
    nobody = known.table._replace(offsets=np.zeros_like(known.table.offsets))
    known.table = nobody
    expected = distances(predictions(nobody))
    assert distances(known.rows()) == pytest.approx(expected, rel=1e-4, abs=1e-4)
    raw = distances(nobody.user_factors)
    assert raw / raw.max() != pytest.approx(expected / expected.max(), abs=0.05)


def test_known_cells_count_as_far_as_the_factors_reach() -> None:
    """With as many factors as items nothing is out of reach: the distance is that of the rows."""
    ratings = random_ratings(40, 8, 0.6)
    padding = padding_of(ratings, factors=16)
    full = predictions(padding.table)
    full[ratings.user_codes(), ratings.items] = ratings.values
    assert distances(padding.rows()) == pytest.approx(distances(full), rel=1e-3, abs=1e-3)


def test_means_over_everyone_are_the_column_means() -> None:
    ratings = random_ratings(30, 25, 0.3)
    padding = padding_of(ratings)
    items = np.arange(25, dtype=np.int32)
    found = padding.means(np.array([0, 30]), np.arange(30), np.array([0, 25]), items)
    assert found == pytest.approx(whole(ratings, padding.table).mean(axis=0), abs=1e-5)


def test_people_and_items_without_ratings_get_a_place() -> None:
    ratings = random_ratings(20, 10, 0.5)
    fewer = ratings.keep((ratings.user_codes() != 3) & (ratings.items != 2))
    rows = padding_of(fewer).rows()
    assert np.isfinite(rows).all()
    constant = replace(ratings, values=np.full(len(ratings), 4, np.float32))
    assert np.ptp(padding_of(constant).rows(), axis=0).max() < 0.1


def test_people_are_folded_in_by_their_own_ratings_alone() -> None:
    ratings = random_ratings(n_users=20, n_items=15, density=0.5, seed=4)
    learnt = LearntItems.of(Factorization(factors=4, epochs=5).fit(ratings), ratings)
    found = folded(ratings, learnt)
    factor, bias = learnt.penalties
    for user in range(ratings.n_users):
        items, values = ratings.row(user)
        known = np.column_stack([learnt.factors[items], np.ones(len(items))]).astype(np.float64)
        ridge = np.diag([*[factor * len(items)] * 4, bias * len(items) + 1e-6])
        best = np.linalg.solve(known.T @ known + ridge, known.T @ (values - learnt.base[items]))
        assert found.factors[user] == pytest.approx(best[:4], abs=1e-5)
        assert found.bias[user] == pytest.approx(best[4], abs=1e-5)
    alone = folded(ratings.take_users(np.array([7])), learnt)
    assert np.array_equal(alone.factors[0], found.factors[7])
