"""Units: how a rating of the original reads on the scale of the release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.core.arrays import Values
from recloak.core.scale import Scale

_SLACK = 1e-6  # of a tolerance: what float32 cannot tell apart
_NEVER = -1.0


@dataclass(frozen=True)
class Units:
    """How a rating ``v`` of the original reads in the release: ``factor * v + shift``.

    A release on another scale is no obstacle to an adversary, who sees its range; one without
    values leaves only the items, and is not ``comparable``.
    """

    comparable: bool
    factor: float
    shift: float
    tolerance: float

    @classmethod
    def between(cls, mine: Scale, theirs: Scale) -> Units:
        """From the scale of the original to that of the release."""
        half_step = mine.tolerance * (1 + _SLACK)
        if mine.span == 0 or theirs.span == 0:
            values_match = mine.implicit or not theirs.implicit
            return cls(False, 1.0, 0.0, half_step if values_match else _NEVER)
        within = mine.low <= theirs.low and theirs.high <= mine.high
        if within and theirs.span >= mine.span / 2:
            return cls(True, 1.0, 0.0, half_step)
        factor = theirs.span / mine.span
        return cls(True, factor, theirs.low - factor * mine.low, half_step * factor)

    def converted(self, values: Values) -> Values:
        """Ratings of the original, on the scale of the release."""
        if (self.factor, self.shift) == (1.0, 0.0):
            return values
        return (values * self.factor + self.shift).astype(np.float32)
