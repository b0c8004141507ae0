"""Item features: where items lie, so that methods can tell which are alike."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import svds

from recloak.frames import to_csr
from recloak.progress import Progress
from recloak.ratings import Ratings
from recloak.recommenders.factorization import Factorization

Features = NDArray[np.float32]
Training = Literal["full", "paper"]


def item_features(
    ratings: Ratings, factors: int, training: Training, seed: int, progress: Progress
) -> Features:
    """A row of ``factors`` numbers for each item, from a factorisation of the ratings.

    Where all values are equal they tell nothing, and who rated what is factorised instead.
    """
    if ratings.n_ratings and ratings.values.min() == ratings.values.max():
        return _from_presence(ratings, factors, seed, progress)
    if training == "paper":
        from recloak.recommenders.plain_factorization import PlainFactorization

        return PlainFactorization(factors=factors, seed=seed).fit(ratings, progress).item_factors
    return Factorization(factors=factors, seed=seed).fit(ratings, progress).item_factors


def _from_presence(ratings: Ratings, factors: int, seed: int, progress: Progress) -> Features:
    """Singular vectors of the rated cells, each weighed by how common its row and item are."""
    shape = (ratings.n_users, ratings.n_items)
    rank = min(factors, *(side - 1 for side in shape))
    features = np.zeros((ratings.n_items, factors), dtype=np.float32)
    if rank < 1:
        return features
    cells = to_csr(ratings).astype(np.float64)
    rows = np.repeat(ratings.user_counts, ratings.user_counts)
    cells.data = 1.0 / np.sqrt(rows * ratings.item_support[cells.indices])
    start = np.random.Generator(np.random.Philox(seed)).standard_normal(min(shape))
    with progress.task("Comparing the items", 1) as task:
        _, strength, vectors = svds(cells, k=rank, v0=start)
        task.advance()
    features[:, :rank] = (vectors * strength[:, None]).T
    return features
