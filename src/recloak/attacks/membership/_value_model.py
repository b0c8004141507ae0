"""The model by which made-up people give what they give, learnt again from them.

Whoever publishes made-up people learnt from everybody in the data what is usual for each item and
what is liked together. Made-up ratings follow this, so it can be read from them again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from recloak.core.arrays import Floats
from recloak.core.ratings import Ratings

ROUNDS = 8
PEOPLE_PER_TASTE = 150.0  # of the square of their number, as made-up people are learnt
MOST_TASTES, MOST_OF_MANY = 24, 6  # if their number is stated, and if it is not
MOST_PRODUCTS = 200_000_000  # of tastes, in one round
FEW = 2.0  # ratings of the mean of all, beside which those of an item count at first
# of the span of the scale, or of its square
GENEROSITY, FIRST_LIKES, FIRST_VARIANCE = 0.1, 0.025, 0.02
VARIANCE_OF_USUAL, LEAST_VARIANCE_OF_LIKES = 0.00625, 0.001
LIKES_UNDERSTATED = 3.0  # what is learnt of likes is smaller than they are
LEAST = 1e-9


class Seen(NamedTuple):
    """People as a model sees them: what each of their ratings has beyond what is usual for the item
    and for themselves, and for each person 1 and their tastes.
    """

    apart: Floats
    tastes: Floats


@dataclass(frozen=True, eq=False)
class ValueModel:
    """A rating is what is ``usual`` of its item, and its ``likes`` times the tastes of the person.

    In spans of the scale. The first taste is generosity, which is the same for all items; tastes
    have a variance of 1. ``variance`` is that of what is left.
    """

    usual: Floats
    likes: Floats
    variance: float

    @classmethod
    def of(cls, rows: Ratings, rank: int) -> ValueModel:
        """Learnt by expectation and maximisation from ``rows``, or every n-th if they are many."""
        stride = 1 + rows.n_ratings * (rank + 2) ** 2 // MOST_PRODUCTS
        rows = rows.take_users(np.arange(0, rows.n_users, stride))
        values = in_spans(rows)
        mean = float(values.mean())
        usual = mean + np.bincount(rows.items, values - mean, rows.n_items) / (
            rows.item_support + FEW
        )
        rng = np.random.Generator(np.random.Philox(0))
        likes = FIRST_LIKES * rng.standard_normal((rows.n_items, rank))
        generosity = np.full(rows.n_items, GENEROSITY)
        model = cls(usual, np.column_stack([generosity, likes]), FIRST_VARIANCE)
        for _ in range(ROUNDS):
            model = model._improved(rows)
        return model

    def tastes(self, people: Ratings, variance: float) -> tuple[Floats, Floats]:
        """The means of what people's tastes may be, and their covariances."""
        rank = self.likes.shape[1]
        table = cells_of(people, np.ones(len(people)))
        precision = (table @ products(self.likes)).reshape(-1, rank, rank) / variance
        unsure = np.asarray(np.linalg.inv(precision + np.eye(rank)), np.float64)
        moved = cells_of(people, in_spans(people) - self.usual[people.items]) @ self.likes
        means: Floats = np.einsum("uxy,uy->ux", unsure, moved / variance)
        return means, unsure

    def seen(self, people: Ratings, variance: float) -> Seen:
        """People as this model sees them."""
        tastes, _ = self.tastes(people, variance)
        usual = self.usual[people.items] + self.likes[0, 0] * tastes[people.user_codes(), 0]
        ones = np.ones(len(tastes))
        return Seen(in_spans(people) - usual, np.column_stack([ones, tastes[:, 1:]]))

    def _improved(self, rows: Ratings) -> ValueModel:
        """All items at once, given the tastes of people; then the variance."""
        tastes, unsure = self.tastes(rows, self.variance)
        known = np.column_stack([np.ones(len(tastes)), tastes])
        width = known.shape[1]
        squares = products(known).reshape(-1, width, width)
        squares[:, 1:, 1:] += unsure
        summed = cells_of(rows, np.ones(len(rows))).T @ squares.reshape(len(known), -1)
        squares = summed.reshape(-1, width, width)
        apart = in_spans(rows) - self.usual[rows.items]
        moved = cells_of(rows, apart).T @ known
        others = np.r_[0, 2:width]  # all but generosity, which items share
        spread = np.maximum(
            LIKES_UNDERSTATED * np.square(self.likes[:, 1:]).mean(axis=0), LEAST_VARIANCE_OF_LIKES
        )
        penalty = np.diag(self.variance / np.r_[VARIANCE_OF_USUAL, spread])
        right = moved[:, others] - squares[:, others, 1] * self.likes[:, :1]
        found = np.linalg.solve(squares[:, others][:, :, others] + penalty, right[:, :, None])
        found = found[:, :, 0]
        explained = (squares[:, 1][:, others] * found).sum(axis=1)
        generosity = float((moved[:, 1] - explained).sum() / max(squares[:, 1, 1].sum(), LEAST))
        likes = np.column_stack([np.full(len(found), generosity), found[:, 1:]])
        shown = (tastes[rows.user_codes()] * likes[rows.items]).sum(axis=1)
        left = np.square(apart - found[rows.items, 0] - shown).mean()
        return ValueModel(self.usual + found[:, 0], likes, max(float(left), LEAST))


def tastes_of(people: int, stated: int | None) -> int:
    """How many tastes were learnt from so many people, if not as many as are ``stated``."""
    if stated is not None:
        return min(max(stated, 1), MOST_TASTES)
    return int(np.clip(round((people / PEOPLE_PER_TASTE) ** 0.5), 1, MOST_OF_MANY))


def in_spans(people: Ratings) -> Floats:
    """Ratings in spans of their scale."""
    return people.values.astype(np.float64) / people.scale.span


def cells_of(people: Ratings, cells: Floats) -> sparse.csr_array:
    """A table with a row for each person, and a cell for each of their ratings."""
    shape = (people.n_users, people.n_items)
    return sparse.csr_array((cells, people.items, people.offsets), shape=shape)


def products(rows: Floats) -> Floats:
    """The products of all entries of a row with each other, in a row."""
    found = rows[:, :, None] * rows[:, None, :]
    return np.asarray(found.reshape(len(rows), rows.shape[1] ** 2))
