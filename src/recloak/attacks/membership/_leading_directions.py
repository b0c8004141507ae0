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
from recloak.attacks.membership._value_model import ValueModel, tastes_of
from recloak.core.arrays import Floats
from recloak.core.ratings import Ratings

OF_ITEMS = (8, 16, 32, 64)
MOST_PRODUCTS = 1_000_000_000


def leading_directions(asked: AskedGroup, known: Ratings) -> list[Floats]:
    """What lies along directions of items; nothing if rows are those of people."""
    model = MadeUpRows.of(asked)
    if model is None:
        return []
    items = model.items_of(known)
    together = items.agreement(model.some_items) / len(model.some_items.lengths)
    shares = together / np.maximum(items.squares, LEAST)
    return [*items.along(model.item_directions, OF_ITEMS), together, shares]


@dataclass(frozen=True, eq=False)
class MadeUpRows:
    """The rows of a made-up release, and how many tastes its manifest states, if it does."""

    rows: Ratings
    rank: int | None

    @classmethod
    def of(cls, asked: AskedGroup) -> MadeUpRows | None:
        """Of a release that has rows of nobody; computed once."""
        release, rows = asked.group.rehearsed.release, asked.attacked.rows
        if release is None or not release.made_up or rows.n_ratings == 0:
            return None
        if "made-up rows" not in asked.group.kept:
            stated = asked.group.rehearsed.public.get("rank")
            rank = stated if isinstance(stated, int) else None
            asked.group.kept["made-up rows"] = cls(rows, rank)
        found: MadeUpRows = asked.group.kept["made-up rows"]
        return found

    def items_of(self, people: Ratings) -> CentredRows:
        """Who rated what, beside how often it is rated in the release."""
        return CentredRows.of_items(people, self.rows.item_support / self.rows.n_ratings)

    @cached_property
    def values(self) -> ValueModel:
        """By which its people give what they give, if there are values."""
        return ValueModel.of(self.rows, tastes_of(self.rows.n_users, self.rank))

    @cached_property
    def fame(self) -> Floats:
        """How often items are rated, each person counting as 1/√ratings, as they were counted."""
        return counted_by_people(self.rows)

    @cached_property
    def item_directions(self) -> Floats:
        return self.items_of(self.rows).directions(max(OF_ITEMS))

    @cached_property
    def some_items(self) -> CentredRows:
        """Those of all rows, or of every n-th if they are many."""
        products = int(np.square(self.rows.item_support.astype(np.float64)).sum())
        stride = 1 + products // MOST_PRODUCTS
        return self.items_of(self.rows.take_users(np.arange(0, self.rows.n_users, stride)))


def counted_by_people(people: Ratings) -> Floats:
    """For each item the sum of 1/√ratings over those who rated it."""
    return np.asarray(np.bincount(people.items, weights_of(people), people.n_items))


def weights_of(people: Ratings) -> Floats:
    """For each rating 1/√ratings of its person."""
    return np.asarray(1 / np.sqrt(people.user_counts[people.user_codes()]))
