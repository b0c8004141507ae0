"""Padding: the table of all users and items, its empty cells filled by a factorisation.

The table is never stored. Means over groups of users are summed up cell by cell where they are
asked for, and users are compared by where their padded rows lie.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.kernels.padding import FACTORS_AT_ONCE, Padded, add_corrections, padded_means
from recloak.progress import SILENT, Progress
from recloak.ratings import Ratings
from recloak.recommenders.factorization import Factorization, factorized
from recloak.threads import in_threads, row_blocks

RATINGS_PER_BLOCK = 2_000_000
CELLS_PER_BLOCK = 20_000_000
_NO_DIRECTION = 1e-6  # of the longest: what rounding leaves of a direction that is none

Rows = NDArray[np.float32]


class Padding:
    """Ratings and what a factorisation of them says of all other cells, clipped to the scale."""

    def __init__(self, ratings: Ratings, model: Factorization) -> None:
        self.n_users, self.n_items = ratings.n_users, ratings.n_items
        self.table = Padded(
            ratings.offsets,
            ratings.items,
            ratings.values,
            model.user_bias,
            _full_width(model.user_factors),
            (model.item_bias + np.float32(model.mean)).astype(np.float32),
            np.ascontiguousarray(_full_width(model.item_factors).T),
            ratings.scale.low,
            ratings.scale.high,
        )

    def means(
        self,
        starts: NDArray[np.int64],
        members: NDArray[np.int64],
        cell_offsets: NDArray[np.int64],
        cell_items: NDArray[np.int32],
        progress: Progress = SILENT,
    ) -> NDArray[np.float32]:
        """The mean padded rating of each group in the cells listed for it.

        The members of a group are ``members[starts[g]:starts[g + 1]]``, its cells, ascending,
        ``cell_items[cell_offsets[g]:cell_offsets[g + 1]]``.
        """
        found = np.empty(len(cell_items), np.float32)
        work = np.concatenate([[0], np.cumsum(np.diff(starts) * np.diff(cell_offsets))])
        blocks = row_blocks(work, CELLS_PER_BLOCK)
        given = (starts, members, cell_offsets, cell_items, self.table, found)
        with progress.task("Averaging padded ratings", len(blocks)) as task:
            in_threads(lambda first, end: padded_means(first, end, *given), blocks, task)
        return found

    def rows(self, progress: Progress = SILENT) -> Rows:
        """Where the padded rows lie: a few coordinates for each user.

        The distance of two users here is that of their padded rows as far as the item factors
        (and the bias of a user, a column of ones) can express a difference; predictions count as
        they are before clipping. The factors themselves tell less: items weigh in by how many
        there are of a kind, which is what L of LᵀL = Σ q qᵀ does.
        """
        items = np.vstack([self.table.columns, np.ones(self.n_items, np.float32)])
        axes, lengths = _directions(items.astype(np.float64))
        users = np.column_stack([self.table.user_factors, self.table.user_bias])
        rows = _full_width((users.astype(np.float64) @ lengths.T).astype(np.float32))
        blocks = row_blocks(self.table.offsets, RATINGS_PER_BLOCK)
        with progress.task("Comparing padded rows", len(blocks)) as task:
            in_threads(
                lambda first, end: add_corrections(first, end, self.table, axes, rows), blocks, task
            )
        return rows


def pad(ratings: Ratings, seed: int, progress: Progress = SILENT) -> Padding:
    """Learn the common factorisation from the ratings and fill all other cells by it."""
    return Padding(ratings, factorized(ratings, progress, seed=seed))


def _full_width(columns: NDArray[np.float32]) -> NDArray[np.float32]:
    missing = -columns.shape[1] % FACTORS_AT_ONCE
    return np.ascontiguousarray(np.pad(columns, ((0, 0), (0, missing))))


def _directions(items: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Orthonormal ``axes`` (items × dimensions) and ``lengths`` with items.T = axes @ lengths."""
    moments, turned = np.linalg.eigh(items @ items.T)
    roots = np.sqrt(np.maximum(moments, 0.0))
    real = roots > _NO_DIRECTION * max(roots.max(initial=0.0), 1e-300)
    inverse = np.where(real, 1.0 / np.where(real, roots, 1.0), 0.0)
    return (items.T @ turned) * inverse, (turned * np.where(real, roots, 0.0)).T
