"""Kernels of MDAV: round after round, two groups at the edge of what is left."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import kernel
from recloak.kernels.microaggregation import (
    EPSILON,
    SAFETY,
    Cloud,
    Live,
    add_record,
    distance_to_point,
    farthest,
    nearest,
    remove,
    sweep,
)


@kernel
def farthest_from_centre(cloud: Cloud, live: Live) -> int:
    """The free record farthest from the mean of the free ones.

    When the mean moves by a step, no distance to it grows by more than that step. So each
    distance is kept as an upper bound and measured again only when it might win.
    """
    norm = _move_centre(live)
    rounding = 4 * EPSILON * (cloud.n_items + 16) * (live.worst_norm + norm)
    error = np.sqrt(rounding) if cloud.matrix.shape[0] == 0 else 0.0
    first = 0
    for place in range(live.free[0]):
        if live.reach[place] > live.reach[first]:
            first = place
    floor = _measure(cloud, live, first, norm, error)
    for place in range(live.free[0]):
        if place != first and live.reach[place] + live.drift[0] >= floor:
            floor = max(floor, _measure(cloud, live, place, norm, error))
    return _winner(cloud, live, floor)


@kernel
def _move_centre(live: Live) -> float:
    """Put the centre at the mean of the free records; its squared norm."""
    moved, norm = 0.0, 0.0
    for item in range(len(live.total)):
        now = live.total[item] / live.free[0]
        moved += (now - live.centre[item]) ** 2
        norm += now * now
        live.centre[item] = now
    live.drift[0] += np.sqrt(moved) * (1 + SAFETY)
    return norm


@kernel
def _measure(cloud: Cloud, live: Live, place: int, norm: float, error: float) -> float:
    """Renew the bound of a record; returns what its distance is at least."""
    one = live.ids[place]
    squared = 0.0
    if cloud.matrix.shape[0] > 0:
        squared = distance_to_point(cloud, one, live.centre)
    else:
        product = 0.0
        for at in range(cloud.offsets[one], cloud.offsets[one + 1]):
            product += cloud.values[at] * live.centre[cloud.items[at]]
        squared = max(0.0, cloud.norms[one] + norm - 2 * product)
    away = np.sqrt(squared)
    slack = error + SAFETY * (away + live.drift[0])
    live.reach[place] = away + slack - live.drift[0]
    return float(away - slack)


@kernel
def _winner(cloud: Cloud, live: Live, floor: float) -> int:
    """Of those whose bound reaches ``floor``, the one that is farthest by the exact distance."""
    best, far = -1, -1.0
    for place in range(live.free[0]):
        if live.reach[place] + live.drift[0] >= floor:
            one = live.ids[place]
            gap = distance_to_point(cloud, one, live.centre)
            if gap > far or (gap == far and one < best):
                best, far = one, gap
    return best


@kernel
def take_group(
    cloud: Cloud,
    live: Live,
    pivot: int,
    k: int,
    labels: NDArray[np.int64],
    label: int,
    look_on: bool,
) -> int:
    """Make a group of ``pivot`` and the k − 1 nearest to it; who is farthest from it, if asked."""
    found, distances = np.empty(k - 1, np.int64), np.empty(k - 1)
    error = sweep(cloud, live, pivot)
    filled = nearest(cloud, live, pivot, error, found, distances)
    opposite = -1
    if look_on:
        for at in range(filled):
            live.estimate[live.place[found[at]]] = np.inf
        opposite = farthest(cloud, live, pivot, error)
    labels[pivot] = label
    remove(cloud, live, pivot)
    for at in range(filled):
        labels[found[at]] = label
        remove(cloud, live, found[at])
    return opposite


@kernel
def mdav_rounds(
    cloud: Cloud, live: Live, k: int, rounds: int, labels: NDArray[np.int64], groups: int
) -> int:
    """Up to so many rounds of two groups each, while 3k records are free; the groups so far."""
    while rounds > 0 and live.free[0] >= 3 * k:
        pivot = farthest_from_centre(cloud, live)
        opposite = take_group(cloud, live, pivot, k, labels, groups, True)
        take_group(cloud, live, opposite, k, labels, groups + 1, False)
        groups += 2
        rounds -= 1
    return groups


@kernel
def last_group(cloud: Cloud, live: Live, k: int, labels: NDArray[np.int64], groups: int) -> int:
    """One more group around the farthest record while 2k are free; the groups so far."""
    if live.free[0] < 2 * k:
        return groups
    take_group(cloud, live, farthest_from_centre(cloud, live), k, labels, groups, False)
    return groups + 1


@kernel
def nearest_groups(
    cloud: Cloud,
    starts: NDArray[np.int64],
    members: NDArray[np.int64],
    asked: NDArray[np.int64],
    found: NDArray[np.int64],
    distances: NDArray[np.float64],
) -> None:
    """For each record asked for, the group whose mean is nearest, and how near (squared)."""
    mean = np.zeros(cloud.n_items)
    found[:] = -1
    distances[:] = np.inf
    for group in range(len(starts) - 1):
        mean[:] = 0.0
        for at in range(starts[group], starts[group + 1]):
            add_record(cloud, members[at], 1.0, mean)
        mean /= starts[group + 1] - starts[group]
        for at in range(len(asked)):
            gap = distance_to_point(cloud, asked[at], mean)
            if gap < distances[at]:
                found[at], distances[at] = group, gap
