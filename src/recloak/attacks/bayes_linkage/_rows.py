"""Candidates that are rows of one person each: as they were, or with noise on the values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtr

from recloak.attacks.bayes_linkage._candidates import Candidates
from recloak.attacks.bayes_linkage._habits import NoiseDensity, habits_of
from recloak.attacks.bayes_linkage._kernels import Habits, noisy_fits, row_masses
from recloak.attacks.bayes_linkage._knowledge import Known
from recloak.core.arrays import Codes, Floats, Indices
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.evaluation.units import Units

ValueChance = Callable[[Codes, Floats, Floats], Floats]
"""How well published values fit known ones, given the item; shapes are those of `fits`."""
MOST_LEVELS = 101
ROOT_OF_THREE = 3.0**0.5
HALF_HUNDREDTH = 0.005
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


class EveryCellCandidates(RowCandidates):
    """The same where every cell is published: which items were rated is not told by their cells."""

    only_holders: ClassVar[bool] = False

    def mass(self, item_weights: Floats) -> Floats:
        return np.ones(self.count)


def noisy(context: AuditContext, name: str, given: Mapping[str, Any]) -> Candidates:
    """Rows whose values got noise: by density given the known value over density at large."""
    rows, scale, sigma = context.rows, context.original.scale, float(given["sigma"])
    on_steps = given.get("rounding") == "step" and scale.step is not None
    half_width = scale.tolerance if on_steps else HALF_HUNDREDTH
    distribution = _normal if name == "gaussian-noise" else _uniform
    density = NoiseDensity(distribution, scale.low, scale.high, half_width)
    if given.get("cells") == "all":
        return EveryCellCandidates(rows, _standardised(rows, density, sigma))
    levels = scale.levels()
    if levels is None or len(levels) > MOST_LEVELS:
        levels = np.linspace(scale.low, scale.high, MOST_LEVELS)
    return NoisyCandidates(rows, density, levels, sigma)


class NoisyCandidates(RowCandidates):
    """Rows with noise on their values: a known value is weighed by how likely it is the true one.

    That is its chance given the published value and how often the row's person gives each value,
    both from the release alone.
    """

    def __init__(self, rows: Ratings, density: NoiseDensity, levels: Floats, sigma: float) -> None:
        super().__init__(rows, EqualWithin(density.half_width))
        self._density, self._sigma, self._levels = density, sigma, levels
        self._habits = habits_of(rows, density, levels, sigma)
        self._own: dict[float, Floats] = {}

    @property
    def weighed_by(self) -> Hashable:
        return self._density, self._sigma

    @property
    def habits(self) -> Habits:
        """What the release tells of how often values are given."""
        return self._habits

    def fits(self, items: Codes, held: Codes, published: Floats, values: Floats) -> Floats:
        distinct, which = np.unique(values, return_inverse=True)
        own = np.stack([self._own_masses(value) for value in distinct.tolist()])
        place = np.clip((distinct - self._levels[0]) / self._step, 0, len(self._levels) - 1)
        level = np.rint(place).astype(np.int64)
        return noisy_fits(held, published, own, which, level, self._habits)

    def _own_masses(self, value: float) -> Floats:
        """The chance of each published value if this is the true one."""
        if value not in self._own:
            self._own[value] = self._density.mass(self._habits.published, value, self._sigma)
        return self._own[value]

    @property
    def _step(self) -> float:
        return float(self._levels[1] - self._levels[0]) if len(self._levels) > 1 else 1.0


def _standardised(rows: Ratings, density: NoiseDensity, sigma: float) -> ValueChance:
    """Noise in units of each item's own deviation, which follows from what is published."""
    count = np.maximum(rows.item_support, 1)
    values = rows.values.astype(np.float64)
    mean = np.bincount(rows.items, values, rows.n_items) / count
    spread = np.bincount(rows.items, np.square(values), rows.n_items) / count - np.square(mean)
    total = np.sqrt(np.maximum(spread, 1e-6))
    own = total * sigma / np.sqrt(1 + sigma**2)

    def chance(items: Codes, published: Floats, values: Floats) -> Floats:
        theirs = density.mass(published, values, own[items])
        return theirs / np.maximum(density.mass(published, mean[items], total[items]), 1e-300)

    return chance


def _normal(places: Floats) -> Floats:
    return np.asarray(ndtr(places))


def _uniform(places: Floats) -> Floats:
    """The distribution of noise that is uniform on either side, of deviation 1."""
    return np.clip((places + ROOT_OF_THREE) / (2 * ROOT_OF_THREE), 0.0, 1.0)
