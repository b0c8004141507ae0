"""P-values of the tests of randomness, from special functions: scipy.stats is slow to load."""

from __future__ import annotations

import numpy as np
from scipy import special

from recloak.core.arrays import Floats, Integers


def of_distribution(expected: Floats) -> float:
    """Kolmogorov and Smirnov's test; ``expected`` is the distribution function at all values.

    It is twice the one-sided p-value, which comes to the two-sided one from above the nearer, the
    smaller it is: both sides can hardly be far off at once.
    """
    n, expected = len(expected), np.sort(expected)
    above = (np.arange(1, n + 1) / n - expected).max()
    below = (expected - np.arange(n) / n).max()
    return min(1.0, 2 * float(special.smirnov(n, max(above, below))))


def of_even_counts(counts: Integers) -> float:
    """Pearson's χ²: could all of ``counts`` have been equally likely?"""
    expected = counts.mean()
    statistic = float((np.square(counts - expected) / expected).sum())
    return float(special.chdtrc(len(counts) - 1, statistic))


def of_coin(heads: int, tosses: int) -> float:
    """The exact binomial test of a fair coin, two-sided."""
    return min(1.0, 2 * float(special.bdtr(float(min(heads, tosses - heads)), tosses, 0.5)))


def of_rank_correlation(values: Floats) -> float:
    """Spearman's correlation of ``values`` with their order, whatever ties there are."""
    n = len(values)
    if n < 3 or values.min() == values.max():
        return 1.0
    order, ranks = np.arange(n, dtype=np.float64), _ranks(values)
    r = float(np.corrcoef(order, ranks)[0, 1])
    return min(1.0, 2 * float(special.betainc(n / 2 - 1, n / 2 - 1, (1 - min(1.0, abs(r))) / 2)))


def of_variance_ratio(ratio: float, between: int, within: int) -> float:
    """Fisher's F with ``between`` and ``within`` degrees of freedom."""
    return float(special.fdtrc(between, within, ratio))


def _ranks(values: Floats) -> Floats:
    """Ranks from 1; equal values share the mean of theirs."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[places]
