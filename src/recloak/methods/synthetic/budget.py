"""Budgets: Gaussian differential privacy μ, and the (ε, δ) that it amounts to.

Dong, Roth, Su: Gaussian differential privacy. Budgets of several queries add up exactly, as
μ² = Σ μᵢ², also when later queries depend on earlier answers.
"""

from __future__ import annotations

import math

from scipy.special import log_ndtr

SLACK = 1e-6
"""Of ε: what the noise on a grid may differ from rounded normal noise, over all entries."""
_STEPS = 200


def delta_of(mu: float, epsilon: float) -> float:
    """The least δ for which μ-GDP gives (ε, δ): Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2)."""
    first = float(log_ndtr(-epsilon / mu + mu / 2))
    second = epsilon + float(log_ndtr(-epsilon / mu - mu / 2))
    return math.exp(first) * -math.expm1(min(second - first, 0.0))


def budget_for(epsilon: float, delta: float) -> float:
    """The largest μ whose (ε, δ) is within this, a little kept back for the grid."""
    wanted = max(epsilon - SLACK, epsilon / 2)
    low, high = 0.0, 100.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if middle > 0 and delta_of(middle, wanted) > delta:
            high = middle
        else:
            low = middle
    return low


def epsilon_for(mu: float, delta: float) -> float:
    """The least ε for which μ-GDP gives (ε, δ)."""
    low, high = 0.0, 1e4
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if delta_of(mu, middle) > delta:
            low = middle
        else:
            high = middle
    return high + SLACK
