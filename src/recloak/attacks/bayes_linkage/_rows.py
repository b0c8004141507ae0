"""Candidates that are rows of one person each: as they were, or with noise on the values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import ndtr

from recloak.attacks.bayes_linkage._candidates import Candidates
from recloak.attacks.bayes_linkage._kernels import shares_by_row
from recloak.attacks.bayes_linkage._knowledge import Known
from recloak.core.arrays import Codes, Floats, Indices
from recloak.core.cache import PerTableCache
from recloak.core.parallel import row_blocks
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.evaluation.units import Units

ValueChance = Callable[[int, Floats, float], Floats]
ROUNDS_OF_EM = 30
ROUNDS_BY_ROW = 5
HABIT = 10.0  # ratings: how many what people give in general counts for beside a person's own
MOST_LEVELS = 101
RATINGS_PER_BLOCK = 4_000_000
ROOT_OF_THREE = 3.0**0.5
HALF_HUNDREDTH = 0.005
# How much a value of a release that nobody knows the method of may be off, by guess: as it was,
# or anything, the nearer the likelier.
UNCHANGED = 0.9
LEFT_OUT = 0.1


def equal_within(tolerance: float) -> ValueChance:
    """Values are as they were."""
    return lambda item, published, value: (np.abs(published - value) <= tolerance).astype(float)


def perhaps_changed(units: Units, span: float) -> ValueChance:
    """Values may have been changed in ways that nobody knows."""
    width = max(span / 4, units.tolerance)

    def chance(item: int, published: Floats, value: float) -> Floats:
        apart = np.abs(published - value)
        near = np.exp(-apart / width) * (2 * units.tolerance / width)
        return np.asarray(np.where(apart <= units.tolerance, UNCHANGED, (1 - UNCHANGED) * near))

    return chance


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

    def mass(self, item_weights: Floats) -> Floats:
        """Block by block: of very many ratings, numbers for each would not fit into memory."""
        rows, found = self.table, np.zeros(self.count)
        for first, end in row_blocks(rows.offsets, RATINGS_PER_BLOCK):
            cells = item_weights[rows.items[rows.offsets[first] : rows.offsets[end]]]
            owners = np.repeat(np.arange(end - first), rows.user_counts[first:end])
            found[first:end] = np.bincount(owners, cells, end - first)
        return found

    def likelihood(self, item: int, value: float | None) -> Floats:
        found = np.zeros(self.count)
        held, published = self.holders(item)
        found[held] = 1.0 if value is None else self.fits(item, held, published, value)
        return found

    def fits(self, item: int, held: Codes, published: Floats, value: float) -> Floats:
        """How well what the rows ``held`` publish of an item fits a known value."""
        return self._value_chance(item, published, value)

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
        fits = np.ones(len(held)) if value is None else self.fits(item, held, published, value)
        general = len(held) / max(self.table.n_ratings, 1)
        found: Floats = LEFT_OUT * general * np.maximum(self.table.user_counts, 1)
        found[held] = (1 - LEFT_OUT) * fits + found[held]
        return found


class EveryCellCandidates(RowCandidates):
    """The same where every cell is published: which items were rated is not told by their cells."""

    only_holders: ClassVar[bool] = False

    def mass(self, item_weights: Floats) -> Floats:
        return np.ones(self.count)


@dataclass(frozen=True)
class NoiseDensity:
    """The chance of a published value, rounded and clipped to the scale, given the true one."""

    distribution: Callable[[Floats], Floats]
    low: float
    high: float
    half_width: float

    def mass(self, published: Floats, value: Floats | float, sigma: Floats | float) -> Floats:
        """The chance of what rounds to ``published``; the ends hold all that lies beyond."""
        upper = self.distribution((published + self.half_width - value) / sigma)
        lower = self.distribution((published - self.half_width - value) / sigma)
        upper = np.where(published >= self.high - 1e-6, 1.0, upper)
        lower = np.where(published <= self.low + 1e-6, 0.0, lower)
        return np.maximum(upper - lower, 1e-300)


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
        super().__init__(rows, equal_within(density.half_width))
        self._density, self._sigma, self._levels = density, sigma, levels
        habits = _HABITS.get(rows, (density, sigma), lambda: _habits(rows, density, levels, sigma))
        self._published, self._masses, self._shares, self._of_row = habits

    def fits(self, item: int, held: Codes, published: Floats, value: float) -> Floats:
        theirs, own = self._of_row[held], self._density.mass(published, value, self._sigma)
        masses = self._masses[np.searchsorted(self._published, published)]
        place = np.clip((value - self._levels[0]) / self._step, 0, len(self._levels) - 1)
        level = int(np.rint(place))
        given = theirs[:, level] / max(float(self._shares[level]), 1e-12)
        return np.asarray(given * own / np.maximum((theirs * masses).sum(axis=1), 1e-300))

    @property
    def _step(self) -> float:
        return float(self._levels[1] - self._levels[0]) if len(self._levels) > 1 else 1.0


class _Habits(NamedTuple):
    """The values that are published, their chances given each true one, how often people in
    general give each true value, and how often each row's person does.
    """

    published: Floats
    masses: Floats
    shares: Floats
    of_row: Floats


_HABITS: PerTableCache[_Habits] = PerTableCache()


def _habits(rows: Ratings, density: NoiseDensity, levels: Floats, sigma: float) -> _Habits:
    distinct = np.unique(rows.values)
    codes = np.empty(rows.n_ratings, np.int32)
    for start in range(0, rows.n_ratings, RATINGS_PER_BLOCK):
        here = slice(start, start + RATINGS_PER_BLOCK)
        codes[here] = np.searchsorted(distinct, rows.values[here])
    published = distinct.astype(np.float64)
    masses = density.mass(published[:, None], levels[None, :], sigma)
    counts = np.bincount(codes, minlength=len(published)).astype(np.float64)
    shares = _true_values(masses, counts)
    of_row = shares_by_row(rows.offsets, codes, masses, shares, HABIT, ROUNDS_BY_ROW)
    return _Habits(published, masses, shares, of_row)


def _true_values(masses: Floats, counts: Floats) -> Floats:
    """How often each true value is given, from the published ones alone, by EM."""
    shares = np.full(masses.shape[1], 1.0 / masses.shape[1])
    for _ in range(ROUNDS_OF_EM):
        parts = masses * shares
        parts *= (counts / np.maximum(parts.sum(axis=1), 1e-300))[:, None]
        shares = parts.sum(axis=0) / max(counts.sum(), 1.0)
    return shares


def _standardised(rows: Ratings, density: NoiseDensity, sigma: float) -> ValueChance:
    """Noise in units of each item's own deviation, which follows from what is published."""
    count = np.maximum(rows.item_support, 1)
    values = rows.values.astype(np.float64)
    mean = np.bincount(rows.items, values, rows.n_items) / count
    spread = np.bincount(rows.items, np.square(values), rows.n_items) / count - np.square(mean)
    total = np.sqrt(np.maximum(spread, 1e-6))
    own = total * sigma / np.sqrt(1 + sigma**2)

    def chance(item: int, published: Floats, value: float) -> Floats:
        theirs = density.mass(published, value, own[item])
        return theirs / np.maximum(density.mass(published, mean[item], total[item]), 1e-300)

    return chance


def _normal(places: Floats) -> Floats:
    return np.asarray(ndtr(places))


def _uniform(places: Floats) -> Floats:
    """The distribution of noise that is uniform on either side, of deviation 1."""
    return np.clip((places + ROOT_OF_THREE) / (2 * ROOT_OF_THREE), 0.0, 1.0)
