"""Knowledge models: which of a person's ratings the adversary knows, and how it came about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from recloak.attacks._trials import misremembered
from recloak.core.arrays import Codes, Floats, Indices, Integers, Values
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.evaluation.units import Units

Model = Literal["uniform", "popular", "rare"]


@dataclass(frozen=True)
class Known:
    """What is known of one person: items as codes of the release, values on its scale.

    An item that the release does not have is -1. ``values`` is None if only items are known.
    """

    items: Codes
    values: Values | None

    def __len__(self) -> int:
        return len(self.items)

    def pairs(self) -> Iterator[tuple[int, float | None]]:
        """Each item with its value, None where that is not known."""
        values = [None] * len(self) if self.values is None else self.values.tolist()
        return zip(self.items.tolist(), values, strict=True)


@dataclass(frozen=True)
class KnowledgeModel:
    """How known ratings are drawn, and what the adversary makes of that.

    With ``uniform`` each rating of a person is as likely to be known as another; with ``popular``
    in proportion to how many people rated the item; with ``rare`` those of the items that the
    fewest people rated are known. ``support`` is how many people rated each item of the original:
    what is popular is no secret. With probability ``wrong`` a value is off by a step, or, where
    only items are known, the item is another one.
    """

    model: Model
    known: int
    wrong: float
    knows_values: bool
    support: Integers
    item_in_release: Indices
    units: Units

    @classmethod
    def of(
        cls, context: AuditContext, model: Model, known: int, wrong: float, *, values: bool
    ) -> KnowledgeModel:
        """The model for one release; values that it does not show are not known either."""
        units = Units.between(context.original.scale, context.rows.scale)
        comparable = values and units.comparable
        support = np.maximum(context.item_support, 1)
        return cls(model, known, wrong, comparable, support, context.item_in_release, units)

    @property
    def item_weights(self) -> Floats:
        """In proportion to what each item of the original comes to be known."""
        return self.support.astype(float) if self.model == "popular" else np.ones(len(self.support))

    def weights_in_release(self, n_items: int) -> Floats:
        """The same for each of the ``n_items`` items of the release."""
        held, weights = self.item_in_release >= 0, np.zeros(n_items)
        weights[self.item_in_release[held]] = self.item_weights[held]
        return weights

    def draw(self, people: Ratings, user: int, rng: np.random.Generator) -> Known:
        """What is known about one of ``people``, whose item codes are those of the original."""
        items, values = people.row(user)
        picked = self._picked(items, rng)
        items, values = items[picked], values[picked]
        if self.knows_values:
            if self.wrong > 0:
                values = misremembered(values, people.scale, self.wrong, rng)
            return Known(self._in_release(items), self.units.converted(values))
        return Known(self._in_release(self._mistaken(items, rng)), None)

    def _picked(self, items: Codes, rng: np.random.Generator) -> Indices:
        count = len(items)
        if self.known == 0 or self.known >= count:
            return np.arange(count)
        if self.model == "rare":
            return np.lexsort((rng.random(count), self.support[items]))[: self.known]
        keys = rng.exponential(size=count) / self.item_weights[items]
        return np.argsort(keys)[: self.known]

    def _mistaken(self, items: Codes, rng: np.random.Generator) -> Codes:
        """Some items replaced by others, drawn by how many people rated them."""
        if self.wrong == 0:
            return items
        chance = self.support / self.support.sum()
        others = rng.choice(len(chance), len(items), p=chance).astype(np.int32)
        return np.where(rng.random(len(items)) < self.wrong, others, items)

    def _in_release(self, items: Codes) -> Codes:
        return self.item_in_release[items].astype(np.int32)
