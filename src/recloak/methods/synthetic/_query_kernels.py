"""Kernels of queries: what each person adds to a sum, in whole grid steps.

Every part is cut off towards zero, so that a person's vector gets shorter by it and never longer.
That must hold whatever the answers before were: where numbers overflow, a person adds nothing.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import Codes, Floats, Indices, Integers, Offsets, Values
from recloak.core.kernels import inner_kernel, kernel
from recloak.methods.synthetic._exact_sums import rounded
from recloak.methods.synthetic._taste_kernels import posterior

FULL = 2.0**32  # steps in 1
HALF = 2.0**16  # steps in 1 of each factor of a product
SAFE = 1.0 - 2.0**-30  # rounding errors of a norm stay below what this leaves
SHORTEST = 1e-100  # of a vector whose length can be computed


class PeopleRows(NamedTuple):
    """The people from ``start`` to ``end``, and what all rate: ``items[offsets[p]:…]``."""

    start: int
    end: int
    offsets: Offsets
    items: Codes
    values: Values


@inner_kernel
def residuals_of(
    items: Codes, values: Values, scale: tuple[float, float], effects: Floats, rest: Floats
) -> float:
    """Fill ``rest`` with values less item effects, in half scales; returns their mean.

    ``scale`` is the middle and the half of the scale.
    """
    middle, half = scale
    total = 0.0
    for at in range(len(items)):
        rest[at] = (values[at] - middle) / half - effects[items[at]]
        total += rest[at]
    return total / max(len(items), 1)


@kernel
def item_sums(
    people: PeopleRows,
    scale: tuple[float, float],
    effects: Floats,
    weights: Floats,
    lift: float,
    sums: Integers,
) -> None:
    """Add (weight, weight · lift · residual) over each person's items, scaled to norm 1."""
    for person in range(people.start, people.end):
        first, last = people.offsets[person], people.offsets[person + 1]
        row = people.items[first:last]
        rest = np.zeros(len(row))
        if lift > 0.0:
            mean = residuals_of(row, people.values[first:last], scale, effects, rest)
            rest -= mean
        norm = 0.0
        for at in range(len(row)):
            norm += weights[row[at]] ** 2 * (1.0 + (lift * rest[at]) ** 2)
        if not norm < np.inf:
            continue
        size = FULL * SAFE / math.sqrt(max(norm, 1e-300))
        for at in range(len(row)):
            part = size * weights[row[at]]
            sums[0, row[at]] += np.int64(part)
            sums[1, row[at]] += np.int64(part * lift * rest[at])


@kernel
def level_sums(
    people: PeopleRows,
    scale: tuple[float, float],
    effects: Floats,
) -> Any:
    """The sum of people's means over item effects, each clipped to ± 1."""
    total = np.int64(0)
    for person in range(people.start, people.end):
        first, last = people.offsets[person], people.offsets[person + 1]
        rest = np.empty(last - first)
        own = slice(first, last)
        mean = residuals_of(people.items[own], people.values[own], scale, effects, rest)
        if not math.isnan(mean):
            total += np.int64(min(max(mean, -1.0), 1.0) * FULL)
    return total


@kernel
def spread_sums(
    people: PeopleRows,
    scale: tuple[float, float],
    effects: Floats,
    level: float,
    sums: Integers,
) -> None:
    """Squares of people's own offsets, and their mean squared residuals, each at most 1."""
    for person in range(people.start, people.end):
        first, last = people.offsets[person], people.offsets[person + 1]
        rest = np.empty(last - first)
        own = slice(first, last)
        mean = residuals_of(people.items[own], people.values[own], scale, effects, rest)
        squared = 0.0
        for at in range(len(rest)):
            squared += (rest[at] - mean) ** 2
        squared /= max(len(rest), 1)
        if last > first and not math.isnan((mean - level) ** 2 + squared):
            sums[0] += np.int64(min((mean - level) ** 2, 1.0) * FULL)
            sums[1] += np.int64(min(squared, 1.0) * FULL)


@inner_kernel
def _make_unit(vector: Floats) -> None:
    """Scale a vector to length 1, and cut its entries to whole steps; nothing stays nothing.

    A row that is shorter than it may be would be drowned by noise that is made for the longest.
    """
    norm = math.sqrt((vector * vector).sum())
    if not SHORTEST < norm < np.inf:
        vector[:] = 0.0
        return
    size = HALF * SAFE / norm
    for at in range(len(vector)):
        vector[at] = np.trunc(vector[at] * size)


@kernel
def support_rows(
    people: PeopleRows,
    place: Indices,
    share: Floats,
    rows: Floats,
) -> None:
    """What each person rates of the head beyond its fame, as rows of length 1.

    ``place`` is where an item stands in the head, -1 for the others; ``share`` is that of each
    item of the head among all ratings of the head.
    """
    offsets, items = people.offsets, people.items
    for person in range(people.start, people.end):
        row = rows[person - people.start]
        row[:] = 0.0
        held = 0
        for at in range(offsets[person], offsets[person + 1]):
            if place[items[at]] >= 0:
                row[place[items[at]]] += 1.0
                held += 1
        row -= held * share
        _make_unit(row)


