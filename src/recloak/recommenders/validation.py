"""A few ratings set aside from training: for early stopping and for blending."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Codes, Values
from recloak.core.ratings import Ratings

SHARE = 0.05
MOST_CELLS = 100_000


class ValidationSplit(NamedTuple):
    """The ratings to train on (all codes kept), and the cells that were set aside."""

    training: Ratings
    users: Codes
    items: Codes
    values: Values

    def __len__(self) -> int:
        return len(self.users)


def split_off(
    ratings: Ratings, generator: np.random.Generator, most: int = MOST_CELLS
) -> ValidationSplit:
    """Set a twentieth of the ratings aside, at most ``most``; none of a handful."""
    count = min(int(SHARE * ratings.n_ratings), most)
    cells = np.empty(0, dtype=np.int64)
    if count:
        cells = np.sort(generator.choice(ratings.n_ratings, count, replace=False))
    kept = np.ones(ratings.n_ratings, dtype=np.bool_)
    kept[cells] = False
    users = np.searchsorted(ratings.offsets, cells, side="right") - 1
    return ValidationSplit(
        training=ratings.without_times().keep(kept) if count else ratings,
        users=users.astype(np.int32),
        items=ratings.items[cells],
        values=ratings.values[cells],
    )
