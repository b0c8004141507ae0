"""Kernels of bounded clustering: records go to the nearest centre that has room."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import inner_kernel, kernel

Rows = NDArray[np.float32]


@inner_kernel
def _apart(one: NDArray[np.float32], other: NDArray[np.float32]) -> np.float32:
    total = np.float32(0)
    for axis in range(len(one)):
        gap = one[axis] - other[axis]
        total += gap * gap
    return total


@kernel
def assign_with_room(
    rows: Rows, centres: Rows, near: NDArray[np.int32], most: int, labels: NDArray[np.int64]
) -> None:
    """Put each row, one after the other, to the nearest centre with fewer than ``most``.

    ``near`` lists a few centres for each row, nearest first; where all of these are full, every
    centre is looked at.
    """
    held = np.zeros(len(centres), np.int64)
    for row in range(len(rows)):
        chosen = -1
        for centre in near[row]:
            if held[centre] < most:
                chosen = centre
                break
        if chosen < 0:
            least = np.float32(np.inf)
            for centre in range(len(centres)):
                if held[centre] < most:
                    gap = _apart(rows[row], centres[centre])
                    if gap < least:
                        chosen, least = centre, gap
        labels[row] = chosen
        held[chosen] += 1


@kernel
def distances_between(rows: Rows, centres: Rows) -> NDArray[np.float32]:
    """The squared distance of every row to every centre."""
    found = np.empty((len(rows), len(centres)), np.float32)
    for row in range(len(rows)):
        for centre in range(len(centres)):
            found[row, centre] = _apart(rows[row], centres[centre])
    return found


@kernel
def fill_nearest_first(
    order: NDArray[np.int64], centres: int, most: int, labels: NDArray[np.int64]
) -> None:
    """Go through pairs (row × centres + centre) and join those where both are free.

    ``labels`` holds -1 for every row; it stays for rows that are left when all are full.
    """
    held = np.zeros(centres, np.int64)
    room = centres * most
    for pair in order:
        row, centre = pair // centres, pair % centres
        if labels[row] < 0 and held[centre] < most:
            labels[row] = centre
            held[centre] += 1
            room -= 1
            if room == 0:
                break
