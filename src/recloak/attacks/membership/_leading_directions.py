"""How far somebody lies along the directions in which made-up rows differ most.

A model of few directions is fitted to everybody in the data, and so fits them better than others.
Made-up rows differ along the directions of their model, so that these can be found again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recloak.attacks._asked_people import AskedGroup
from recloak.attacks.membership._centred_rows import LEAST, CentredRows
from recloak.attacks.membership._tastes import departing, fame_weights, usual_values
from recloak.core.arrays import Floats
from recloak.core.ratings import Ratings

FAME_POWERS = np.array([0.25, 0.5])
OF_TASTES = (4, 8, 16, 32)
OF_ITEMS = (8, 16, 32, 64)
MOST_PRODUCTS = 1_000_000_000


def leading_directions(asked: AskedGroup, known: Ratings) -> list[Floats]:
    """What lies along directions of tastes and of items; nothing if rows are those of people."""
    model = MadeUpRows.of(asked)
    if model is None:
        return []
    items, found = model.items_of(known), []
    for tastes, directions in zip(model.tastes_of(known), model.taste_directions, strict=True):
        found += tastes.along(directions, OF_TASTES)
    found += items.along(model.item_directions, OF_ITEMS)
    together = items.agreement(model.some_items) / len(model.some_items.lengths)
    return [*found, together, together / np.maximum(items.squares, LEAST)]


@dataclass(frozen=True, eq=False)
class MadeUpRows:
    """The rows of a made-up release, and what is usual in them."""

    rows: Ratings

    @classmethod
    def of(cls, asked: AskedGroup) -> MadeUpRows | None:
        """Of a release that has rows of nobody; computed once."""
        release, rows = asked.group.rehearsed.release, asked.attacked.rows
        if release is None or not release.made_up or rows.n_ratings == 0:
            return None
        if "made-up rows" not in asked.group.kept:
            asked.group.kept["made-up rows"] = cls(rows)
        found: MadeUpRows = asked.group.kept["made-up rows"]
        return found

    def tastes_of(self, people: Ratings) -> list[CentredRows]:
        """What people liked more and less than others, for each weighing of famous items."""
        if people.scale.span == 0:
            return []
        liked = departing(people, self.usual)
        return [
            CentredRows.of_tastes(people, liked, weights)
            for weights in fame_weights(self.rows, FAME_POWERS).T
        ]

    def items_of(self, people: Ratings) -> CentredRows:
        """Who rated what, beside how often it is rated in the release."""
        return CentredRows.of_items(people, self.rows.item_support / self.rows.n_ratings)

    @cached_property
    def usual(self) -> Floats:
        return usual_values(self.rows)

    @cached_property
    def taste_directions(self) -> list[Floats]:
        return [tastes.directions(max(OF_TASTES)) for tastes in self.tastes_of(self.rows)]

    @cached_property
    def item_directions(self) -> Floats:
        return self.items_of(self.rows).directions(max(OF_ITEMS))

    @cached_property
    def some_items(self) -> CentredRows:
        """Those of all rows, or of every n-th if they are many."""
        products = int(np.square(self.rows.item_support.astype(np.float64)).sum())
        stride = 1 + products // MOST_PRODUCTS
        return self.items_of(self.rows.take_users(np.arange(0, self.rows.n_users, stride)))
