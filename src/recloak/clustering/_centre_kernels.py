"""Kernels that find the record farthest from the mean of those that are free."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.clustering._record_kernels import (
    EPSILON,
    SAFETY,
    FreeRecords,
    RecordArrays,
    distance_to_point,
)
from recloak.core.arrays import Floats, Integers
from recloak.core.kernels import kernel


class Front(NamedTuple):
    """Records at the edge: who is free and not among ``ids`` has a bound of ``level`` at most."""

    ids: Integers
    level: Floats


@kernel
def farthest_from_centre(records: RecordArrays, free: FreeRecords, front: Front) -> int:
    """The free record farthest from the mean of the free ones.

    When the mean moves by a step, no distance to it grows by more than that step. So each
    distance is kept as an upper bound and measured again only when it might win. As long as the
    farthest of the front is farther than the bounds of all others, nobody looks at these; once it
    is not, ``level`` becomes infinite and everybody is looked at.
    """
    norm = _move_centre(free)
    best, floor = _farthest_of(records, free, front.ids, norm)
    if floor > front.level[0] + free.drift[0]:
        return best
    front.level[0] = np.inf
    return _farthest_of(records, free, free.ids[: free.n_free[0]], norm)[0]


@kernel
def measure_front(records: RecordArrays, free: FreeRecords, front: Front) -> Floats:
    """Renew the bounds of the front; how far its records are from the centre, roughly."""
    norm = _move_centre(free)
    return np.array([_measure(records, free, free.place[one], norm) for one in front.ids])


@kernel
def _move_centre(free: FreeRecords) -> float:
    """Put the centre at the mean of the free records; its squared norm."""
    moved, norm = 0.0, 0.0
    for item in range(len(free.total)):
        now = free.total[item] / free.n_free[0]
        moved += (now - free.centre[item]) ** 2
        norm += now * now
        free.centre[item] = now
    free.drift[0] += np.sqrt(moved) * (1 + SAFETY)
    return norm


@kernel
def _measure(records: RecordArrays, free: FreeRecords, place: int, norm: float) -> float:
    """Renew the bound of a record; returns what its distance is at least."""
    one = free.ids[place]
    squared, error = 0.0, 0.0
    if records.matrix.shape[0] > 0:
        squared = distance_to_point(records, one, free.centre)
    else:
        product = 0.0
        for at in range(records.offsets[one], records.offsets[one + 1]):
            product += records.values[at] * free.centre[records.items[at]]
        squared = max(0.0, records.norms[one] + norm - 2 * product)
        error = np.sqrt(4 * EPSILON * (records.n_items + 16) * (free.worst_norm + norm))
    away = np.sqrt(squared)
    slack = error + SAFETY * (away + free.drift[0])
    free.reach[place] = away + slack - free.drift[0]
    return float(away - slack)


@kernel
def _farthest_of(
    records: RecordArrays, free: FreeRecords, ids: Integers, norm: float
) -> tuple[int, float]:
    """Of these records, as far as they are free, the farthest; and what its distance is at least.

    Who may win by the bounds is measured; who still may, by the exact distance.
    """
    first, highest, floor = -1, -np.inf, -np.inf
    for one in ids:
        place = free.place[one]
        if place < free.n_free[0] and (first < 0 or free.reach[place] > highest):
            first, highest = one, free.reach[place]
    if first < 0:
        return first, floor
    floor = _measure(records, free, free.place[first], norm)
    for one in ids:
        place = free.place[one]
        if place < free.n_free[0] and one != first and free.reach[place] + free.drift[0] >= floor:
            floor = max(floor, _measure(records, free, place, norm))
    best, far = -1, -1.0
    for one in ids:
        place = free.place[one]
        if place < free.n_free[0] and free.reach[place] + free.drift[0] >= floor:
            gap = distance_to_point(records, one, free.centre)
            if gap > far or (gap == far and one < best):
                best, far = one, gap
    return best, floor
