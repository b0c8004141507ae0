"""Kernels of queries: what each person adds to a sum, in whole grid steps.

Every part is cut off towards zero, so that a person's vector gets shorter by it and never longer.
That must hold whatever the answers before were: where numbers overflow, a person adds nothing.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import Codes, Floats, Indices, Integers, Offsets, Values
from recloak.core.kernels import inner_kernel, kernel
from recloak.methods.synthetic._taste_kernels import posterior

FULL = 2.0**32  # steps in 1
HALF = 2.0**16  # steps in 1 of each factor of a product
SAFE = 1.0 - 2.0**-30  # rounding errors of a norm stay below what this leaves


@inner_kernel
def residuals_of(
    items: Codes, values: Values, middle: float, half: float, effects: Floats, rest: Floats
) -> float:
    """Fill ``rest`` with values less item effects, in half scales; returns their mean."""
    total = 0.0
    for at in range(len(items)):
        rest[at] = (values[at] - middle) / half - effects[items[at]]
        total += rest[at]
    return total / max(len(items), 1)


@kernel
def item_sums(
    start: int,
    end: int,
    offsets: Offsets,
    items: Codes,
    values: Values,
    scale: tuple[float, float],
    effects: Floats,
    weights: Floats,
    lift: float,
    sums: Integers,
) -> None:
    """Add (weight, weight · lift · residual) over each person's items, scaled to norm 1."""
    for person in range(start, end):
        first, last = offsets[person], offsets[person + 1]
        row = items[first:last]
        rest = np.zeros(len(row))
        if lift > 0.0:
            mean = residuals_of(row, values[first:last], scale[0], scale[1], effects, rest)
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
    start: int,
    end: int,
    offsets: Offsets,
    items: Codes,
    values: Values,
    scale: tuple[float, float],
    effects: Floats,
) -> Any:
    """The sum of people's means over item effects, each clipped to ± 1."""
    total = np.int64(0)
    for person in range(start, end):
        first, last = offsets[person], offsets[person + 1]
        rest = np.empty(last - first)
        mean = residuals_of(
            items[first:last], values[first:last], scale[0], scale[1], effects, rest
        )
        if not math.isnan(mean):
            total += np.int64(min(max(mean, -1.0), 1.0) * FULL)
    return total


@kernel
def spread_sums(
    start: int,
    end: int,
    offsets: Offsets,
    items: Codes,
    values: Values,
    scale: tuple[float, float],
    effects: Floats,
    level: float,
    sums: Integers,
) -> None:
    """Squares of people's own offsets, and their mean squared residuals, each at most 1."""
    for person in range(start, end):
        first, last = offsets[person], offsets[person + 1]
        rest = np.empty(last - first)
        mean = residuals_of(
            items[first:last], values[first:last], scale[0], scale[1], effects, rest
        )
        squared = 0.0
        for at in range(len(rest)):
            squared += (rest[at] - mean) ** 2
        squared /= max(len(rest), 1)
        if last > first and not math.isnan((mean - level) ** 2 + squared):
            sums[0] += np.int64(min((mean - level) ** 2, 1.0) * FULL)
            sums[1] += np.int64(min(squared, 1.0) * FULL)


@inner_kernel
def _cut_vector(vector: Floats, bound: float) -> None:
    """Scale a vector to ``bound`` if it is longer, and cut its entries to whole steps."""
    norm = math.sqrt((vector * vector).sum())
    if not norm < np.inf:
        vector[:] = 0.0
        return
    size = HALF * SAFE * min(1.0, bound / max(norm, 1e-300))
    for at in range(len(vector)):
        vector[at] = np.trunc(vector[at] * size)


@kernel
def support_rows(
    start: int,
    end: int,
    offsets: Offsets,
    items: Codes,
    place: Indices,
    share: Floats,
    rows: Floats,
) -> None:
    """What each person rates of the head beyond its fame: (x − degree · share) / √degree.

    ``place`` is where an item stands in the head, -1 for the others; ``share`` is that of each
    item of the head among all ratings.
    """
    for person in range(start, end):
        first, last = offsets[person], offsets[person + 1]
        row = rows[person - start]
        degree = last - first
        root = math.sqrt(max(degree, 1))
        for at in range(len(row)):
            row[at] = -share[at] * degree / root
        for at in range(first, last):
            if place[items[at]] >= 0:
                row[place[items[at]]] += 1.0 / root
        _cut_vector(row, 1.0)


