"""Implicit model: which items go together in a release, for people who are not in it as well.

The rows of the release, without values, are factorised; a person of whom some items are known is
folded in, and every item gets a score. This is what a recipient who trains a recommender sees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from recloak.attacks._low_rank import NEARLY_NOTHING, orthonormal
from recloak.core.arrays import Codes, Floats, Indices
from recloak.core.ratings import Ratings

FACTORS = 64
ROUNDS = 3
FAME_POWER = 0.5
MANY_ITEMS = 2  # for each row: then iterations are about rows
RIDGE = 2.0  # of the least singular value that is kept


@dataclass(frozen=True, eq=False)
class ImplicitModel:
    """Factors of the items and what each of them weighs."""

    scale: Floats
    vectors: Floats
    weights: Floats

    @classmethod
    def of(cls, rows: Ratings) -> ImplicitModel:
        """Factorise rows of norm 1, in which famous items count less."""
        support = rows.item_support
        scale = 1 / np.maximum(support, 1) ** (FAME_POWER / 2)
        lengths = np.maximum(rows.user_counts, 1)
        values = np.repeat(1 / np.sqrt(lengths), rows.user_counts) * scale[rows.items]
        table = sparse.csr_array(
            (values, rows.items, rows.offsets), shape=(rows.n_users, rows.n_items)
        )
        vectors, strengths = _leading(table, min(FACTORS, *table.shape))
        least = strengths[-1] if len(strengths) else 1.0
        weights = strengths**2 / (strengths**2 + RIDGE * least**2)
        return cls(scale, vectors, weights)

    def tastes(self, known: Ratings) -> Floats:
        """For each person the weight of each factor, by what is known of them."""
        ones = np.repeat(1 / np.sqrt(np.maximum(known.user_counts, 1)), known.user_counts)
        table = sparse.csr_array(
            (ones * self.scale[known.items], known.items, known.offsets),
            shape=(known.n_users, known.n_items),
        )
        return np.asarray(table @ self.vectors) * self.weights

    def scores(self, taste: Floats, items: Indices | Codes) -> Floats:
        """How well each of ``items`` goes with one person's taste."""
        return np.asarray((self.vectors[items] @ taste) / self.scale[items])


def _leading(table: sparse.csr_array, count: int) -> tuple[Floats, Floats]:
    """The leading right singular vectors and values, by power iteration from a fixed start.

    Of many more columns than rows those of the rows are found, and the columns follow.
    """
    if table.nnz == 0 or count == 0:
        return np.zeros((table.shape[1], 0)), np.zeros(0)
    if table.shape[1] > MANY_ITEMS * table.shape[0]:
        across, strengths = _leading(sparse.csr_array(table.T), count)
        return (table.T @ across) / strengths, strengths
    rng = np.random.Generator(np.random.Philox(count))
    basis = rng.standard_normal((table.shape[1], min(count + 8, table.shape[1])))
    for _ in range(ROUNDS):
        basis = orthonormal(table.T @ (table @ basis))
    within = table @ basis
    squares, turn = np.linalg.eigh(within.T @ within)
    leading = np.flatnonzero(squares > NEARLY_NOTHING * squares[-1])[::-1][:count]
    return basis @ turn[:, leading], np.sqrt(squares[leading])
