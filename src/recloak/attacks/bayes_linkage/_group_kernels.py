"""Kernels of the Bayesian adversary for groups: how ratings of members make a mean."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Floats, Integers
from recloak.core.kernels import kernel


class SumsOfRatings(NamedTuple):
    """How several ratings add up, if each is given as often as by anyone.

    ``below[c, x]`` is the chance that c ratings add up to less than ``x`` steps above c times the
    ``low`` end of the scale.
    """

    below: Floats
    low: float
    step: float
    continuous: bool


@kernel
def mean_of_raters(
    means: Floats,
    sizes: Integers,
    chances: Floats,
    value: float,
    floor: int,
    half_grid: float,
    sums: SumsOfRatings,
    at_large: Floats,
    near: Floats,
) -> Floats:
    """The chance that a member rated an item and gave ``value``, where a profile lists the mean.

    Each of a group's members rated the item with one of the ``chances``. If ``floor`` of them did,
    the profile lists the mean of their ratings, rounded to a grid of two ``half_grid``; else it
    lists what members would give, as a share ``at_large`` of profiles does, and the value is
    ``near`` times as likely as it is in general. How often the value is given by anyone is left
    out. A ``value`` that is not a number stands for any.
    """
    found = np.empty(len(means), np.float64)
    for at in range(len(means)):
        size, mean, chance = sizes[at], means[at], chances[at]
        theirs, anyone = 0.0, 0.0
        ways = (1 - chance) ** size
        for raters in range(1, size + 1):
            ways *= (size - raters + 1) / raters * chance / (1 - chance)
            fits, with_value = at_large[at], at_large[at] * near[at]
            if raters >= floor:
                slack = raters * half_grid
                fits = adding_up(sums, raters, raters * mean, slack)
                with_value = _rest_adding_up(sums, raters, raters * mean, slack, value, fits)
            anyone += ways * fits
            theirs += ways * raters / size * with_value
        found[at] = theirs / anyone if anyone > 0 else 0.0
    return found


@kernel
def mean_of_all(
    means: Floats,
    sizes: Integers,
    chances: Floats,
    value: float,
    bases: Floats,
    half_grid: float,
    sums: SumsOfRatings,
    floor: int,
    listed: bool,
) -> Floats:
    """The same where a profile is the mean over all, one of ``bases`` for members who did not rate.

    What is not ``listed`` is rounded to that, or fewer than ``floor`` members rated it.
    """
    found = np.empty(len(means), np.float64)
    for at in range(len(means)):
        size, mean, chance, base = sizes[at], means[at], chances[at], bases[at]
        theirs, anyone = 0.0, 0.0
        slack = size * half_grid
        ways = (1 - chance) ** size
        for raters in range(size + 1):
            total = size * mean - (size - raters) * base  # of the ratings that were given
            if raters < floor:
                fits = with_value = 0.0 if listed else 1.0
            else:
                fits = with_value = adding_up(sums, raters, total, slack)
                if raters > 0:
                    with_value = _rest_adding_up(sums, raters, total, slack, value, fits)
            anyone += ways * fits
            theirs += ways * raters / size * with_value
            ways *= (size - raters) / (raters + 1) * chance / (1 - chance)
        found[at] = theirs / anyone if anyone > 0 else 0.0
    return found


@kernel
def _rest_adding_up(
    sums: SumsOfRatings, raters: int, total: float, slack: float, value: float, fits: float
) -> float:
    """The chance of a total if one of the raters gave ``value``; ``fits`` if any value will do."""
    if np.isnan(value):
        return fits
    return adding_up(sums, raters - 1, total - value, slack)


@kernel
def adding_up(sums: SumsOfRatings, count: int, total: float, slack: float) -> float:
    """The chance that ``count`` ratings add up to ``total``, or to within ``slack`` of it."""
    least = (total - slack - count * sums.low) / sums.step
    most = (total + slack - count * sums.low) / sums.step
    if count == 0:
        return 1.0 if least <= 1e-3 and most >= -1e-3 else 0.0
    if sums.continuous:
        return _interpolated(sums.below[count], most + 0.01) - _interpolated(
            sums.below[count], least - 0.01
        )
    width = sums.below.shape[1] - 1
    first = min(max(int(np.ceil(least - 1e-3)), 0), width)
    last = min(max(int(np.floor(most + 1e-3)) + 1, 0), width)
    return float(max(sums.below[count, last] - sums.below[count, first], 0.0))


@kernel
def _interpolated(below: Floats, place: float) -> float:
    """The chance of less than a place between two steps."""
    place = min(max(place, 0.0), len(below) - 1.0)
    at = min(int(place), len(below) - 2)
    return float(below[at] + (place - at) * (below[at + 1] - below[at]))
