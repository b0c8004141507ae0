"""Kernels of fold-in: ridge regression of many rows, and how often items are rated together."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Floats, Offsets, Values
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.kernels.layout import put

WIDTH = 16  # an offset and fifteen factors; a constant, so that loops over it are unrolled
AT_ONCE = 256  # ratings whose products are added up by one multiplication


@inner_kernel
def gather(code: int, vectors: Floats, regressors: Floats) -> float:
    """The regressors of one rating: 1 and the other side's factors; returns its offset."""
    for place in range(WIDTH):
        regressors[place] = vectors[code, place]
    offset: float = regressors[0]
    regressors[0] = 1.0
    return offset


@inner_kernel
def factorise(gram: Floats) -> None:
    """The Cholesky factor, in the lower triangle of ``gram``."""
    for row in range(WIDTH):
        for column in range(row + 1):
            rest = gram[row, column]
            for before in range(column):
                rest -= gram[row, before] * gram[column, before]
            gram[row, column] = np.sqrt(rest) if row == column else rest / gram[column, column]


@inner_kernel
def solve_lower(factor: Floats, right: Floats) -> None:
    """Solve factor · x = right in place."""
    for row in range(WIDTH):
        for before in range(row):
            right[row] -= factor[row, before] * right[before]
        right[row] /= factor[row, row]


@inner_kernel
def solve_upper(factor: Floats, right: Floats) -> None:
    """Solve factorᵀ · x = right in place."""
    for row in range(WIDTH - 1, -1, -1):
        for after in range(row + 1, WIDTH):
            right[row] -= factor[after, row] * right[after]
        right[row] /= factor[row, row]


@inner_kernel
def left_out_error(rest: float, factor: Floats, own: Floats, regressors: Floats) -> float:
    """The error of one of the ratings of a regression, had it been left out; spends regressors."""
    for place in range(WIDTH):
        rest -= own[place] * regressors[place]
    solve_lower(factor, regressors)
    leverage = 0.0
    for place in range(WIDTH):
        leverage += regressors[place] * regressors[place]
    return rest / (1.0 - leverage)


@kernel
def ridge_rows(
    start: int,
    end: int,
    offsets: Offsets,
    codes: Codes,
    targets: Values,
    weights: Floats,
    vectors: Floats,
    offset_pull: float,
    factor_pull: float,
    found: Floats,
    errors: Floats,
) -> None:
    """The offset and the factors of each row from ``start`` to ``end``, by ridge regression.

    A rating is the sum of the offsets of both sides and the product of their factors;
    ``vectors`` are those of the other side, by ``codes``, each counted with its weight. Into
    ``found`` go the row's own, into ``errors`` the sum of the squared errors with which each
    rating would be predicted from the row's others; where the latter is empty, none is made.
    """
    gram, own = np.empty((WIDTH, WIDTH)), np.empty(WIDTH)
    regressors, weighted = np.empty((AT_ONCE, WIDTH)), np.empty((AT_ONCE, WIDTH))
    for row in range(start, end):
        gram[:] = 0.0
        own[:] = 0.0
        for first in range(offsets[row], offsets[row + 1], AT_ONCE):
            count = min(AT_ONCE, offsets[row + 1] - first)
            for place in range(count):
                code = codes[first + place]
                weight = weights[code]
                rest = targets[first + place] - gather(code, vectors, regressors[place])
                for column in range(WIDTH):
                    weighted[place, column] = weight * regressors[place, column]
                    own[column] += rest * weighted[place, column]
            gram += np.dot(weighted[:count].T, regressors[:count])
        gram[0, 0] += offset_pull
        for place in range(1, WIDTH):
            gram[place, place] += factor_pull
        factorise(gram)
        solve_lower(gram, own)
        solve_upper(gram, own)
        put(own, found[row])
        if len(errors) > 0:
            errors[row] = 0.0
            for at in range(offsets[row], offsets[row + 1]):
                rest = targets[at] - gather(codes[at], vectors, regressors[0])
                errors[row] += left_out_error(rest, gram, own, regressors[0]) ** 2


@kernel
def count_pairs(
    start: int, end: int, offsets: Offsets, ranks: Codes, weights: Values, together: Values
) -> None:
    """Add up in how many rows each item of rank ``start`` to ``end`` stands with each other one.

    A row counts with its weight; a rank of -1 is an item that does not take part.
    """
    for row in range(len(offsets) - 1):
        weight = weights[row]
        for one in range(offsets[row], offsets[row + 1]):
            if not start <= ranks[one] < end:
                continue
            mine = together[ranks[one]]
            for two in range(offsets[row], offsets[row + 1]):
                if ranks[two] >= 0:
                    mine[ranks[two]] += weight
