"""What every recommender offers, fit and predict, and the split by which training is stopped."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import Codes, Floats, Values
from recloak.core.component import Component
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale


class Recommender(Component, ABC):
    """Predicts ratings; deterministic under its seed. Measures train one on a release.

    A new recommender declares its class attributes and implements `learn` and `estimate`;
    checking what was asked and keeping to the scale is done here.
    """

    family: ClassVar[str] = "recommender"

    scale: Scale
    n_users: int
    n_items: int
    _fitted = False

    def fit(self, ratings: Ratings, progress: Progress = SILENT) -> Self:
        """Learn from ``ratings``, which are not changed; gives the recommender itself."""
        self._fitted = False
        self.scale, self.n_users, self.n_items = ratings.scale, ratings.n_users, ratings.n_items
        self.learn(ratings, progress)
        self._fitted = True
        return self

    def predict(
        self,
        users: NDArray[np.integer[Any]],
        items: NDArray[np.integer[Any]],
        progress: Progress = SILENT,
    ) -> Floats:
        """One prediction per (user code, item code), on the scale.

        A code of -1 is a user without a row, or an item that the data do not know: the best
        guess that needs no user, or no item. Raises `RuntimeError` before `fit`, and `ValueError`
        for codes out of range or lists of different lengths.
        """
        if not self._fitted:
            raise RuntimeError(f"{self.name} predicts only after fit()")
        if len(users) != len(items):
            raise ValueError("as many users as items are needed")
        asked_users = _codes(users, self.n_users, "user")
        asked_items = _codes(items, self.n_items, "item")
        return self.scale.clip(self.estimate(asked_users, asked_items, progress))

    @abstractmethod
    def learn(self, ratings: Ratings, progress: Progress) -> None:
        """Learn from ``ratings``, which may be empty, constant or implicit."""

    @abstractmethod
    def estimate(self, users: Codes, items: Codes, progress: Progress) -> Floats:
        """Finite predictions for known codes and -1; `predict` clips them to the scale."""


def mean_of(ratings: Ratings) -> float:
    """The mean rating; of no ratings, the middle of the scale."""
    if ratings.n_ratings == 0:
        return ratings.scale.middle
    return float(ratings.values.mean(dtype=np.float64))


def _codes(codes: NDArray[np.integer[Any]], count: int, role: str) -> Codes:
    """The codes as int32; what lies outside is refused, for kernels do not check."""
    if len(codes) and not (codes.min() >= -1 and codes.max() < count):
        raise ValueError(f"{role} codes must lie between -1 and {count - 1}")
    return np.ascontiguousarray(codes, dtype=np.int32)


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
