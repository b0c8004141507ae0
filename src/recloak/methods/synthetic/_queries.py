"""Queries: what is asked of the data under noise, with what sensitivity and why."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg.blas import dsyrk

from recloak.core.arrays import Codes, Floats, Indices, Integers
from recloak.core.ratings import Ratings
from recloak.core.staged_ratings import Sums
from recloak.methods.synthetic import _query_kernels as kernels
from recloak.methods.synthetic._private_data import GRID_BITS, Query

_ONE = 1 << GRID_BITS
_CELLS_PER_BLOCK = 1 << 24
MOST_LIKED = 10.0  # in half scales: more is noise, and would make tastes hard to compute
ScaleUnits = tuple[float, float]  # middle and half of the scale


def people_rows(ratings: Ratings, start: int, end: int) -> kernels.PeopleRows:
    """What people from ``start`` to ``end`` rate, as kernels take it."""
    return kernels.PeopleRows(start, end, ratings.offsets, ratings.items, ratings.values)


@dataclass(frozen=True)
class DegreeHistogram(Query):
    """People by number of ratings, and at last all people.

    Each person stands in one bin and in the total: sensitivity √2. The noise of all bins together
    would be far larger than that of the total.
    """

    name: ClassVar[str] = "ratings per person"
    edges: Integers
    sensitivity: float = math.sqrt(2)

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return (len(self.edges),)

    def add_up(self, ratings: Ratings, start: int, end: int) -> Sums:
        degrees = np.diff(ratings.offsets[start : end + 1])
        held = np.histogram(degrees, self.edges)[0]
        return np.append(held, held.sum()).astype(np.int64) * _ONE


@dataclass(frozen=True)
class Moments(Query):
    """When people rate: the share of their ratings in each period, a vector of norm at most 1."""

    name: ClassVar[str] = "times"
    edges: Integers

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return (len(self.edges) - 1,)

    def add_up(self, ratings: Ratings, start: int, end: int) -> Sums:
        assert ratings.times is not None
        degrees, periods = np.diff(ratings.offsets[start : end + 1]), self.shape[0]
        times = ratings.times[ratings.offsets[start] : ratings.offsets[end]]
        period = np.searchsorted(self.edges, times, side="right") - 1
        known = (period >= 0) & (period < periods)
        person = np.repeat(np.arange(end - start), degrees)
        pairs, held = np.unique((person * periods + period)[known], return_counts=True)
        sums = np.zeros(self.shape, np.int64)
        np.add.at(sums, pairs % periods, held * _ONE // degrees[pairs // periods])
        return sums


@dataclass(frozen=True)
class ItemEffects(Query):
    """Fame and effect of each item: a vector over the person's items, scaled to norm 1."""

    name: ClassVar[str] = "items"
    scale: ScaleUnits
    effects: Floats
    weights: Floats
    lift: float

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return (2, len(self.effects))

    def add_up(self, ratings: Ratings, start: int, end: int) -> Sums:
        sums = np.zeros(self.shape, np.int64)
        kernels.item_sums(
            people_rows(ratings, start, end),
            self.scale,
            self.effects,
            self.weights,
            self.lift,
            sums,
        )
        return sums


@dataclass(frozen=True)
class Level(Query):
    """The mean over people of their own mean: one number in [−1, 1] each, so sensitivity 1."""

    name: ClassVar[str] = "level"
    shape: ClassVar[tuple[int, ...]] = (1,)  # type: ignore[misc]
    scale: ScaleUnits
    effects: Floats

    def add_up(self, ratings: Ratings, start: int, end: int) -> Sums:
        total = kernels.level_sums(people_rows(ratings, start, end), self.scale, self.effects)
        return np.array([total], np.int64)


