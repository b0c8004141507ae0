"""Kernels on records in space: the one distance that decides, and sweeps that screen for it.

The squared distance is summed in 64 bits over the items in ascending order; an item where both
records hold 0 adds exactly 0, so sparse and dense storage give the same bits. Faster estimates
(8-bit rows, sparse dot products) only choose who is measured: they come with a bound on their
error, and whoever might win within it is measured by `distance`. Ties go to the lowest index.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Codes, Floats, Indices, Integers, Levels, Offsets
from recloak.core.kernels import kernel

EPSILON = 2.3e-16
SAFETY = 1e-9


class RecordArrays(NamedTuple):
    """Records in space; ``matrix`` is empty unless the records are stored densely as well."""

    offsets: Offsets
    items: Codes
    values: Floats
    matrix: Floats
    norms: Floats  # squared
    n_items: int


class FreeRecords(NamedTuple):
    """Which records are still free: those at the first ``free[0]`` places.

    ``rows`` are the records in 8 bits (dense storage only), in the order of the places, with
    their squared norms; ``step`` is what one unit of them is worth, ``errors`` how far each is
    from its record. ``reach`` bounds the distance to the centre, less the ``drift`` so far.
    """

    ids: Integers
    place: Indices
    rows: Levels
    squares: Codes
    errors: Floats
    reach: Floats
    estimate: Floats
    scattered: Floats
    total: Floats
    centre: Floats
    n_free: Integers
    drift: Floats
    step: float
    worst_error: float
    worst_norm: float
    longest: int


@kernel
def distance(records: RecordArrays, one: int, other: int) -> float:
    """The squared distance of two records."""
    total = 0.0
    if records.matrix.shape[0] > 0:
        for item in range(records.n_items):
            gap = records.matrix[one, item] - records.matrix[other, item]
            total += gap * gap
        return total
    at, end = records.offsets[one], records.offsets[one + 1]
    by, stop = records.offsets[other], records.offsets[other + 1]
    while at < end or by < stop:
        gap = 0.0
        if by >= stop or (at < end and records.items[at] < records.items[by]):
            gap = records.values[at]
            at += 1
        elif at >= end or records.items[by] < records.items[at]:
            gap = records.values[by]
            by += 1
        else:
            gap = records.values[at] - records.values[by]
            at += 1
            by += 1
        total += gap * gap
    return total


@kernel
def distance_to_point(records: RecordArrays, one: int, point: Floats) -> float:
    """The squared distance of a record to any point of the space."""
    total = 0.0
    if records.matrix.shape[0] > 0:
        for item in range(records.n_items):
            gap = records.matrix[one, item] - point[item]
            total += gap * gap
        return total
    at, end = records.offsets[one], records.offsets[one + 1]
    for item in range(records.n_items):
        gap = -point[item]
        if at < end and records.items[at] == item:
            gap = records.values[at] - point[item]
            at += 1
        total += gap * gap
    return total


@kernel
def add_record(records: RecordArrays, one: int, sign: float, point: Floats) -> None:
    """Add a record to a point, ``sign`` times."""
    for at in range(records.offsets[one], records.offsets[one + 1]):
        point[records.items[at]] += sign * records.values[at]


@kernel
def sum_records(records: RecordArrays, total: Floats) -> None:
    """Add all records, one after the other."""
    for one in range(len(records.norms)):
        add_record(records, one, 1.0, total)


@kernel
def remove(records: RecordArrays, free: FreeRecords, one: int) -> None:
    """Take a record out: it changes places with the last one that is free."""
    last = free.n_free[0] - 1
    here = free.place[one]
    other = free.ids[last]
    free.ids[here], free.ids[last] = other, one
    free.place[one], free.place[other] = last, here
    free.reach[here], free.reach[last] = free.reach[last], free.reach[here]
    _swap_rows(free, here, last)
    add_record(records, one, -1.0, free.total)
    free.n_free[0] = last


@kernel
def _swap_rows(free: FreeRecords, here: int, last: int) -> None:
    if free.rows.shape[0] == 0:
        return
    free.squares[here], free.squares[last] = free.squares[last], free.squares[here]
    for column in range(free.rows.shape[1]):
        kept = free.rows[last, column]
        free.rows[last, column] = free.rows[here, column]
        free.rows[here, column] = kept


@kernel
def sweep(records: RecordArrays, free: FreeRecords, pivot: int) -> float:
    """Estimate the squared distance of every free record to ``pivot``; the error of its root.

    The pivot itself, if it is free, is put at infinity.
    """
    error = (
        _sweep_rows(free, pivot) if free.rows.shape[0] > 0 else _sweep_cells(records, free, pivot)
    )
    if free.place[pivot] < free.n_free[0]:
        free.estimate[free.place[pivot]] = np.inf
    return error


@kernel
def _sweep_rows(free: FreeRecords, pivot: int) -> float:
    own = free.rows[free.place[pivot]].astype(np.int16)  # 16 bits make the fastest machine code
    own_square = free.squares[free.place[pivot]]
    worth = free.step * free.step
    for place in range(free.n_free[0]):
        row = free.rows[place]
        product = np.int32(0)
        for column in range(len(own)):
            product = np.int32(product + np.int32(row[column]) * np.int32(own[column]))
        free.estimate[place] = worth * (free.squares[place] + own_square - 2 * product)
    return float((free.errors[pivot] + free.worst_error) * (1 + SAFETY))


@kernel
def _sweep_cells(records: RecordArrays, free: FreeRecords, pivot: int) -> float:
    here = free.scattered
    add_record(records, pivot, 1.0, here)
    for place in range(free.n_free[0]):
        one = free.ids[place]
        product = 0.0
        for at in range(records.offsets[one], records.offsets[one + 1]):
            product += records.values[at] * here[records.items[at]]
        free.estimate[place] = max(0.0, records.norms[one] + records.norms[pivot] - 2 * product)
    for at in range(records.offsets[pivot], records.offsets[pivot + 1]):
        here[records.items[at]] = 0.0
    rounding = 4 * EPSILON * (free.longest + 16) * (free.worst_norm + records.norms[pivot])
    return float(np.sqrt(rounding))  # as |√a − √b| ≤ √|a − b|


@kernel
def nearest(
    records: RecordArrays,
    free: FreeRecords,
    pivot: int,
    error: float,
    found: Integers,
    distances: Floats,
) -> int:
    """The free records nearest to ``pivot``, nearest first, as many as ``found`` has room for.

    Follows a `sweep` around the same pivot. Returns how many there are.
    """
    wanted, filled = len(found), 0
    if wanted == 0:
        return 0
    limit = _kth_smallest(free, wanted, distances)
    threshold = (np.sqrt(limit) + 2 * error) ** 2 * (1 + SAFETY)
    for place in range(free.n_free[0]):
        if free.estimate[place] <= threshold and free.estimate[place] < np.inf:
            one = free.ids[place]
            gap = distance(records, pivot, one)
            filled = put_by_distance(found, distances, filled, one, gap)
    return filled


@kernel
def _kth_smallest(free: FreeRecords, wanted: int, kept: Floats) -> float:
    kept[:] = np.inf
    worst = np.inf
    for place in range(free.n_free[0]):
        if free.estimate[place] < worst:
            at = wanted - 1
            while at > 0 and kept[at - 1] > free.estimate[place]:
                kept[at] = kept[at - 1]
                at -= 1
            kept[at] = free.estimate[place]
            worst = kept[wanted - 1]
    return worst


@kernel
def put_by_distance(found: Integers, distances: Floats, filled: int, one: int, gap: float) -> int:
    """Put a record where it belongs by distance, then index; the last one may fall out."""
    at = filled
    if filled == len(found):
        at = filled - 1
        if not (gap < distances[at] or (gap == distances[at] and one < found[at])):
            return filled
    while at > 0 and (
        gap < distances[at - 1] or (gap == distances[at - 1] and one < found[at - 1])
    ):
        found[at], distances[at] = found[at - 1], distances[at - 1]
        at -= 1
    found[at], distances[at] = one, gap
    return min(filled + 1, len(found))


@kernel
def farthest(records: RecordArrays, free: FreeRecords, pivot: int, error: float) -> int:
    """The free record farthest from ``pivot``, of those whose estimate is finite."""
    most = 0.0
    for place in range(free.n_free[0]):
        if free.estimate[place] < np.inf and free.estimate[place] > most:
            most = free.estimate[place]
    threshold = max(0.0, np.sqrt(most) - 2 * error) ** 2 * (1 - SAFETY)
    best, far = -1, -1.0
    for place in range(free.n_free[0]):
        if free.estimate[place] < np.inf and free.estimate[place] >= threshold:
            one = free.ids[place]
            gap = distance(records, pivot, one)
            if gap > far or (gap == far and one < best):
                best, far = one, gap
    return best
