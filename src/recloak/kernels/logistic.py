"""Kernel of logistic regression: the terms of one of Newton's steps, added up in a fixed order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import kernel

_FAR = 30.0


@kernel
def newton_terms(
    design: NDArray[np.float64],
    truth: NDArray[np.bool_],
    weights: NDArray[np.float64],
    slope: NDArray[np.float64],
    bend: NDArray[np.float64],
) -> None:
    """Add the first and second derivatives of all examples to ``slope`` and ``bend``."""
    width = len(weights)
    for row in range(len(design)):
        line, odds = design[row], 0.0
        for at in range(width):
            odds += line[at] * weights[at]
        chance = 1 / (1 + np.exp(-min(max(odds, -_FAR), _FAR)))
        missed, spread = chance - truth[row], chance * (1 - chance)
        for at in range(width):
            slope[at] += missed * line[at]
            scaled = spread * line[at]
            for other in range(width):
                bend[at, other] += scaled * line[other]
