"""Logistic regression on standardised features: small, exact, the same every time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recloak.kernels.logistic import newton_terms

RIDGE = 1.0
MOST_FALSE = 20_000
STEPS = 12
FAR = 30.0
NEAR = 1e-6
SETTLED = 1e-2  # of a weight on standardised features: no chance moves by more than a hundredth

Numbers = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Logistic:
    """Log-odds that are linear in features; these stand along the last axis."""

    centre: NDArray[np.float64]
    spread: NDArray[np.float64]
    weights: NDArray[np.float64]

    @classmethod
    def fit(cls, features: Numbers, truth: NDArray[np.bool_]) -> Logistic:
        """By Newton's steps, held back a little so that separable data have an answer too.

        Of many false examples every so-manieth is enough: what is left out moves the odds by a
        number that is known, and is put back.
        """
        stride = max(1, int(len(truth) - truth.sum()) // MOST_FALSE) | 1
        kept = truth | (np.cumsum(~truth) % stride == 0)
        features, truth = features[kept], truth[kept]
        centre, spread = features.mean(axis=0), features.std(axis=0)
        spread = np.where(spread > NEAR, spread, 1.0)
        design = np.column_stack([np.ones(len(features)), (features - centre) / spread])
        weights = np.zeros(design.shape[1])
        for _ in range(STEPS):
            slope, bend = RIDGE * weights, RIDGE * np.eye(len(weights))
            newton_terms(design, truth, weights, slope, bend)
            step = np.linalg.solve(bend, slope)
            weights = weights - step
            if np.abs(step).max() < SETTLED:
                break
        weights[0] -= np.log(stride)
        return cls(centre, spread, weights)

    def odds(self, features: Numbers) -> NDArray[np.float64]:
        """The log-odds for each set of features."""
        slopes = self.weights[1:] / self.spread
        return np.asarray(features @ slopes + (self.weights[0] - self.centre @ slopes))


def chances(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities from log-odds."""
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -FAR, FAR))))