@inner_kernel
def _projection(
    items: Codes, directions: Floats, average: Floats, bound: float, cut: Floats
) -> None:
    """(Σ directions of the items − degree · average) / √degree, no longer than ``bound``."""
    degree = len(items)
    root = math.sqrt(max(degree, 1))
    for at in range(len(cut)):
        cut[at] = -average[at] * degree / root
    for at in range(degree):
        cut += directions[items[at]] / root
    _cut_vector(cut, bound)


@kernel
def support_step_sums(
    start: int,
    end: int,
    offsets: Offsets,
    items: Codes,
    directions: Floats,
    average: Floats,
    bound: float,
    sums: Integers,
) -> None:
    """Add 1/√degree times the person's clipped projection, for each of their items."""
    rank = directions.shape[1]
    cut = np.empty(rank)
    for person in range(start, end):
        row = items[offsets[person] : offsets[person + 1]]
        _projection(row, directions, average, bound, cut)
        part = np.trunc(HALF * SAFE / math.sqrt(max(len(row), 1)))
        for at in range(len(row)):
            for trait in range(rank):
                sums[row[at], trait] += np.int64(part * cut[trait])


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
    mean = residuals_of(items, values, scale[0], scale[1], effects, rest)
    known = spread[0] / (spread[0] + spread[1] / max(len(items), 1))
    rest -= known * mean


@kernel
def taste_rows(
    start: int,
    end: int,
    offsets: Offsets,
    items: Codes,
    values: Values,
    scale: tuple[float, float],
    effects: Floats,
    spread: tuple[float, float],
    place: Indices,
    rows: Floats,
) -> None:
    """What each person likes of the head: residual / √(residual variance · degree)."""
    for person in range(start, end):
        first, last = offsets[person], offsets[person + 1]
        rest = np.empty(last - first)
        own = items[first:last]
        _taste_residuals(own, values[first:last], scale, effects, spread, rest)
        row = rows[person - start]
        row[:] = 0.0
        size = 1.0 / math.sqrt(spread[1] * max(last - first, 1))
        for at in range(len(own)):
            if place[own[at]] >= 0:
                row[place[own[at]]] = rest[at] * size
        _cut_vector(row, 1.0)


@kernel
def taste_step_sums(
    start: int,
    end: int,
    offsets: Offsets,
    items: Codes,
    values: Values,
    scale: tuple[float, float],
    effects: Floats,
    spread: tuple[float, float],
    likes: Floats,
    sums: Integers,
) -> None:
    """Add residual times taste for each item: residuals of norm ≤ 1, tastes of norm ≤ √rank."""
    rank = likes.shape[1]
    precision = np.empty((rank, rank))
    taste = np.empty(rank)
    for person in range(start, end):
        first, last = offsets[person], offsets[person + 1]
        own = items[first:last]
        rest = np.empty(last - first)
        _taste_residuals(own, values[first:last], scale, effects, spread, rest)
        posterior(own, rest, likes, spread[1], precision, taste)
        _cut_vector(taste, math.sqrt(rank))
        rest *= 1.0 / math.sqrt(spread[1] * max(last - first, 1))
        _cut_vector(rest, 1.0)
        for at in range(len(own)):
            for trait in range(rank):
                sums[own[at], trait] += np.int64(rest[at] * taste[trait])


@kernel
def support_products(
    start: int,
    end: int,
    offsets: Offsets,
    items: Codes,
    directions: Floats,
    average: Floats,
    sums: Floats,
) -> None:
    """The same as `support_step_sums` without clipping or cutting: exact, for no noise."""
    rank = directions.shape[1]
    projection = np.empty(rank)
    for person in range(start, end):
        row = items[offsets[person] : offsets[person + 1]]
        root = math.sqrt(max(len(row), 1))
        for trait in range(rank):
            projection[trait] = -average[trait] * root
        for at in range(len(row)):
            for trait in range(rank):
                projection[trait] += directions[row[at], trait] / root
        for at in range(len(row)):
            for trait in range(rank):
                sums[row[at], trait] += projection[trait] / root


@kernel
def weighted_counts(
    start: int, end: int, offsets: Offsets, items: Codes, sums: NDArray[np.float64]
) -> None:
    """For each item: how many rated it, the sum of 1/√degree, and of 1/degree."""
    for person in range(start, end):
        degree = offsets[person + 1] - offsets[person]
        for at in range(offsets[person], offsets[person + 1]):
            sums[0, items[at]] += 1.0
            sums[1, items[at]] += 1.0 / math.sqrt(degree)
            sums[2, items[at]] += 1.0 / degree
