"""The kernels of fold-in beside their plain twins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from recloak.core.ratings import Ratings
from recloak.measures.fold_in._kernels import WIDTH, count_pairs, ridge_rows
from recloak.testing import random_ratings

OFFSET_PULL, FACTOR_PULL = 3.0, 2.0


def plain_ridge(items: Any, targets: Any, weights: Any, vectors: Any, pull: float) -> Any:
    """One row: weighted least squares with a penalty, by a general solver."""
    regressors = vectors[items].copy()
    rest = targets - regressors[:, 0]
    regressors[:, 0] = 1
    penalty = np.diag([OFFSET_PULL, *[pull] * (WIDTH - 1)])
    weighted = regressors.T * weights[items]
    return np.linalg.solve(weighted @ regressors + penalty, weighted @ rest)


def plain_left_out(items: Any, targets: Any, vectors: Any, pull: float) -> float:
    """Each rating predicted by a regression without it."""
    total = 0.0
    for at in range(len(items)):
        others = np.arange(len(items)) != at
        weights = np.ones(len(vectors))
        own = plain_ridge(items[others], targets[others], weights, vectors, pull)
        item = vectors[items[at]]
        total += (targets[at] - item[0] - own[0] - own[1:] @ item[1:]) ** 2
    return total


def regressed(ratings: Ratings, weights: Any, vectors: Any) -> tuple[Any, Any]:
    found, errors = np.zeros((ratings.n_users, WIDTH)), np.zeros(ratings.n_users)
    ridge_rows(
        0,
        ratings.n_users,
        ratings.offsets,
        ratings.items,
        ratings.values,
        weights,
        vectors,
        OFFSET_PULL,
        FACTOR_PULL,
        found,
        errors,
    )
    return found, errors


@pytest.fixture
def vectors() -> Any:
    return np.random.default_rng(5).normal(size=(40, WIDTH))


def test_ridge_equals_a_plain_solution(vectors: Any) -> None:
    ratings, weights = random_ratings(30), np.random.default_rng(1).integers(1, 9, 40) * 1.0
    found, _ = regressed(ratings, weights, vectors)
    for user in range(ratings.n_users):
        items, values = ratings.row(user)
        plain = plain_ridge(items, values.astype(float), weights, vectors, FACTOR_PULL)
        assert found[user] == pytest.approx(plain, abs=1e-9)


def test_errors_are_those_of_ratings_left_out(vectors: Any) -> None:
    ratings = random_ratings(30)
    _, errors = regressed(ratings, np.ones(40), vectors)
    for user in range(ratings.n_users):
        items, values = ratings.row(user)
        plain = plain_left_out(items, values.astype(float), vectors, FACTOR_PULL)
        assert errors[user] == pytest.approx(plain)


def test_pairs_are_counted_with_the_weights_of_rows() -> None:
    ratings, rng = random_ratings(30), np.random.default_rng(2)
    weights = rng.integers(1, 9, ratings.n_users).astype(np.float32)
    ranks = rng.permutation(ratings.n_items).astype(np.int32) - 5
    taking_part = np.where(ranks < 0, -1, ranks).astype(np.int32)
    together = np.zeros((35, 35), np.float32)
    for start, end in ((0, 10), (10, 35)):
        count_pairs(start, end, ratings.offsets, taking_part[ratings.items], weights, together)
    present = np.zeros((ratings.n_users, ratings.n_items))
    present[ratings.user_codes(), ratings.items] = 1
    by_rank = present[:, np.argsort(ranks)][:, 5:]
    assert (together == by_rank.T @ (weights[:, None] * by_rank)).all()
