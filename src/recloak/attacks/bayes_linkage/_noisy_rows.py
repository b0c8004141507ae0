"""Candidates that are rows with noise on their values, on those rated or on every cell."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from recloak.attacks._every_cell import EveryCell, lists_every_cell
from recloak.attacks._noise_density import NoiseDensity
from recloak.attacks.bayes_linkage._candidates import Candidates
from recloak.attacks.bayes_linkage._habits import habits_of
from recloak.attacks.bayes_linkage._kernels import Habits, noisy_fits
from recloak.attacks.bayes_linkage._rows import EqualWithin, RowCandidates
from recloak.core.arrays import Codes, Floats
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext

MOST_LEVELS = 101


def noisy(context: AuditContext) -> Candidates:
    """Rows whose values got noise: by density given the known value over density at large."""
    if lists_every_cell(context):
        return EveryCellCandidates(context.rows, EveryCell.of(context))
    noise = StatedNoise.of(context)
    habits = habits_of(context.rows, noise.density, noise.levels, noise.sigma)
    return NoisyCandidates(context.rows, noise, habits)


@dataclass(frozen=True)
class StatedNoise:
    """The noise as the manifest states it, and the levels that true values have."""

    density: NoiseDensity
    levels: Floats
    sigma: float

    @classmethod
    def of(cls, context: AuditContext) -> StatedNoise:
        """That of a release."""
        scale = context.original.scale
        levels = scale.levels()
        if levels is None or len(levels) > MOST_LEVELS:
            levels = np.linspace(scale.low, scale.high, MOST_LEVELS)
        return cls(NoiseDensity.of(context), levels, float(context.public["sigma"]))


class EveryCellCandidates(RowCandidates):
    """Rows of which every cell is published, with noise: the middle of the scale if not rated.

    That an item is listed tells nothing then. A rating is weighed by the chance that it is there,
    and has the known value if that is known, given what is published; what a person rated adds up
    to what these chances add up to.
    """

    only_holders: ClassVar[bool] = False

    def __init__(self, rows: Ratings, cells: EveryCell) -> None:
        super().__init__(rows, EqualWithin(rows.scale.tolerance))
        self._cells = cells

    def chances(self) -> Floats:
        return self._cells.rated.ravel().astype(np.float64)

    def mass(self, item_weights: Floats) -> Floats:
        found = np.zeros(self.count)
        for item in np.flatnonzero(item_weights).tolist():
            found += item_weights[item] * self._cells.chances(item)
        return found

    def likelihood(self, item: int, value: float | None) -> Floats:
        return self._cells.chances(item, value)


class NoisyCandidates(RowCandidates):
    """Rows with noise on their values: a known value is weighed by how likely it is the true one.

    That is its chance given the published value and how often the row's person gives each value,
    both from the release alone.
    """

    def __init__(self, rows: Ratings, noise: StatedNoise, habits: Habits) -> None:
        super().__init__(rows, EqualWithin(noise.density.half_width))
        self._density, self._sigma, self._levels = noise.density, noise.sigma, noise.levels
        self._habits = habits
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
