"""P-values of the tests of randomness; scipy would take longer to load than they take."""

from __future__ import annotations

import math

import numpy as np

from recloak.auditing.leak_scan._incomplete_functions import lower_beta, upper_gamma
from recloak.core.arrays import Floats, Integers


def of_distribution(expected: Floats) -> float:
    """Kolmogorov and Smirnov's test; ``expected`` is the distribution function at all values.

    It is twice the one-sided p-value, which comes to the two-sided one from above the nearer, the
    smaller it is: both sides can hardly be far off at once.
    """
    n, expected = len(expected), np.sort(expected)
    above = (np.arange(1, n + 1) / n - expected).max()
    below = (expected - np.arange(n) / n).max()
    return min(1.0, 2 * _one_sided(n, float(max(above, below))))


def of_even_counts(counts: Integers) -> float:
    """Pearson's χ²: could all of ``counts`` have been equally likely?"""
    expected = counts.mean()
    statistic = float((np.square(counts - expected) / expected).sum())
    return upper_gamma((len(counts) - 1) / 2, statistic / 2)


def of_coin(heads: int, tosses: int) -> float:
    """The exact binomial test of a fair coin, two-sided."""
    fewer = min(heads, tosses - heads)
    return min(1.0, 2 * lower_beta(tosses - fewer, fewer + 1, 0.5))


def of_rank_correlation(values: Floats) -> float:
    """Spearman's correlation of ``values`` with their order, whatever ties there are."""
    n = len(values)
    if n < 3 or values.min() == values.max():
        return 1.0
    order, ranks = np.arange(n, dtype=np.float64), _ranks(values)
    r = float(np.corrcoef(order, ranks)[0, 1])
    return min(1.0, 2 * lower_beta(n / 2 - 1, n / 2 - 1, (1 - min(1.0, abs(r))) / 2))


def of_variance_ratio(ratio: float, between: int, within: int) -> float:
    """Fisher's F with ``between`` and ``within`` degrees of freedom."""
    return lower_beta(within / 2, between / 2, within / (within + between * ratio))


def _ranks(values: Floats) -> Floats:
    """Ranks from 1; equal values share the mean of theirs."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[places]


def _one_sided(n: int, distance: float) -> float:
    """How often a distribution of ``n`` values lies so far above the true one somewhere.

    The exact sum of Smirnov, and of Birnbaum and Tingey, in logarithms.
    """
    if distance <= 0 or distance >= 1:
        return float(distance <= 0)
    j = np.arange(int(n * (1 - distance)) + 1)
    reached, left = distance + j / n, 1 - distance - j / n
    j, reached, left = j[left > 0], reached[left > 0], left[left > 0]
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    terms = factorials[n] - factorials[j] - factorials[n - j]
    terms += (j - 1) * np.log(reached) + (n - j) * np.log(left)
    highest = terms.max()
    logarithm = math.log(distance) + highest + math.log(np.exp(terms - highest).sum())
    return math.exp(min(0.0, logarithm))
