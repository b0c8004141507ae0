"""Recommender `neighbours`: how the user rated the most similar items."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import numpy as np
from pydantic import Field

from recloak.core.arrays import Codes, Floats, Integers, Offsets
from recloak.core.kernels.layout import offsets_of, stable_order, transpose
from recloak.core.kernels.neighbours import adjust_cells, lengths_of, work_of
from recloak.core.parallel import work_blocks
from recloak.core.parameters import Parameters
from recloak.core.progress import Progress
from recloak.core.ratings import ItemView, Ratings
from recloak.recommenders._bias_kernels import fit_item_bias, fit_user_bias, residuals_of
from recloak.recommenders.base import Recommender, mean_of

SWEEPS = 5  # of users and items in turn, after which the baseline no longer moves


class NeighboursParameters(Parameters):
    """Who counts as a neighbour, and how far small numbers are trusted."""

    neighbours: int = Field(default=40, ge=1, le=10_000)
    """How many of the most similar items a prediction uses."""

    shrinkage: float = Field(default=20.0, ge=0, le=1e6)
    """Similarities over n common raters are multiplied by n / (n + shrinkage)."""

    user_damping: float = Field(default=5.0, ge=0, le=1e6)
    """How many ratings at the average are added to each user's when their bias is taken."""

    item_damping: float = Field(default=2.0, ge=0, le=1e6)
    """How many ratings at the average are added to each item's when its bias is taken."""


class Neighbours(Recommender):
    """Predicts from a user's ratings of the items most similar to the one asked for.

    A baseline (mean + user bias + item bias) is taken off first; similarity is the cosine of what
    is left, shrunk where few raters are shared; the prediction adds the weighted mean of what is
    left of the nearest items that the user rated. Similarities are found when predicting, for one
    asked item at a time: the work is the sum of squared row lengths, the memory one entry per item.

    References
    ----------
    Sarwar, Karypis, Konstan, Riedl: Item-based collaborative filtering recommendation algorithms.
    WWW 2001. Koren: Factor in the neighbors. ACM TKDD 4(1), 2010, for baseline and shrinkage.
    """

    name: ClassVar[str] = "neighbours"
    summary: ClassVar[str] = "The user's own ratings of the most similar items."
    reference: ClassVar[str] = (
        "Sarwar, Karypis, Konstan, Riedl: Item-based collaborative filtering, 2001"
    )
    Parameters: ClassVar[type[Parameters]] = NeighboursParameters
    parameters: NeighboursParameters
    work_per_block: ClassVar[int] = 20_000_000
    """How many ratings are walked between two reports of progress: a tenth of a second."""

    mean: float
    user_bias: Floats
    item_bias: Floats

    def learn(self, ratings: Ratings, progress: Progress) -> None:
        self._fit_baseline(ratings, progress)
        cells = ratings.offsets, ratings.items
        residuals = residuals_of(*cells, ratings.values, self.mean, self.user_bias, self.item_bias)
        self._rows = (*cells, residuals)
        self._columns = ItemView(*transpose(*cells, residuals, ratings.n_items))
        self._lengths = lengths_of(self._columns.offsets, self._columns.values)
        self._work = work_of(
            self._columns.offsets,
            self._columns.users,
            ratings.offsets,
            np.arange(ratings.n_items, dtype=np.int32),
        )

    def estimate(self, users: Codes, items: Codes, progress: Progress) -> Floats:
        predicted = np.full(len(users), self.mean)
        predicted += np.append(self.user_bias, 0.0)[users]  # -1 picks the last entry: no bias
        predicted += np.append(self.item_bias, 0.0)[items]
        known = np.flatnonzero((users >= 0) & (items >= 0))
        asked = items[known]
        cells = known[stable_order(asked, self.n_items)]
        cell_offsets = offsets_of(asked, self.n_items)
        self._adjust(predicted, users, cells, cell_offsets, progress)
        return predicted

    def _fit_baseline(self, ratings: Ratings, progress: Progress) -> None:
        self.mean = mean_of(ratings)
        self.user_bias = np.zeros(ratings.n_users)
        data = ratings.offsets, ratings.items, ratings.values, self.mean
        given = self.parameters
        with progress.task("Averaging users and items", SWEEPS) as task:
            for _ in range(SWEEPS):
                self.item_bias = fit_item_bias(
                    *data, self.user_bias, ratings.n_items, given.item_damping
                )
                self.user_bias = fit_user_bias(*data, self.item_bias, given.user_damping)
                task.advance()

    def _adjust(
        self,
        predicted: Floats,
        users: Codes,
        cells: Integers,
        cell_offsets: Offsets,
        progress: Progress,
    ) -> None:
        """Add what the neighbours say, a block of items at a time; blocks share no cell."""

        def adjust(first_item: int, end_item: int) -> None:
            adjust_cells(
                first_item,
                end_item,
                cell_offsets,
                cells,
                users,
                *self._rows,
                *self._columns,
                self._lengths,
                self.parameters.neighbours,
                self.parameters.shrinkage,
                predicted,
            )

        asked = np.where(np.diff(cell_offsets) > 0, self._work, 0)
        blocks = _blocks(asked, self.work_per_block)
        with (
            progress.task("Asking the neighbours", len(blocks)) as task,
            ThreadPoolExecutor(os.cpu_count()) as pool,
        ):
            running = [pool.submit(adjust, *block) for block in blocks]
            try:
                for block in running:
                    block.result()
                    task.advance()
            finally:
                pool.shutdown(cancel_futures=True)


def _blocks(work: Integers, most: int) -> list[tuple[int, int]]:
    """Ranges of items of about ``most`` work each; items without work make no block."""
    return [(start, end) for start, end in work_blocks(work, most) if work[start:end].any()]
