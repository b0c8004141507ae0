"""Kernels of the plain factorisation: one pass of stochastic gradient descent, without biases."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import kernel
from recloak.kernels.factorization import LANES, Codes, Matrix, Offsets, Vector, dot


@kernel
def descend_plain(
    order: NDArray[np.int64],
    offsets: Offsets,
    items: Codes,
    targets: Vector,
    user_factors: Matrix,
    item_factors: Matrix,
    rate: np.float32,
    keep: np.float32,
) -> None:
    """Visit the users in ``order`` and step all factors down the squared error of each rating.

    ``keep`` is what one step leaves of a factor: 1 − rate × regularisation.
    """
    width = user_factors.shape[1]
    mine = np.empty(width, np.float32)
    lanes = np.empty(LANES, np.float32)
    for user in order:
        mine[:] = user_factors[user]
        for at in range(offsets[user], offsets[user + 1]):
            theirs = item_factors[items[at]]
            step = rate * (targets[at] - dot(mine, theirs, lanes))
            for factor in range(width):
                before = mine[factor]
                mine[factor] = keep * before + step * theirs[factor]
                theirs[factor] = keep * theirs[factor] + step * before
        user_factors[user] = mine


@kernel
def descend_alone(
    order: NDArray[np.int64],
    offsets: Offsets,
    items: Codes,
    targets: Vector,
    user_factor: Vector,
    item_factor: Vector,
    rate: np.float32,
    keep: np.float32,
) -> None:
    """The same with a single factor, several times faster than one of many."""
    for user in order:
        mine = user_factor[user]
        for at in range(offsets[user], offsets[user + 1]):
            theirs = item_factor[items[at]]
            step = rate * (targets[at] - mine * theirs)
            item_factor[items[at]] = keep * theirs + step * mine
            mine = keep * mine + step * theirs
        user_factor[user] = mine
