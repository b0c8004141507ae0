"""Exact queries: what is asked where no noise is added, so that no sensitivity bounds it.

They know how many people there are: then their sums do not hang on the order of people.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import Codes, Floats, Mask
from recloak.core.ratings import Ratings
from recloak.core.staged_ratings import Sums
from recloak.methods.synthetic import _query_kernels as kernels
from recloak.methods.synthetic._exact_sums import rounding_for
from recloak.methods.synthetic._private_data import Query
from recloak.methods.synthetic._queries import ScaleUnits, people_rows
from recloak.methods.synthetic._taste_kernels import (
    MOST_ERROR,
    MOST_TASTE,
    MomentRounding,
    taste_moments,
)


@dataclass(frozen=True)
class ItemsKept:
    """The items that a query is about, numbered anew; ratings of others are left out."""

    place: Codes
    """For each item its new number; -1 if it is left out."""
    count: int

    @classmethod
    def of(cls, kept: Mask) -> ItemsKept:
        """These items, in their order."""
        place = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
        return cls(place, int(kept.sum()))

    @property
    def everything(self) -> bool:
        """Is nothing left out?"""
        return self.count == len(self.place)

    def rows(self, ratings: Ratings, start: int, end: int) -> kernels.PeopleRows:
        """What people from ``start`` to ``end`` rate of them."""
        if self.everything:
            return people_rows(ratings, start, end)
        first, last = ratings.offsets[start], ratings.offsets[end]
        items = self.place[ratings.items[first:last]]
        kept = items >= 0
        before = np.concatenate([[0], np.cumsum(kept)])
        offsets = before[ratings.offsets[start : end + 1] - first]
        values = ratings.values[first:last][kept]
        return kernels.PeopleRows(0, end - start, offsets, items[kept], values)


@dataclass(frozen=True)
class WeightedItemCounts(Query):
    """Exact: for each item its people, and these weighted by 1/√degree and by 1/degree."""

    name: ClassVar[str] = "item counts"
    exact: ClassVar[bool] = True
    kept: ItemsKept
    people: float

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return (3, self.kept.count)

    def add_up(self, ratings: Ratings, start: int, end: int) -> Sums:
        sums = np.zeros(self.shape)
        rounding = rounding_for(1.0, self.people)
        kernels.weighted_counts(self.kept.rows(ratings, start, end), rounding, sums)
        return sums


@dataclass(frozen=True)
class SupportProducts(Query):
    """Exact: the products of people's rows with their projections."""

    name: ClassVar[str] = "support products"
    exact: ClassVar[bool] = True
    kept: ItemsKept
    directions: Floats
    average: Floats
    people: float

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return self.directions.shape

    @property
    def most(self) -> float:
        """What one person adds to an entry at most: a mean of directions less the average."""
        return 2 * float(
            np.abs(self.directions).max(initial=0) + np.abs(self.average).max(initial=0)
        )

    def add_up(self, ratings: Ratings, start: int, end: int) -> Sums:
        sums = np.zeros(self.shape)
        kernels.support_products(
            self.kept.rows(ratings, start, end),
            self.directions,
            self.average,
            rounding_for(self.most, self.people),
            sums,
        )
        return sums


@dataclass(frozen=True)
class TasteMoments(Query):
    """Exact: for each item what is needed to learn its effect and likes from people's tastes."""

    name: ClassVar[str] = "taste moments"
    exact: ClassVar[bool] = True
    kept: ItemsKept
    values_in: ScaleUnits
    centre: Floats
    likes: Floats
    variance: float
    people: float
    ratings: float

    @property
    def rounding(self) -> MomentRounding:
        """By what one person adds at most; values lie between −1 and 1."""
        residual = 2 * (1 + float(np.abs(self.centre).max(initial=0)))
        unsure = self.variance * self.rank * self.people
        return MomentRounding(
            rounding_for(residual * MOST_TASTE, self.people),
            rounding_for(MOST_TASTE**2 + 2, self.people),
            rounding_for(MOST_ERROR * self.ratings + unsure, 2),
        )

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
        people = self.kept.rows(ratings, start, end)
        offsets = people.offsets[people.start : people.end + 1]
        first, last = offsets[0], offsets[-1]
        values: NDArray[np.float32] = (people.values[first:last] - np.float32(middle)) / np.float32(
            half
        )
        squared = taste_moments(
            0,
            end - start,
            offsets - first,
            people.items[first:last],
            values,
            self.centre,
            self.likes,
            self.variance,
            self.rounding,
            products,
            squares,
        )
        error = np.zeros((len(self.centre), 1))
        error[0, 0] = squared
        return np.hstack([products, squares, error])
