"""The incomplete gamma and beta functions, from which p-values follow.

By series and continued fractions, as in Abramowitz and Stegun, 6.5.29, 6.5.31 and 26.5.8.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import count

_TINY = 1e-300
_PRECISE = 1e-15
_MOST_STEPS = 1_000_000


def upper_gamma(a: float, x: float) -> float:
    """The share of the gamma function of ``a`` that lies above ``x``."""
    if x <= 0:
        return 1.0
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        return 1 - front * _gamma_series(a, x)
    return front / _fraction(_gamma_steps(a, x))


def lower_beta(a: float, b: float, x: float) -> float:
    """The share of the beta function of ``a`` and ``b`` that lies below ``x``."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # there the fraction would converge slowly
        return 1 - lower_beta(b, a, 1 - x)
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(scale + a * math.log(x) + b * math.log1p(-x)) / a
    return front / _fraction(_beta_steps(a, b, x))


def _gamma_series(a: float, x: float) -> float:
    term = total = 1 / a
    for step in count(1):
        term *= x / (a + step)
        total += term
        if term < total * _PRECISE:
            return total
    raise AssertionError("the terms end")


def _gamma_steps(a: float, x: float) -> Iterator[tuple[float, float]]:
    yield 0.0, x + 1 - a
    for step in range(1, _MOST_STEPS):
        yield step * (a - step), x + 2 * step + 1 - a


def _beta_steps(a: float, b: float, x: float) -> Iterator[tuple[float, float]]:
    yield 0.0, 1.0
    for step in range(_MOST_STEPS):
        twice = a + 2 * step
        yield -(a + step) * (a + b + step) * x / (twice * (twice + 1)), 1.0
        yield (step + 1) * (b - step - 1) * x / ((twice + 1) * (twice + 2)), 1.0


def _fraction(steps: Iterable[tuple[float, float]]) -> float:
    """A continued fraction of numerators and denominators, by the algorithm of Lentz."""
    value = upper = lower = 0.0
    for at, (numerator, denominator) in enumerate(steps):
        if at == 0:
            value = upper = denominator or _TINY
            continue
        lower = 1 / (denominator + numerator * lower or _TINY)
        upper = denominator + numerator / upper or _TINY
        value *= upper * lower
        if abs(upper * lower - 1) < _PRECISE:
            break
    return value
