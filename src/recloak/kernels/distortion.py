"""Kernels that hold what a release says of people against what they rated, cell by cell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import kernel


@kernel
def squared_errors(
    first: int,
    end: int,
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    values: NDArray[np.float32],
    owned_offsets: NDArray[np.int64],
    owned_rows: NDArray[np.int64],
    row_offsets: NDArray[np.int64],
    row_items: NDArray[np.int32],
    row_values: NDArray[np.float32],
    base: NDArray[np.float64],
) -> tuple[float, float]:
    """Of the people first..end: the squared error over all cells, and over those they rated.

    A cell that one side lacks counts as the item's ``base`` there. If several rows of a person
    hold the same item, the first of them counts.
    """
    truth = np.empty(len(base), np.float64)
    state = np.zeros(len(base), np.int64)  # 2u + 1: rated by u; 2u + 2: also seen in a row of u
    every, known = 0.0, 0.0
    for user in range(first, end):
        _note(user, offsets, items, values, truth, state)
        for at in range(owned_offsets[user], owned_offsets[user + 1]):
            row = owned_rows[at]
            for cell in range(row_offsets[row], row_offsets[row + 1]):
                item, told = row_items[cell], np.float64(row_values[cell])
                if state[item] == 2 * user + 1:
                    known += (told - truth[item]) ** 2
                elif state[item] != 2 * user + 2:
                    every += (told - base[item]) ** 2
                state[item] = 2 * user + 2
        known += _unseen(user, offsets, items, values, base, state)
    return every + known, known


@kernel
def _note(
    user: int,
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    values: NDArray[np.float32],
    truth: NDArray[np.float64],
    state: NDArray[np.int64],
) -> None:
    """Write down what a person rated."""
    for cell in range(offsets[user], offsets[user + 1]):
        truth[items[cell]] = values[cell]
        state[items[cell]] = 2 * user + 1


@kernel
def _unseen(
    user: int,
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    values: NDArray[np.float32],
    base: NDArray[np.float64],
    state: NDArray[np.int64],
) -> float:
    """The squared error over what a person rated and no row of theirs holds."""
    error = 0.0
    for cell in range(offsets[user], offsets[user + 1]):
        if state[items[cell]] == 2 * user + 1:
            error += (np.float64(values[cell]) - base[items[cell]]) ** 2
    return error
