"""Kernel of V-MDAV: groups that grow while the next record is nearer to them than to others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import kernel
from recloak.kernels.microaggregation import Cloud, Live, nearest, remove, sweep
from recloak.kernels.microaggregation_rounds import take_group


@kernel
def variable_rounds(
    cloud: Cloud,
    live: Live,
    k: int,
    gain: float,
    rounds: int,
    order: NDArray[np.int64],
    labels: NDArray[np.int64],
    groups: int,
) -> int:
    """Up to so many groups, each around the next free record of ``order``; the groups so far."""
    at = 0
    while rounds > 0 and live.free[0] >= k:
        while live.place[order[at]] >= live.free[0]:
            at += 1
        take_group(cloud, live, order[at], k, labels, groups, False)
        if gain > 0:
            _extend(cloud, live, k, gain, labels, groups)
        groups += 1
        rounds -= 1
    return groups


@kernel
def _extend(
    cloud: Cloud, live: Live, k: int, gain: float, labels: NDArray[np.int64], label: int
) -> None:
    """Let the group just taken grow to at most 2k − 1.

    Every member keeps its k nearest free records: at most k − 1 of them are taken, so the first
    that is still free is its nearest.
    """
    near = np.empty((2 * k, k), np.int64)
    gaps = np.empty((2 * k, k))
    filled = np.zeros(2 * k, np.int64)
    free = live.free[0]
    for member in range(k):  # the members were swapped to just behind the free ones
        one = live.ids[free + member]
        filled[member] = _neighbours(cloud, live, one, near[member], gaps[member])
    for size in range(k, 2 * k - 1):
        candidate, inside = _closest(live, near, gaps, filled, size)
        if candidate < 0:
            return
        filled[size] = _neighbours(cloud, live, candidate, near[size], gaps[size])
        outside = gaps[size, 0] if filled[size] > 0 else np.inf
        if not inside < gain * gain * outside:
            return
        labels[candidate] = label
        remove(cloud, live, candidate)


@kernel
def _neighbours(
    cloud: Cloud, live: Live, one: int, near: NDArray[np.int64], gaps: NDArray[np.float64]
) -> int:
    return nearest(cloud, live, one, sweep(cloud, live, one), near, gaps)


@kernel
def _closest(
    live: Live,
    near: NDArray[np.int64],
    gaps: NDArray[np.float64],
    filled: NDArray[np.int64],
    size: int,
) -> tuple[int, float]:
    """The free record nearest to any member, and its squared distance."""
    best, least = -1, np.inf
    for member in range(size):
        for at in range(filled[member]):
            one = near[member, at]
            if live.place[one] < live.free[0]:
                gap = gaps[member, at]
                if gap < least or (gap == least and one < best):
                    best, least = one, gap
                break
    return best, least