@dataclass(frozen=True)
class Spreads(Query):
    """How far people and ratings spread: two numbers in [0, 1] each, so sensitivity √2."""

    name: ClassVar[str] = "spreads"
    shape: ClassVar[tuple[int, ...]] = (2,)  # type: ignore[misc]
    scale: ScaleUnits
    effects: Floats
    level: float
    sensitivity: float = math.sqrt(2)

    def add_up(self, ratings: Ratings, start: int, end: int) -> Sums:
        sums = np.zeros(2, np.int64)
        kernels.spread_sums(
            people_rows(ratings, start, end), self.scale, self.effects, self.level, sums
        )
        return sums


class _Products(Query):
    """Sums of y·yᵀ, strictly above the diagonal, of rows y of norm 1.

    The squares of all entries of y·yᵀ add up to ‖y‖⁴ ≤ 1; those above the diagonal to at most
    half of that: sensitivity 1/√2.
    """

    head: Codes
    sensitivity: float = math.sqrt(0.5)

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return (len(self.head) * (len(self.head) - 1) // 2,)

    def rows(self, ratings: Ratings, start: int, end: int, rows: Floats) -> None:
        raise NotImplementedError

    def add_up(self, ratings: Ratings, start: int, end: int) -> Sums:
        size = len(self.head)
        above = np.triu_indices(size, 1)
        total = np.zeros(len(above[0]), np.int64)
        people = max(1, min(_CELLS_PER_BLOCK // max(size, 1), 1 << 20))  # sums stay below 2⁵³
        for first in range(start, end, people):
            last = min(first + people, end)
            rows = np.empty((last - first, size))
            self.rows(ratings, first, last, rows)
            # whole numbers below 2⁵³: the products are exact in any order
            products = dsyrk(1.0, rows.T)
            total += products[above].astype(np.int64)
        return total


@dataclass(frozen=True)
class Support(_Products):
    """What people rate together, beyond the fame of the items: ``share`` is that in the head."""

    name: ClassVar[str] = "support"
    head: Codes
    place: Indices
    share: Floats
    sensitivity: float = math.sqrt(0.5)

    def rows(self, ratings: Ratings, start: int, end: int, rows: Floats) -> None:
        kernels.support_rows(people_rows(ratings, start, end), self.place, self.share, rows)


@dataclass(frozen=True)
class Taste(_Products):
    """What people like together, beyond item effects and their own generosity."""

    name: ClassVar[str] = "taste"
    head: Codes
    place: Indices
    scale: ScaleUnits
    effects: Floats
    spread: tuple[float, float]
    sensitivity: float = math.sqrt(0.5)

    def rows(self, ratings: Ratings, start: int, end: int, rows: Floats) -> None:
        kernels.taste_rows(
            people_rows(ratings, start, end),
            self.scale,
            self.effects,
            self.spread,
            self.place,
            rows,
        )


@dataclass(frozen=True)
class SupportStep(Query):
    """From the head to all other items: a row of norm 1 times a projection of norm 1."""

    name: ClassVar[str] = "support step"
    place: Indices
    directions: Floats
    average: Floats

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return (len(self.place), self.directions.shape[1])

    def add_up(self, ratings: Ratings, start: int, end: int) -> Sums:
        sums = np.zeros(self.shape, np.int64)
        kernels.support_step_sums(
            people_rows(ratings, start, end), self.place, self.directions, self.average, sums
        )
        return sums


class TasteStep(Query):
    """From the head to all other items: residuals of norm 1 times tastes of norm 1."""

    name: ClassVar[str] = "taste step"

    def __init__(
        self,
        scale: ScaleUnits,
        effects: Floats,
        spread: tuple[float, float],
        place: Indices,
        likes: Floats,
    ) -> None:
        self.scale, self.effects, self.spread, self.place = scale, effects, spread, place
        self.likes = np.clip(np.nan_to_num(likes), -MOST_LIKED, MOST_LIKED)
        self.shape = likes.shape

    def add_up(self, ratings: Ratings, start: int, end: int) -> Sums:
        sums = np.zeros(self.shape, np.int64)
        kernels.taste_step_sums(
            people_rows(ratings, start, end),
            self.scale,
            self.effects,
            self.spread,
            self.place,
            self.likes,
            sums,
        )
        return sums
