"""Candidates that are rows with noise on their values, on those rated or on every cell."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from scipy.special import ndtr

from recloak.attacks.bayes_linkage._candidates import Candidates
from recloak.attacks.bayes_linkage._every_cell import EveryCellCandidates, GivenInGeneral
from recloak.attacks.bayes_linkage._habits import NoiseDensity, habits_of
from recloak.attacks.bayes_linkage._kernels import Habits, noisy_fits
from recloak.attacks.bayes_linkage._rows import EqualWithin, RowCandidates
from recloak.core.arrays import Codes, Floats
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext

MOST_LEVELS = 101
ROOT_OF_THREE = 3.0**0.5
HALF_HUNDREDTH = 0.005


def noisy(
    context: AuditContext, name: str, given: Mapping[str, Any], known_values: Floats
) -> Candidates:
    """Rows whose values got noise: by density given the known value over density at large.

    ``known_values`` are ratings that the adversary knows of anyone.
    """
    rows, scale, sigma = context.rows, context.original.scale, float(given["sigma"])
    on_steps = given.get("rounding") == "step" and scale.step is not None
    half_width = scale.tolerance if on_steps else HALF_HUNDREDTH
    distribution = _normal if name == "gaussian-noise" else _uniform
    density = NoiseDensity(distribution, scale.low, scale.high, half_width)
    if given.get("cells") == "all":
        in_general = GivenInGeneral.of(context, known_values)
        return EveryCellCandidates(rows, density, sigma, in_general)
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


def _normal(places: Floats) -> Floats:
    return np.asarray(ndtr(places))


def _uniform(places: Floats) -> Floats:
    """The distribution of noise that is uniform on either side, of deviation 1."""
    return np.clip((places + ROOT_OF_THREE) / (2 * ROOT_OF_THREE), 0.0, 1.0)
