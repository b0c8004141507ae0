"""Intervals: how sure a figure is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from recloak.core.arrays import Floats, Integers
from recloak.evaluation.findings import Figure, Unit

Z95 = 1.959963984540054


def wilson(successes: float, trials: int) -> tuple[float, float]:
    """The Wilson interval of a share; ``successes`` may be a sum of fractions."""
    if trials == 0:
        return 0.0, 1.0
    share = successes / trials
    spread = Z95**2 / trials
    centre = (share + spread / 2) / (1 + spread)
    half = Z95 * np.sqrt(share * (1 - share) / trials + spread / (4 * trials)) / (1 + spread)
    return max(0.0, min(share, float(centre - half))), min(1.0, max(share, float(centre + half)))


def share_figure(name: str, outcomes: Floats, meaning: str) -> Figure:
    """The mean of outcomes between 0 and 1, with its Wilson interval."""
    total = float(outcomes.sum())
    low, high = wilson(total, len(outcomes))
    value = total / len(outcomes) if len(outcomes) else 0.0
    return Figure(name, value, low, high, "share", meaning)


def difference_figure(name: str, one: Figure, other: Figure, meaning: str) -> Figure:
    """One share less another, with Newcombe's interval, which follows from the two intervals.

    >>> one, other = (Figure(name, value, value - 0.1, value + 0.1) for name, value in
    ...               (("one", 0.5), ("other", 0.3)))
    >>> difference_figure("more", one, other, "").shown()
    '20.0% (5.9%–34.1%)'
    """
    value = one.value - other.value
    down = np.hypot(one.value - _low(one), _high(other) - other.value)
    up = np.hypot(_high(one) - one.value, other.value - _low(other))
    return Figure(name, value, float(value - down), float(value + up), "share", meaning)


def _low(figure: Figure) -> float:
    return figure.value if figure.low is None else figure.low


def _high(figure: Figure) -> float:
    return figure.value if figure.high is None else figure.high


def mean_figure(name: str, outcomes: Floats, unit: Unit, meaning: str) -> list[Figure]:
    """A mean with its normal interval; nothing if there are too few outcomes to have one."""
    if len(outcomes) < 2:
        return []
    mean = float(outcomes.mean())
    half = Z95 * float(outcomes.std(ddof=1)) / np.sqrt(len(outcomes))
    return [Figure(name, mean, float(mean - half), float(mean + half), unit, meaning)]


def clustered_mean(outcomes: Floats, clusters: Integers) -> tuple[float, float]:
    """A mean and its standard error when outcomes of one person are not independent."""
    count = len(outcomes)
    if count == 0:
        return 0.0, 0.0
    mean = float(outcomes.mean())
    sums = np.bincount(clusters, weights=outcomes - mean)
    people = int(np.count_nonzero(np.bincount(clusters)))
    correction = people / (people - 1) if people > 1 else 1.0
    return mean, float(np.sqrt(correction * np.square(sums).sum()) / count)


def ratio_figure(name: str, parts: Floats, wholes: Floats, meaning: str) -> Figure:
    """The share of all ``parts`` in all ``wholes``, one of each per group of people.

    What one group holds is not independent, so the interval is that of a ratio over groups.
    """
    total = float(wholes.sum())
    share = float(parts.sum()) / total if total else 0.0
    groups = int(np.count_nonzero(wholes))
    correction = groups / (groups - 1) if groups > 1 else 1.0
    spread = float(np.square(parts - share * wholes).sum())
    half = Z95 * np.sqrt(correction * spread) / total if total else 0.0
    low, high = max(0.0, share - half), min(1.0, share + half)
    return Figure(name, share, min(share, low), max(share, high), "share", meaning)


def safe_ratio_figure(name: str, parts: Floats, wholes: Floats, meaning: str) -> Figure:
    """The same, no narrower than if all were independent: a few that all fail prove little."""
    figure = ratio_figure(name, parts, wholes, meaning)
    low, high = wilson(float(parts.sum()), int(wholes.sum()))
    return replace(
        figure, low=min(low, figure.low or 0.0), high=max(high, figure.high or figure.value)
    )
