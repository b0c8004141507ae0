"""Exact queries: what is asked where no noise is added, so that no sensitivity bounds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import Floats
from recloak.core.ratings import Ratings
from recloak.methods.synthetic import _query_kernels as kernels
from recloak.methods.synthetic._private_data import Query, Sums
from recloak.methods.synthetic._queries import ScaleUnits, people_rows
from recloak.methods.synthetic._taste_kernels import taste_moments


@dataclass(frozen=True)
class WeightedItemCounts(Query):
    """Exact: for each item its people, and these weighted by 1/√degree and by 1/degree."""

    name: ClassVar[str] = "item counts"
    exact: ClassVar[bool] = True
    n_items: int

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return (3, self.n_items)

    def add_up(self, ratings: Ratings, start: int, end: int) -> Sums:
        sums = np.zeros(self.shape)
        kernels.weighted_counts(people_rows(ratings, start, end), sums)
        return sums


@dataclass(frozen=True)
class SupportProducts(Query):
    """Exact: the products of people's rows with their projections."""

    name: ClassVar[str] = "support products"
    exact: ClassVar[bool] = True
    directions: Floats
    average: Floats

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return self.directions.shape

    def add_up(self, ratings: Ratings, start: int, end: int) -> Sums:
        sums = np.zeros(self.shape)
        kernels.support_products(
            people_rows(ratings, start, end), self.directions, self.average, sums
        )
        return sums


@dataclass(frozen=True)
class TasteMoments(Query):
    """Exact: for each item what is needed to learn its effect and likes from people's tastes."""

    name: ClassVar[str] = "taste moments"
    exact: ClassVar[bool] = True
    values_in: ScaleUnits
    centre: Floats
    likes: Floats
    variance: float

    @property
    def rank(self) -> int:
        """Entries of (1, tastes)."""
        return int(self.likes.shape[1]) + 1

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """Products, the lower triangle of squares, and in the last column the squared error."""
        return (len(self.centre), self.rank + self.rank * (self.rank + 1) // 2 + 1)

    def add_up(self, ratings: Ratings, start: int, end: int) -> Sums:
        products = np.zeros((len(self.centre), self.rank))
        squares = np.zeros((len(self.centre), self.rank * (self.rank + 1) // 2))
        middle, half = self.values_in
        first, last = ratings.offsets[start], ratings.offsets[end]
        values: NDArray[np.float32] = (
            ratings.values[first:last] - np.float32(middle)
        ) / np.float32(half)
        squared = taste_moments(
            0,
            end - start,
            ratings.offsets[start : end + 1] - first,
            ratings.items[first:last],
            values,
            self.centre,
            self.likes,
            self.variance,
            products,
            squares,
        )
        error = np.zeros((len(self.centre), 1))
        error[0, 0] = squared
        return np.hstack([products, squares, error])
