"""Noise density: the chance of a published value given the true one, as the manifest tells it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from recloak.core.arrays import Floats
from recloak.evaluation.context import AuditContext

NOISE = ("gaussian-noise", "uniform-noise")
ROOT_OF_THREE = 3.0**0.5
HALF_HUNDREDTH = 0.005


@dataclass(frozen=True)
class NoiseDensity:
    """The chance of a published value, rounded and clipped to the scale, given the true one."""

    distribution: Callable[[Floats], Floats]
    low: float
    high: float
    half_width: float

    @classmethod
    def of(cls, context: AuditContext) -> NoiseDensity:
        """That of a release with noise."""
        assert context.release is not None
        scale, given = context.original.scale, context.public
        on_steps = given.get("rounding") == "step" and scale.step is not None
        half_width = scale.tolerance if on_steps else HALF_HUNDREDTH
        name = context.release.manifest.method
        distribution = _normal if name == "gaussian-noise" else _uniform
        return cls(distribution, scale.low, scale.high, half_width)

    def mass(self, published: Floats, value: Floats | float, sigma: Floats | float) -> Floats:
        """The chance of what rounds to ``published``; the ends hold all that lies beyond."""
        upper = self.distribution((published + self.half_width - value) / sigma)
        lower = self.distribution((published - self.half_width - value) / sigma)
        upper = np.where(published >= self.high - 1e-6, 1.0, upper)
        lower = np.where(published <= self.low + 1e-6, 0.0, lower)
        return np.maximum(upper - lower, 1e-300)


def _normal(places: Floats) -> Floats:
    return np.asarray(ndtr(places))


def _uniform(places: Floats) -> Floats:
    """The distribution of noise that is uniform on either side, of deviation 1."""
    return np.clip((places + ROOT_OF_THREE) / (2 * ROOT_OF_THREE), 0.0, 1.0)
