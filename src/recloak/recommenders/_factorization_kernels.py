"""Kernels of the biased factorisation: one pass of stochastic gradient descent, and prediction."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import (
    Codes,
    Floats,
    Indices,
    Offsets,
    Values,
)
from recloak.core.kernels import kernel
from recloak.core.kernels.layout import put

LANES = 8
FARTHEST = np.float32(4)


@kernel
def dot(left: Values, right: Values, lanes: Values) -> np.float32:
    """The sum of products of two vectors whose length is a multiple of the eight ``lanes``.

    Eight sums run side by side, so that the compiler can use vector instructions and still add
    in one fixed order: the result is the same on every machine, which fast maths would not give.
    """
    for lane in range(LANES):
        lanes[lane] = left[lane] * right[lane]
    for start in range(LANES, len(left), LANES):
        for lane in range(LANES):
            lanes[lane] += left[start + lane] * right[start + lane]
    total = np.float32(0)
    for lane in range(LANES):
        total += lanes[lane]
    return total


@kernel
def descend(
    order: Indices,
    offsets: Offsets,
    items: Codes,
    targets: Values,
    user_bias: Values,
    item_bias: Values,
    user_factors: Values,
    item_factors: Values,
    rate: np.float32,
    bias_keep: np.float32,
    factor_keep: np.float32,
) -> None:
    """Visit the users in ``order`` and step down the squared error of each of their ratings.

    ``targets`` are ratings in standard deviations from their mean. ``…_keep`` is what one step
    leaves of a parameter: 1 − rate × regularisation. Errors beyond ``FARTHEST`` deviations count
    as that far, or a single freak value would throw the factors out.
    """
    width = user_factors.shape[1]
    mine = np.empty(width, np.float32)  # a user's factors stay in cache for the whole row
    lanes = np.empty(LANES, np.float32)
    for user in order:
        bias = user_bias[user]
        put(user_factors[user], mine)
        for at in range(offsets[user], offsets[user + 1]):
            item = items[at]
            theirs = item_factors[item]
            error = targets[at] - bias - item_bias[item] - dot(mine, theirs, lanes)
            step = rate * min(max(error, -FARTHEST), FARTHEST)
            bias = bias_keep * bias + step
            item_bias[item] = bias_keep * item_bias[item] + step
            for factor in range(width):
                before = mine[factor]
                mine[factor] = factor_keep * before + step * theirs[factor]
                theirs[factor] = factor_keep * theirs[factor] + step * before
        user_bias[user] = bias
        put(mine, user_factors[user])


@kernel
def predict_cells(
    users: Codes,
    items: Codes,
    mean: float,
    user_bias: Values,
    item_bias: Values,
    user_factors: Values,
    item_factors: Values,
) -> Floats:
    """Mean, biases and the product of factors for each cell; a code of -1 adds nothing."""
    predicted = np.full(len(users), mean)
    for cell in range(len(users)):
        user, item = users[cell], items[cell]
        if user >= 0:
            predicted[cell] += user_bias[user]
        if item >= 0:
            predicted[cell] += item_bias[item]
        if user >= 0 and item >= 0:
            for factor in range(user_factors.shape[1]):
                predicted[cell] += user_factors[user, factor] * item_factors[item, factor]
    return predicted
