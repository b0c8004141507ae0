"""Recommender `item-mean`: what others gave the item, whoever asks."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from recloak.core.arrays import Codes, Floats
from recloak.core.parameters import Parameters
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.recommenders._bias_kernels import fit_item_bias
from recloak.recommenders.base import Recommender, mean_of


class ItemMeanParameters(Parameters):
    """How far to trust the mean of a few ratings."""

    damping: float = Field(default=0.0, ge=0, le=1e6)
    """How many ratings at the overall mean are added to those of each item; 0 is the plain mean."""


class ItemMean(Recommender):
    """Predicts an item's mean rating; the overall mean for an item that nobody rated.

    Knows nothing of the person: what a release must beat to be worth more than a table of
    averages.
    """

    name: ClassVar[str] = "item-mean"
    summary: ClassVar[str] = "The item's mean rating, the same for everyone."
    Parameters: ClassVar[type[Parameters]] = ItemMeanParameters
    parameters: ItemMeanParameters

    mean: float
    item_means: Floats

    def learn(self, ratings: Ratings, progress: Progress) -> None:
        self.mean = mean_of(ratings)
        with progress.task("Averaging the items", 1) as task:
            bias = fit_item_bias(
                ratings.offsets,
                ratings.items,
                ratings.values,
                self.mean,
                np.zeros(ratings.n_users),
                ratings.n_items,
                self.parameters.damping,
            )
            task.advance()
        self.item_means = self.mean + bias

    def estimate(self, users: Codes, items: Codes, progress: Progress) -> Floats:
        known = np.append(self.item_means, self.mean)  # -1 picks the last entry
        return known[items]
