"""Item features: where items lie, so that methods can tell which are alike."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.recommenders.factorization import factorized, presence_factors
from recloak.recommenders.plain_factorization import PlainFactorization

Features = NDArray[np.float32]
Training = Literal["full", "paper"]


def item_features(
    ratings: Ratings, factors: int, training: Training, seed: int, progress: Progress
) -> Features:
    """A row of ``factors`` numbers for each item, from a factorisation of the ratings.

    Where all values are equal they tell nothing, and who rated what is factorised instead.
    """
    if ratings.n_ratings and ratings.values.min() == ratings.values.max():
        return presence_factors(ratings, factors, seed, progress)
    if training == "paper":
        return PlainFactorization(factors=factors, seed=seed).fit(ratings, progress).item_factors
    return factorized(ratings, progress, factors=factors, seed=seed).item_factors
