"""Candidates that are rows of one person each: as they were, or changed in unknown ways."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from recloak.attacks.bayes_linkage._candidates import Candidates
from recloak.attacks.bayes_linkage._kernels import row_masses
from recloak.attacks.bayes_linkage._knowledge import Known
from recloak.core.arrays import Codes, Floats, Indices
from recloak.core.ratings import Ratings
from recloak.evaluation.units import Units

ValueChance = Callable[[Codes, Floats, Floats], Floats]
"""How well published values fit known ones, given the item; shapes are those of `fits`."""
# How much a value of a release that nobody knows the method of may be off, by guess: as it was,
# or anything, the nearer the likelier.
UNCHANGED = 0.9
LEFT_OUT = 0.1


@dataclass(frozen=True)
class EqualWithin:
    """Values are as they were."""

    tolerance: float

    def __call__(self, items: Codes, published: Floats, values: Floats) -> Floats:
        return (np.abs(published - values) <= self.tolerance).astype(float)


@dataclass(frozen=True)
class PerhapsChanged:
    """Values may have been changed in ways that nobody knows."""

    tolerance: float
    width: float

    @classmethod
    def by(cls, units: Units, span: float) -> PerhapsChanged:
        """On a scale of this span."""
        return cls(units.tolerance, max(span / 4, units.tolerance))

    def __call__(self, items: Codes, published: Floats, values: Floats) -> Floats:
        apart = np.abs(published - values)
        near = np.exp(-apart / self.width) * (2 * self.tolerance / self.width)
        return np.asarray(np.where(apart <= self.tolerance, UNCHANGED, (1 - UNCHANGED) * near))


class RowCandidates(Candidates):
    """Every row is one person's; ``value_chance`` says how well a published value fits a known one.

    That is the chance of the published value if the known one is true, over its chance in general.
    """

    is_one_person: ClassVar[bool] = True
    only_holders: ClassVar[bool] = True
    """Can nobody but who holds an item have rated it? Then only rows that hold all are weighed."""

    def __init__(self, rows: Ratings, value_chance: ValueChance) -> None:
        self.table, self._value_chance = rows, value_chance

    def chances(self) -> Floats:
        return np.ones(self.table.n_ratings)

    @property
    def weighed_by(self) -> Hashable:
        """What decides how well values fit; equal for candidates that weigh alike."""
        return self._value_chance

    def mass(self, item_weights: Floats) -> Floats:
        return row_masses(self.table.offsets, self.table.items, item_weights)

    def likelihood(self, item: int, value: float | None) -> Floats:
        found = np.zeros(self.count)
        held, published = self.holders(item)
        found[held] = self.fits_one(item, held, published, value)
        return found

    def fits_one(self, item: int, held: Codes, published: Floats, value: float | None) -> Floats:
        """How well what the rows ``held`` publish of an item fits a known value; any, if None."""
        if value is None:
            return np.ones(len(held))
        one = np.array([item], np.int32), held[None], published[None], np.array([value])
        return np.asarray(self.fits(*one)[0])

    def fits(self, items: Codes, held: Codes, published: Floats, values: Floats) -> Floats:
        """The same for several known ratings, each of which has a line of ``held`` rows."""
        return self._value_chance(items[:, None], published, values[:, None])

    def rows_named(self, weights: Floats, known: Known) -> tuple[Indices, float]:
        best = float(weights.max())
        return np.flatnonzero(weights >= best * (1 - 1e-9)), best


class ChangedRowCandidates(RowCandidates):
    """Rows of a method that nobody knows: some ratings may have been left out, too.

    A known rating that a row lacks was left out, or is what people rate in general.
    """

    only_holders: ClassVar[bool] = False

    def likelihood(self, item: int, value: float | None) -> Floats:
        held, published = self.holders(item)
        fits = self.fits_one(item, held, published, value)
        general = len(held) / max(self.table.n_ratings, 1)
        found: Floats = LEFT_OUT * general * np.maximum(self.table.user_counts, 1)
        found[held] = (1 - LEFT_OUT) * fits + found[held]
        return found
