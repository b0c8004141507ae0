"""Kernels of the Bayesian adversary."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Bytes, Codes, Floats, Integers, Mask, Offsets
from recloak.core.kernels import kernel
from recloak.core.kernels.layout import put


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
def log_absent_below(offsets: Offsets, ranks: Codes, sums: Floats, limit: int) -> Floats:
    """For each row the sum of the logarithms of its cells whose rank is below ``limit``.

    ``ranks`` ascend within a row; ``sums`` are the running sums of all cells, from 0.
    """
    total = np.empty(len(offsets) - 1, np.float64)
    for row in range(len(total)):
        low, high = offsets[row], offsets[row + 1]
        start = low
        while low < high:
            middle = (low + high) // 2
            if ranks[middle] < limit:
                low = middle + 1
            else:
                high = middle
        total[row] = sums[low] - sums[start]
    return total


@kernel
def holding_all(item_offsets: Offsets, users: Codes, items: Codes) -> Integers:
    """The rows that hold all of some items: a row of the result for each item, in their order.

    It has the places of these rows among the holders of the item; ``users`` ascend within an item.
    """
    rarest = 0
    for place in range(1, len(items)):
        size = item_offsets[items[place] + 1] - item_offsets[items[place]]
        if size < item_offsets[items[rarest] + 1] - item_offsets[items[rarest]]:
            rarest = place
    first, last = item_offsets[items[rarest]], item_offsets[items[rarest] + 1]
    cells = np.empty((len(items), last - first), np.int64)
    found = 0
    for at in range(first, last):
        everywhere = True
        for place in range(len(items)):
            low, end = item_offsets[items[place]], item_offsets[items[place] + 1]
            high = end
            while low < high:
                middle = (low + high) // 2
                if users[middle] < users[at]:
                    low = middle + 1
                else:
                    high = middle
            if low == end or users[low] != users[at]:
                everywhere = False
                break
            cells[place, found] = low
        if everywhere:
            found += 1
    return cells[:, :found].copy()


@kernel
def count_rarer(offsets: Offsets, items: Codes, ranks: Codes, rows: Codes, limit: int) -> Integers:
    """For each of ``rows`` how many of its items have a rank below ``limit``."""
    counts = np.zeros(len(rows), np.int64)
    for place in range(len(rows)):
        for at in range(offsets[rows[place]], offsets[rows[place] + 1]):
            if ranks[items[at]] < limit:
                counts[place] += 1
    return counts


@kernel
def shares_by_row(
    offsets: Offsets, codes: Codes, masses: Floats, shares: Floats, weight: float, rounds: int
) -> Floats:
    """How often each row's person gives each true value, from the published ones, by EM.

    ``masses[c, v]`` is the chance of the published value with code c if the true one is the v-th;
    people in general give the v-th with ``shares[v]``, which counts as so many ratings as
    ``weight`` says.
    """
    levels = len(shares)
    found = np.empty((len(offsets) - 1, levels), np.float64)
    sums = np.empty(levels, np.float64)
    for row in range(len(offsets) - 1):
        start, end = offsets[row], offsets[row + 1]
        put(shares, found[row])
        for _ in range(rounds):
            put(weight * shares, sums)
            for at in range(start, end):
                total = 1e-300
                for level in range(levels):
                    total += found[row, level] * masses[codes[at], level]
                for level in range(levels):
                    sums[level] += found[row, level] * masses[codes[at], level] / total
            put(sums / (weight + end - start), found[row])
    return found


@kernel
def mark_overlapping(
    offsets: Offsets, items: Codes, item_offsets: Offsets, users: Codes, apart: Bytes
) -> None:
    """Set ``apart`` to 0 for every two rows that have an item in common, a row itself included."""
    for row in range(len(offsets) - 1):
        for at in range(offsets[row], offsets[row + 1]):
            item = items[at]
            for holder in users[item_offsets[item] : item_offsets[item + 1]]:
                apart[row, holder] = 0


@kernel
def sum_of_rows(table: Bytes, rows: Codes, amounts: Floats) -> Floats:
    """The sum of some rows of a table, each as often as its amount says."""
    total = np.zeros(table.shape[1], np.float64)
    for place in range(len(rows)):
        row, amount = table[rows[place]], amounts[place]
        for at in range(len(row)):
            total[at] += amount * row[at]
    return total


@kernel
def mean_of_raters(
    means: Floats,
    sizes: Integers,
    chance: float,
    value: float,
    floor: int,
    half_grid: float,
    sums: SumsOfRatings,
    at_large: Floats,
    near: Floats,
) -> Floats:
    """The chance that a member rated an item and gave ``value``, where a profile lists the mean.

    Each of a group's members rated the item with ``chance``. If ``floor`` of them did, the profile
    lists the mean of their ratings, rounded to a grid of two ``half_grid``; else it lists what
    members would give, as a share ``at_large`` of profiles does, and the value is ``near`` times as
    likely as it is in general. How often the value is given by anyone is left out. A ``value``
    that is not a number stands for any.
    """
    found = np.empty(len(means), np.float64)
    for at in range(len(means)):
        size, mean = sizes[at], means[at]
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
    chance: float,
    value: float,
    base: float,
    half_grid: float,
    sums: SumsOfRatings,
    floor: int,
    listed: Mask,
) -> Floats:
    """The same where a profile is the mean over all, ``base`` for members who did not rate.

    What is not ``listed`` is rounded to ``base``, or fewer than ``floor`` members rated it.
    """
    found = np.empty(len(means), np.float64)
    for at in range(len(means)):
        size, mean = sizes[at], means[at]
        theirs, anyone = 0.0, 0.0
        slack = size * half_grid
        ways = (1 - chance) ** size
        for raters in range(size + 1):
            total = size * mean - (size - raters) * base  # of the ratings that were given
            if raters < floor:
                fits = with_value = 0.0 if listed[at] else 1.0
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
