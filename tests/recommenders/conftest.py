"""Made-up ratings with tastes that can be learnt."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from recloak.core.ratings import Ratings
from recloak.recommenders import Recommender


class Split(NamedTuple):
    """Ratings to learn from, and cells that were set aside."""

    train: Ratings
    users: NDArray[np.int32]
    items: NDArray[np.int32]
    values: NDArray[np.float32]

    def rmse(self, recommender: Recommender) -> float:
        predicted = recommender.fit(self.train).predict(self.users, self.items)
        return float(np.sqrt(np.mean((predicted - self.values) ** 2)))


def hold_out(ratings: Ratings, seed: int) -> Split:
    """Set a random tenth aside."""
    aside = np.random.default_rng(seed).random(ratings.n_ratings) < 0.1
    users = ratings.user_codes()[aside]
    return Split(ratings.keep(~aside), users, ratings.items[aside], ratings.values[aside])


@pytest.fixture(scope="session")
def low_rank() -> Split:
    """Three tastes, biases and noise of .3; the best possible RMSE is near .3."""
    rng = np.random.default_rng(5)
    tastes = rng.normal(size=(400, 3)) @ rng.normal(size=(3, 150)) * 0.6
    complete = 3 + tastes + rng.normal(0, 0.4, (400, 1)) + rng.normal(0, 0.4, (1, 150))
    noisy = np.clip(complete + rng.normal(0, 0.3, complete.shape), 0, 6)
    users, items = np.nonzero(rng.random(complete.shape) < 0.3)
    rated = Ratings.from_columns(users, items, noisy[users, items], scale="0..6 continuous")
    return hold_out(rated, seed=1)
