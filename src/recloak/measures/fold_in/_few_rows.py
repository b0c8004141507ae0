"""The item-item model of few rows and many items: the same scores without a table of all pairs.

The model needs the inverse of D + Xᵀ X, where X are the rows with two items or more and D is a
diagonal: the ridge, and what rows with a single item add. With Z = X D^-½ and the factor L of
1 + Z Zᵀ, which has a line for each row, it is D^-½ (1 − Yᵀ Y) D^-½, where Y = L⁻¹ Z (Woodbury).
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.linalg import cholesky, solve_triangular

from recloak.core.arrays import Floats, Indices, Values
from recloak.core.ratings import Ratings

FEWEST_ITEMS = 2000  # of fewer the table of all pairs is as quick
ROWS_PER_ITEM = 0.5


class FewRows:
    """Rows as a table of some items, each row by the root of its weight."""

    def __init__(self, rows: Ratings, weights: Floats, items: Indices) -> None:
        """``items`` are codes of the rows; their places are the columns."""
        rank = np.full(rows.n_items, -1, np.int64)
        rank[items] = np.arange(len(items))
        column, owner = rank[rows.items], rows.user_codes().astype(np.int64)
        there = column >= 0
        column, owner = column[there], owner[there]
        held = np.bincount(owner, minlength=rows.n_users)
        alone = held[owner] == 1
        self.beside = np.bincount(column[alone], weights[owner[alone]], len(items))
        several = np.cumsum(held > 1) - 1
        column, owner = column[~alone], owner[~alone]
        self.table = sparse.csr_array(
            (np.sqrt(weights[owner]), (several[owner], column)),
            shape=(int((held > 1).sum()), len(items)),
        )

    @property
    def are_few(self) -> bool:
        """Is the table of rows so much smaller than that of items that it is worth it?"""
        count, items = self.table.shape
        return bool(items >= FEWEST_ITEMS and count <= ROWS_PER_ITEM * items)

    def scores(self, given: Values, ridge: float) -> Values:
        """How much what is given (people × items, 1 where rated) speaks for each item."""
        diagonal = ridge + self.beside
        root = np.sqrt(diagonal)
        scaled = sparse.csr_array(self.table / root)
        rows = (scaled @ scaled.T).toarray() + np.eye(scaled.shape[0])
        factor = cholesky(rows, lower=True, overwrite_a=True)
        solved = solve_triangular(factor, scaled.toarray(), lower=True, overwrite_b=True)
        own = (1 - np.square(solved).sum(axis=0)) / diagonal
        known = given / root
        return np.asarray(-((known - (known @ solved.T) @ solved) / root) / own, np.float32)
