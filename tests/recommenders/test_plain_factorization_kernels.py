"""The plain factorisation's kernel beside its plain twin."""

from __future__ import annotations

from typing import Any

import numpy as np

from recloak.core.ratings import Ratings
from recloak.recommenders.plain_factorization import descend_alone, descend_plain
from tests.recommenders.test_factorization_kernels import plain_dot, start

f32 = np.float32


def plain_descend(
    order: Any, ratings: Ratings, mine: Any, theirs: Any, rate: Any, keep: Any
) -> None:
    for user in order:
        for at in range(ratings.offsets[user], ratings.offsets[user + 1]):
            item = ratings.items[at]
            before, across = mine[user].copy(), theirs[item].copy()
            step = rate * (ratings.values[at] - plain_dot(before, across))
            mine[user] = keep * before + step * across
            theirs[item] = keep * across + step * before


def test_equals_its_twin_to_the_last_bit(small: Ratings) -> None:
    order = np.random.default_rng(5).permutation(small.n_users)[:50]
    rates = f32(0.01), f32(0.998)
    compiled, plain = start(small, 16)[2:], start(small, 16)[2:]
    for _ in range(3):
        descend_plain(order, small.offsets, small.items, small.values, *compiled, *rates)
        plain_descend(order, small, *plain, *rates)
    for ours, twin in zip(compiled, plain, strict=True):
        assert np.array_equal(ours, twin)


def test_a_single_factor_equals_its_twin_to_the_last_bit(small: Ratings) -> None:
    order = np.random.default_rng(5).permutation(small.n_users)[:50]
    rates = f32(0.01), f32(0.998)
    compiled = [side[:, 0].copy() for side in start(small, 8)[2:]]
    plain = [np.zeros_like(side) for side in start(small, 8)[2:]]
    for padded, own in zip(plain, compiled, strict=True):
        padded[:, 0] = own
    for _ in range(3):
        descend_alone(order, small.offsets, small.items, small.values, *compiled, *rates)
        plain_descend(order, small, *plain, *rates)
    for ours, twin in zip(compiled, plain, strict=True):
        assert np.array_equal(ours, twin[:, 0])
