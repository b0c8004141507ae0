"""Features of items from who rated what, whatever the ratings are."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Values
from recloak.core.frames import to_csr
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings

# Sparse data fall apart into many islands, each with a vector of the same strength: to tell these
# apart exactly takes minutes, and there is nothing to tell.
PRECISE = 1e-4


def presence_factors(ratings: Ratings, factors: int, seed: int, progress: Progress) -> Values:
    """Singular vectors of the rated cells, each weighed by how common its row and item are."""
    from scipy.sparse.linalg import svds  # slow to load, and few data need it

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
        _, strength, vectors = svds(cells, k=rank, v0=start, tol=PRECISE)
        task.advance()
    features[:, :rank] = (vectors * strength[:, None]).T
    return features
