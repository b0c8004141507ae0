"""Kernels of the bias baseline: damped means of users and items, and what is left over."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Floats, Offsets, Values
from recloak.core.kernels import kernel


@kernel
def fit_item_bias(
    offsets: Offsets,
    items: Codes,
    values: Values,
    mean: float,
    user_bias: Floats,
    n_items: int,
    damping: float,
) -> Floats:
    """How far each item lies above ``mean`` + ``user_bias``; 0 for an item without ratings.

    ``damping`` counts as that many more ratings without any distance.
    """
    totals = np.zeros(n_items, np.float64)
    counts = np.zeros(n_items, np.int64)
    for user in range(len(offsets) - 1):
        expected = mean + user_bias[user]
        for at in range(offsets[user], offsets[user + 1]):
            totals[items[at]] += values[at] - expected
            counts[items[at]] += 1
    for item in range(n_items):
        if counts[item] > 0:
            totals[item] /= counts[item] + damping
    return totals


@kernel
def fit_user_bias(
    offsets: Offsets,
    items: Codes,
    values: Values,
    mean: float,
    item_bias: Floats,
    damping: float,
) -> Floats:
    """How far each user rates above ``mean`` + ``item_bias``, damped alike."""
    biases = np.zeros(len(offsets) - 1, np.float64)
    for user in range(len(offsets) - 1):
        count = offsets[user + 1] - offsets[user]
        for at in range(offsets[user], offsets[user + 1]):
            biases[user] += values[at] - mean - item_bias[items[at]]
        if count > 0:
            biases[user] /= count + damping
    return biases


@kernel
def residuals_of(
    offsets: Offsets,
    items: Codes,
    values: Values,
    mean: float,
    user_bias: Floats,
    item_bias: Floats,
) -> Values:
    """What the baseline leaves unexplained of each rating."""
    left = np.empty(len(items), np.float32)
    for user in range(len(offsets) - 1):
        for at in range(offsets[user], offsets[user + 1]):
            left[at] = values[at] - mean - user_bias[user] - item_bias[items[at]]
    return left
