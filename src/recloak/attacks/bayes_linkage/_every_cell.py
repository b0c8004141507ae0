"""Candidates that are rows of which every cell is published, with noise on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from recloak.attacks.bayes_linkage._habits import NoiseDensity
from recloak.attacks.bayes_linkage._rows import EqualWithin, RowCandidates
from recloak.core.arrays import Codes, Floats, Indices
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext

MOST_VALUES = 21
LEAST = 1e-300


@dataclass(frozen=True, eq=False)
class GivenInGeneral:
    """How many people rate each item, how often each value is given, and what stands for none.

    Who rates what in general is no secret.
    """

    rated: Floats
    values: Floats
    shares: Floats
    missing: float

    @classmethod
    def of(cls, context: AuditContext, known_values: Floats) -> GivenInGeneral:
        """``known_values`` are ratings that the adversary knows of anyone."""
        original, held = context.original, context.item_in_release >= 0
        rated = np.zeros(context.rows.n_items)
        rated[context.item_in_release[held]] = original.item_support[held]
        values, counts = np.unique(known_values, return_counts=True)
        if len(values) > MOST_VALUES:
            values = np.quantile(known_values, (np.arange(MOST_VALUES) + 0.5) / MOST_VALUES)
            counts = np.ones(MOST_VALUES, np.int64)
        shares = counts / max(int(counts.sum()), 1)
        return cls(rated / max(original.n_users, 1), values, shares, original.scale.middle)

    def share_of(self, value: float) -> float:
        """How often the value is given, or the one next to it."""
        return float(self.shares[np.abs(self.values - value).argmin()]) if len(self.values) else 1.0


class EveryCellCandidates(RowCandidates):
    """Rows of which every cell is published, with noise: the middle of the scale if not rated.

    That an item is listed tells nothing then. A rating is weighed by the chance that it is there,
    and has the known value if that is known, given what is published; what a person rated adds up
    to what these chances add up to. Noise is in units of each item's own deviation, which follows
    from what is published.
    """

    only_holders: ClassVar[bool] = False

    def __init__(
        self, rows: Ratings, density: NoiseDensity, sigma: float, in_general: GivenInGeneral
    ) -> None:
        super().__init__(rows, EqualWithin(density.half_width))
        self._density, self._in_general = density, in_general
        self._deviation = _deviations(rows) * sigma / np.sqrt(1 + sigma**2)
        steps = int(np.rint((density.high - density.low) / (2 * density.half_width)))
        self._grid: Floats = density.low + 2 * density.half_width * np.arange(steps + 1.0)
        self._by_item: dict[int, tuple[Floats, Floats]] = {}

    def mass(self, item_weights: Floats) -> Floats:
        found = np.zeros(self.count)
        for item in np.flatnonzero(item_weights).tolist():
            held, published = self.holders(item)
            found[held] += item_weights[item] * self.fits_one(item, held, published, None)
        return found

    def fits_one(self, item: int, held: Codes, published: Floats, value: float | None) -> Floats:
        rated, anything = self._on_grid(item)
        if value is not None:
            share = self._in_general.rated[item] * self._in_general.share_of(value)
            rated = share * self._density.mass(self._grid, value, self._deviation[item])
        return np.asarray((rated / anything)[self._places(published)])

    def _on_grid(self, item: int) -> tuple[Floats, Floats]:
        """The chance of each value that can be published: of a rating, and of any cell."""
        if item not in self._by_item:
            general, deviation = self._in_general, self._deviation[item]
            each = self._density.mass(self._grid[:, None], general.values, deviation)
            rated = general.rated[item] * (each * general.shares).sum(axis=1)
            missing = self._density.mass(self._grid, general.missing, deviation)
            anything = rated + (1 - general.rated[item]) * missing
            self._by_item[item] = rated, np.maximum(anything, LEAST)
        return self._by_item[item]

    def _places(self, published: Floats) -> Indices:
        places = np.rint((published - self._grid[0]) / (2 * self._density.half_width))
        return np.asarray(np.clip(places, 0, len(self._grid) - 1), np.int64)


def _deviations(rows: Ratings) -> Floats:
    """Of what is published of each item."""
    count = np.maximum(rows.item_support, 1)
    values = rows.values.astype(np.float64)
    mean = np.bincount(rows.items, values, rows.n_items) / count
    spread = np.bincount(rows.items, np.square(values), rows.n_items) / count - np.square(mean)
    return np.sqrt(np.maximum(spread, 1e-6))
