"""The factorisation's kernels beside their plain twins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from recloak.core.ratings import Ratings
from recloak.recommenders._factorization_kernels import FARTHEST, LANES, descend, dot, predict_cells

f32 = np.float32


def plain_dot(left: Any, right: Any) -> Any:
    """Eight running sums, then their sum, all in single precision."""
    lanes = np.zeros(LANES, f32)
    for start in range(0, len(left), LANES):
        lanes += left[start : start + LANES] * right[start : start + LANES]
    total = f32(0)
    for lane in lanes:
        total += lane
    return total


def plain_descend(
    order: Any,
    ratings: Ratings,
    targets: Any,
    user_bias: Any,
    item_bias: Any,
    user_factors: Any,
    item_factors: Any,
    rate: Any,
    bias_keep: Any,
    factor_keep: Any,
) -> None:
    for user in order:
        for at in range(ratings.offsets[user], ratings.offsets[user + 1]):
            item = ratings.items[at]
            mine, theirs = user_factors[user].copy(), item_factors[item].copy()
            error = targets[at] - user_bias[user] - item_bias[item] - plain_dot(mine, theirs)
            step = rate * np.clip(error, -FARTHEST, FARTHEST)
            user_bias[user] = bias_keep * user_bias[user] + step
            item_bias[item] = bias_keep * item_bias[item] + step
            user_factors[user] = factor_keep * mine + step * theirs
            item_factors[item] = factor_keep * theirs + step * mine


def start(ratings: Ratings, width: int) -> list[Any]:
    rng = np.random.default_rng(3)
    return [
        np.zeros(ratings.n_users, f32),
        np.zeros(ratings.n_items, f32),
        rng.standard_normal((ratings.n_users, width), dtype=f32),
        rng.standard_normal((ratings.n_items, width), dtype=f32),
    ]


@pytest.mark.parametrize("width", [8, 16, 40])
def test_dot_adds_in_one_fixed_order(width: int) -> None:
    rng = np.random.default_rng(width)
    for _ in range(50):
        left, right = rng.standard_normal((2, width), dtype=f32)
        assert dot(left, right, np.empty(LANES, f32)) == plain_dot(left, right)


@pytest.mark.parametrize("spread", [1.0, 5.0])
def test_descend_equals_its_twin_to_the_last_bit(small: Ratings, spread: float) -> None:
    """Bit for bit: the machine code neither fuses nor reorders what the twin spells out."""
    targets = np.random.default_rng(4).normal(0, spread, small.n_ratings).astype(f32)
    order = np.random.default_rng(5).permutation(small.n_users)
    rates = f32(0.04), f32(0.999), f32(0.998)
    compiled, plain = start(small, 16), start(small, 16)
    for _ in range(3):
        descend(order, small.offsets, small.items, targets, *compiled, *rates)
        plain_descend(order, small, targets, *plain, *rates)
    for ours, twin in zip(compiled, plain, strict=True):
        assert np.array_equal(ours, twin)


def test_descend_visits_only_who_is_asked_for(small: Ratings) -> None:
    arrays = start(small, 8)
    before = arrays[2].copy()
    targets = small.values - f32(3)
    rates = f32(0.1), f32(1), f32(1)
    descend(np.array([4, 7]), small.offsets, small.items, targets, *arrays, *rates)
    changed = np.flatnonzero((arrays[2] != before).any(axis=1))
    assert changed.tolist() == [4, 7]


def test_predict_cells_adds_what_is_known(small: Ratings) -> None:
    rng = np.random.default_rng(6)
    user_bias, item_bias, user_factors, item_factors = start(small, 5)
    user_bias += rng.standard_normal(small.n_users, dtype=f32)
    item_bias += rng.standard_normal(small.n_items, dtype=f32)
    users = rng.integers(-1, small.n_users, 300).astype(np.int32)
    items = rng.integers(-1, small.n_items, 300).astype(np.int32)
    expected = [
        3.5
        + (user_bias[user] if user >= 0 else 0)
        + (item_bias[item] if item >= 0 else 0)
        + (user_factors[user] @ item_factors[item] if user >= 0 and item >= 0 else 0)
        for user, item in zip(users, items, strict=True)
    ]
    predicted = predict_cells(users, items, 3.5, user_bias, item_bias, user_factors, item_factors)
    assert predicted == pytest.approx(np.array(expected), abs=1e-5)