@kernel
def support_step_sums(
    people: PeopleRows,
    place: Indices,
    directions: Floats,
    average: Floats,
    sums: Integers,
) -> None:
    """Add a row of length 1 over each person's items outside of the head times where they stand.

    Where they stand is the projection of what they rate of the head, scaled to length 1;
    ``directions`` has a row for each item of the head, ``average`` is their mean by fame.
    """
    rank = directions.shape[1]
    stand = np.empty(rank)
    for person in range(people.start, people.end):
        row = people.items[people.offsets[person] : people.offsets[person + 1]]
        stand[:] = 0.0
        held = 0
        for at in range(len(row)):
            if place[row[at]] >= 0:
                stand += directions[place[row[at]]]
                held += 1
        stand -= held * average
        _make_unit(stand)
        part = np.trunc(HALF * SAFE / math.sqrt(max(len(row) - held, 1)))
        for at in range(len(row)):
            if place[row[at]] < 0:
                for trait in range(rank):
                    sums[row[at], trait] += np.int64(part * stand[trait])


@inner_kernel
def _taste_residuals(
    items: Codes,
    values: Values,
    scale: tuple[float, float],
    effects: Floats,
    spread: tuple[float, float],
    rest: Floats,
) -> None:
    """Residuals after item effects (with the level) and the person's own, shrunken offset.

    ``spread`` are the variances of offsets and of residuals.
    """
    mean = residuals_of(items, values, scale, effects, rest)
    known = spread[0] / (spread[0] + spread[1] / max(len(items), 1))
    rest -= known * mean


@kernel
def taste_rows(
    people: PeopleRows,
    scale: tuple[float, float],
    effects: Floats,
    spread: tuple[float, float],
    place: Indices,
    rows: Floats,
) -> None:
    """What each person likes of the head: their residuals, as rows of length 1."""
    for person in range(people.start, people.end):
        first, last = people.offsets[person], people.offsets[person + 1]
        rest = np.empty(last - first)
        own = people.items[first:last]
        _taste_residuals(own, people.values[first:last], scale, effects, spread, rest)
        row = rows[person - people.start]
        row[:] = 0.0
        for at in range(len(own)):
            if place[own[at]] >= 0:
                row[place[own[at]]] = rest[at]
        _make_unit(row)


@kernel
def taste_step_sums(
    people: PeopleRows,
    scale: tuple[float, float],
    effects: Floats,
    spread: tuple[float, float],
    place: Indices,
    likes: Floats,
    sums: Integers,
) -> None:
    """Add the residuals outside of the head times the taste that those inside tell, each of
    length 1; ``likes`` are 0 outside of the head.
    """
    rank = likes.shape[1]
    precision = np.empty((rank, rank))
    taste = np.empty(rank)
    for person in range(people.start, people.end):
        first, last = people.offsets[person], people.offsets[person + 1]
        own = people.items[first:last]
        rest = np.empty(last - first)
        _taste_residuals(own, people.values[first:last], scale, effects, spread, rest)
        posterior(own, rest, likes, spread[1], precision, taste)
        _make_unit(taste)
        for at in range(len(own)):
            if place[own[at]] >= 0:
                rest[at] = 0.0
        _make_unit(rest)
        for at in range(len(own)):
            if place[own[at]] < 0:
                for trait in range(rank):
                    sums[own[at], trait] += np.int64(rest[at] * taste[trait])


@kernel
def support_products(
    people: PeopleRows,
    directions: Floats,
    average: Floats,
    rounding: float,
    sums: Floats,
) -> None:
    """For each item the projections of the people who rate it: exact, for no noise.

    A person stands at (Σ directions of their items − degree · average) / √degree, over √degree.
    """
    rank = directions.shape[1]
    projection = np.empty(rank)
    for person in range(people.start, people.end):
        row = people.items[people.offsets[person] : people.offsets[person + 1]]
        root = math.sqrt(max(len(row), 1))
        projection[:] = 0.0
        for at in range(len(row)):
            for trait in range(rank):
                projection[trait] += directions[row[at], trait]
        for trait in range(rank):
            mean = (projection[trait] / root - average[trait] * root) / root
            projection[trait] = rounded(mean, rounding)
        for at in range(len(row)):
            for trait in range(rank):
                sums[row[at], trait] += projection[trait]


@kernel
def weighted_counts(people: PeopleRows, rounding: float, sums: NDArray[np.float64]) -> None:
    """For each item: how many rated it, the sum of 1/√degree, and of 1/degree."""
    offsets, items = people.offsets, people.items
    for person in range(people.start, people.end):
        degree = max(offsets[person + 1] - offsets[person], 1)
        root, inverse = rounded(1.0 / math.sqrt(degree), rounding), rounded(1.0 / degree, rounding)
        for at in range(offsets[person], offsets[person + 1]):
            sums[0, items[at]] += 1.0
            sums[1, items[at]] += root
            sums[2, items[at]] += inverse
