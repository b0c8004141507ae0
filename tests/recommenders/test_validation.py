from __future__ import annotations

import numpy as np

from recloak.recommenders.base import split_off
from recloak.testing import empty_ratings, random_ratings


def test_a_twentieth_is_set_aside_and_not_trained_on() -> None:
    ratings = random_ratings(200)
    split = split_off(ratings, np.random.default_rng(0))
    assert len(split) == int(0.05 * len(ratings))
    assert len(split.training) + len(split) == len(ratings)
    assert split.training.n_users == ratings.n_users
    for user, item, value in zip(split.users, split.items, split.values, strict=True):
        assert item not in split.training.row(user)[0]
        items, values = ratings.row(user)
        assert values[items == item].tolist() == [value]


def test_large_data_spare_no_more_than_enough() -> None:
    assert len(split_off(random_ratings(200), np.random.default_rng(0), most=10)) == 10


def test_a_handful_is_left_alone() -> None:
    for ratings in (empty_ratings(), random_ratings(3, 4)):
        split = split_off(ratings, np.random.default_rng(0))
        assert len(split) == 0
        assert split.training is ratings
