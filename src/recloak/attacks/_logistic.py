"""Logistic regression on standardised features, fitted by Newton's method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import Floats, Indices, Mask
from recloak.core.kernels import kernel

MOST_LOG_ODDS = 30.0


@kernel
def newton_terms(
    design: Floats,
    truth: Mask,
    times: Floats,
    weights: Floats,
    gradient: Floats,
    hessian: Floats,
) -> None:
    """Add the first and second derivatives of all examples to ``gradient`` and ``hessian``.

    Each example counts as many ``times``.
    """
    width = len(weights)
    for row in range(len(design)):
        line, odds = design[row], 0.0
        for at in range(width):
            odds += line[at] * weights[at]
        chance = 1 / (1 + np.exp(-min(max(odds, -MOST_LOG_ODDS), MOST_LOG_ODDS)))
        missed = times[row] * (chance - truth[row])
        spread = times[row] * chance * (1 - chance)
        for at in range(width):
            gradient[at] += missed * line[at]
            scaled = spread * line[at]
            for other in range(width):
                hessian[at, other] += scaled * line[other]


RIDGE = 1.0
MOST_OF_A_KIND = 20_000
STEPS = 12
LEAST_SPREAD = 1e-6
DECIMALS = 4
CONVERGED = 1e-2  # of a weight on standardised features: no chance moves by more than a hundredth

Numbers = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Logistic:
    """Log-odds that are linear in features; these stand along the last axis."""

    centre: Floats
    spread: Floats
    weights: Floats

    @classmethod
    def fit(
        cls,
        features: Numbers,
        truth: Mask,
        times: Numbers | None = None,
        ridge: float = RIDGE,
    ) -> Logistic:
        """Fit with a ridge penalty, so that separable data have an answer too.

        Of many true or many false examples every n-th is used; the intercept is corrected for
        those left out. ``times`` are as how many each example counts, else as one.
        """
        (trues, stride_of_true), (falses, stride) = _thinned(truth), _thinned(~truth)
        kept = np.sort(np.concatenate([trues, falses]))
        features, truth = features[kept], truth[kept]
        counted = np.ones(len(kept)) if times is None else times[kept].astype(np.float64)
        centre, spread = features.mean(axis=0), features.std(axis=0)
        spread = np.where(spread > LEAST_SPREAD, spread, 1.0)
        design = np.column_stack([np.ones(len(features)), (features - centre) / spread])
        weights = np.zeros(design.shape[1])
        for _ in range(STEPS):
            gradient, hessian = ridge * weights, ridge * np.eye(len(weights))
            newton_terms(design, truth, counted, weights, gradient, hessian)
            step = np.linalg.solve(hessian, gradient)
            weights = weights - step
            if np.abs(step).max() < CONVERGED:
                break
        weights[0] += np.log(stride_of_true / stride)
        return cls(centre, spread, weights)

    def odds(self, features: Numbers) -> Floats:
        """The log-odds for each set of features, to a few decimals.

        Equal sets of features are then ties on every machine, whatever the order in which it sums.
        """
        slopes = self.weights[1:] / self.spread
        odds = features @ slopes + (self.weights[0] - self.centre @ slopes)
        return np.asarray(np.round(odds, DECIMALS), np.float64)


def _thinned(wanted: Mask) -> tuple[Indices, int]:
    """Where every n-th of those wanted stands, and n."""
    places = np.flatnonzero(wanted)
    stride = max(1, len(places) // MOST_OF_A_KIND) | 1
    return places[stride - 1 :: stride], stride


def chances(odds: Floats) -> Floats:
    """Probabilities from log-odds."""
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -MOST_LOG_ODDS, MOST_LOG_ODDS))))
