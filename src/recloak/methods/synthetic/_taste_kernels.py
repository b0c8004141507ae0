"""Kernels of what people like: the tastes of a person, and what they add up to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Codes, Floats, Offsets, Values
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.kernels.layout import put
from recloak.methods._linear_kernels import cholesky, solve
from recloak.methods.synthetic._exact_sums import rounded

MOST_TASTE = 16.0  # in deviations of people's tastes
MOST_ERROR = 16.0  # the square of an error of four half scales


class MomentRounding(NamedTuple):
    """How products, squares and errors are rounded, for sums that are exact."""

    products: float
    squares: float
    errors: float


@inner_kernel
def posterior(
    items: Codes, residuals: Floats, likes: Floats, variance: float, precision: Floats, mean: Floats
) -> None:
    """The mean of a person's tastes given residuals = likes · taste + noise; taste ~ N(0, 1).

    ``precision`` is left with the Cholesky factor of the inverse covariance (lower triangle).
    """
    rank = likes.shape[1]
    for row in range(rank):
        mean[row] = 0.0
        for column in range(row + 1):
            precision[row, column] = 1.0 if row == column else 0.0
    for at in range(len(items)):
        like = likes[items[at]]
        for row in range(rank):
            mean[row] += like[row] * residuals[at] / variance
            scaled = like[row] / variance
            for column in range(row + 1):
                precision[row, column] += scaled * like[column]
    cholesky(precision)
    solve(precision, mean)


@inner_kernel
def _covariance(factor: Floats, covariance: Floats) -> None:
    """The inverse of the matrix of which the Cholesky factor is given."""
    rank = len(factor)
    for column in range(rank):
        unit = covariance[column]
        unit[:] = 0.0
        unit[column] = 1.0
        solve(factor, unit)


@inner_kernel
def _keep_within(vector: Floats, most: float) -> None:
    for at in range(len(vector)):
        vector[at] = min(max(vector[at], -most), most)


@inner_kernel
def _add(addend: Floats, total: Floats) -> None:
    for at in range(len(total)):
        total[at] += addend[at]


@kernel
def taste_moments(
    start: int,
    end: int,
    offsets: Offsets,
    items: Codes,
    values: Values,
    centre: Floats,
    likes: Floats,
    variance: float,
    rounding: MomentRounding,
    products: Floats,
    squares: Floats,
) -> float:
    """Add up, for each item, residuals times (1, tastes), and (1, tastes) times itself.

    The first taste is the person's generosity: of every item ``likes`` has it first, as the
    deviation of generosity. ``products[j]`` is Σ (value − centre) · (1, taste), ``squares[j]`` the
    lower triangle of Σ (1, taste) · (1, taste)ᵀ with the covariance of what is not known of the
    tastes. Returns the sum of squared residuals that are expected. What nobody has, a taste of more
    than `MOST_TASTE` or a squared error above `MOST_ERROR`, counts as so much.
    """
    rank = likes.shape[1]
    precision = np.empty((rank, rank))
    spread = np.empty((rank + 1) * (rank + 2) // 2)
    covariance = np.empty((rank, rank))
    mean = np.empty(rank)
    taste = np.ones(rank + 1)
    squared = 0.0
    for person in range(start, end):
        first, last = offsets[person], offsets[person + 1]
        row = items[first:last]
        residuals = values[first:last] - centre[row]
        posterior(row, residuals, likes, variance, precision, mean)
        _covariance(precision, covariance)
        _keep_within(mean, MOST_TASTE)
        put(mean, taste[1:])
        place = 0
        for one in range(rank + 1):
            for other in range(one + 1):
                unsure = covariance[one - 1, other - 1] if other > 0 else 0.0
                spread[place] = rounded(taste[one] * taste[other] + unsure, rounding.squares)
                place += 1
        error = 0.0
        for at in range(len(row)):
            item = row[at]
            explained = 0.0
            for one in range(rank + 1):
                products[item, one] += rounded(residuals[at] * taste[one], rounding.products)
            _add(spread, squares[item])
            for one in range(rank):
                explained += likes[item, one] * mean[one]
            error += min((residuals[at] - explained) ** 2, MOST_ERROR)
        # Σ like · covariance · like, since the precision is 1 + Σ like · like / variance
        for one in range(rank):
            error += variance * (1.0 - covariance[one, one])
        squared += rounded(error, rounding.errors)
    return squared


@kernel
def tastes_of(
    offsets: Offsets,
    items: Codes,
    residuals: Floats,
    likes: Floats,
    variance: float,
    tastes: Floats,
) -> None:
    """The mean of each person's tastes, given their residuals."""
    precision = np.empty((likes.shape[1], likes.shape[1]))
    for person in range(len(offsets) - 1):
        first, last = offsets[person], offsets[person + 1]
        own, rest = items[first:last], residuals[first:last]
        posterior(own, rest, likes, variance, precision, tastes[person])
