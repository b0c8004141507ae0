"""Clustering `mdav`: two groups of k at the edge of what is left, round after round."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from recloak.clustering._free_records import all_free
from recloak.clustering._groups import Groups
from recloak.clustering._points import Points
from recloak.clustering._record_kernels import (
    EPSILON,
    SAFETY,
    FreeRecords,
    RecordArrays,
    add_record,
    distance_to_point,
    farthest,
    nearest,
    remove,
    sweep,
)
from recloak.clustering.base import Clustering, LabelOfRecord
from recloak.core.arrays import Floats, Integers, Offsets
from recloak.core.kernels import kernel
from recloak.core.progress import SILENT, Progress


@kernel
def farthest_from_centre(records: RecordArrays, free: FreeRecords) -> int:
    """The free record farthest from the mean of the free ones.

    When the mean moves by a step, no distance to it grows by more than that step. So each
    distance is kept as an upper bound and measured again only when it might win.
    """
    norm = _move_centre(free)
    rounding = 4 * EPSILON * (records.n_items + 16) * (free.worst_norm + norm)
    error = np.sqrt(rounding) if records.matrix.shape[0] == 0 else 0.0
    first = 0
    for place in range(free.n_free[0]):
        if free.reach[place] > free.reach[first]:
            first = place
    floor = _measure(records, free, first, norm, error)
    for place in range(free.n_free[0]):
        if place != first and free.reach[place] + free.drift[0] >= floor:
            floor = max(floor, _measure(records, free, place, norm, error))
    return _winner(records, free, floor)


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
def _measure(
    records: RecordArrays, free: FreeRecords, place: int, norm: float, error: float
) -> float:
    """Renew the bound of a record; returns what its distance is at least."""
    one = free.ids[place]
    squared = 0.0
    if records.matrix.shape[0] > 0:
        squared = distance_to_point(records, one, free.centre)
    else:
        product = 0.0
        for at in range(records.offsets[one], records.offsets[one + 1]):
            product += records.values[at] * free.centre[records.items[at]]
        squared = max(0.0, records.norms[one] + norm - 2 * product)
    away = np.sqrt(squared)
    slack = error + SAFETY * (away + free.drift[0])
    free.reach[place] = away + slack - free.drift[0]
    return float(away - slack)


@kernel
def _winner(records: RecordArrays, free: FreeRecords, floor: float) -> int:
    """Of those whose bound reaches ``floor``, the one that is farthest by the exact distance."""
    best, far = -1, -1.0
    for place in range(free.n_free[0]):
        if free.reach[place] + free.drift[0] >= floor:
            one = free.ids[place]
            gap = distance_to_point(records, one, free.centre)
            if gap > far or (gap == far and one < best):
                best, far = one, gap
    return best


@kernel
def take_group(
    records: RecordArrays,
    free: FreeRecords,
    pivot: int,
    k: int,
    labels: Integers,
    label: int,
    find_opposite: bool,
) -> int:
    """Make a group of ``pivot`` and the k − 1 nearest to it; who is farthest from it, if asked."""
    found, distances = np.empty(k - 1, np.int64), np.empty(k - 1)
    error = sweep(records, free, pivot)
    filled = nearest(records, free, pivot, error, found, distances)
    opposite = -1
    if find_opposite:
        for at in range(filled):
            free.estimate[free.place[found[at]]] = np.inf
        opposite = farthest(records, free, pivot, error)
    labels[pivot] = label
    remove(records, free, pivot)
    for at in range(filled):
        labels[found[at]] = label
        remove(records, free, found[at])
    return opposite


@kernel
def mdav_rounds(
    records: RecordArrays, free: FreeRecords, k: int, rounds: int, labels: Integers, groups: int
) -> int:
    """Up to so many rounds of two groups each, while 3k records are free; the groups so far."""
    while rounds > 0 and free.n_free[0] >= 3 * k:
        pivot = farthest_from_centre(records, free)
        opposite = take_group(records, free, pivot, k, labels, groups, True)
        take_group(records, free, opposite, k, labels, groups + 1, False)
        groups += 2
        rounds -= 1
    return groups


@kernel
def last_group(
    records: RecordArrays, free: FreeRecords, k: int, labels: Integers, groups: int
) -> int:
    """One more group around the farthest record while 2k are free; the groups so far."""
    if free.n_free[0] < 2 * k:
        return groups
    take_group(records, free, farthest_from_centre(records, free), k, labels, groups, False)
    return groups + 1


@kernel
def nearest_groups(
    records: RecordArrays,
    starts: Offsets,
    members: Integers,
    asked: Integers,
    found: Integers,
    distances: Floats,
) -> None:
    """For each record asked for, the group whose mean is nearest, and how near (squared)."""
    mean = np.zeros(records.n_items)
    found[:] = -1
    distances[:] = np.inf
    for group in range(len(starts) - 1):
        mean[:] = 0.0
        for at in range(starts[group], starts[group + 1]):
            add_record(records, members[at], 1.0, mean)
        mean /= starts[group + 1] - starts[group]
        for at in range(len(asked)):
            gap = distance_to_point(records, asked[at], mean)
            if gap < distances[at]:
                found[at], distances[at] = group, gap


RECORDS_PER_STEP = 1000


class Mdav(Clustering):
    """Maximum Distance to Average Vector, exactly as the paper runs it.

    While 3k records are free: the record r farthest from their mean and its k − 1 nearest are a
    group, then the record farthest from r and its k − 1 nearest. With 2k or more left, one more
    group around the farthest; the rest stay together only if more than half of them are nearer
    to their own mean than to that of any other group, else each joins the nearest group. Ties
    go to the user who comes first.
    """

    name: ClassVar[str] = "mdav"
    summary: ClassVar[str] = "MDAV: fixed groups of k, built from the edge inwards."
    reference: ClassVar[str] = (
        "Casino, Domingo-Ferrer, Patsakis, Puig, Solanas: A k-anonymous approach to privacy "
        "preserving collaborative filtering, 2015"
    )

    def cluster(self, points: Points, k: int, progress: Progress) -> LabelOfRecord:
        return mdav(points, k, progress)


def mdav(points: Points, k: int, progress: Progress = SILENT) -> LabelOfRecord:
    """The partition of MDAV, for at least k records."""
    records, free = points.records, all_free(points)
    labels = np.full(points.n_records, -1)
    groups, rounds = 0, max(1, RECORDS_PER_STEP // (2 * k))
    with progress.task("Grouping users", points.n_records) as task:
        while free.n_free[0] >= 3 * k:
            before = int(free.n_free[0])
            groups = mdav_rounds(records, free, k, rounds, labels, groups)
            task.advance(before - int(free.n_free[0]))
        before = int(free.n_free[0])
        groups = last_group(records, free, k, labels, groups)
        _place_rest(points, free, labels, groups)
        task.advance(before)
    return labels


def _place_rest(points: Points, free: FreeRecords, labels: LabelOfRecord, groups: int) -> None:
    """The paper's rule (section 3) for the last k to 2k − 1 records."""
    rest = np.sort(free.ids[: free.n_free[0]])
    if groups == 0:
        labels[rest] = 0
        return
    found, distances = nearest_group_of(points, labels, rest)
    mean = free.total / len(rest)
    own = np.array([distance_to_point(points.records, one, mean) for one in rest])
    stays = 2 * np.count_nonzero(own < distances) > len(rest)
    labels[rest] = groups if stays else found


def nearest_group_of(
    points: Points, labels: LabelOfRecord, asked: LabelOfRecord
) -> tuple[LabelOfRecord, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Of the groups so far (label −1: in none), the nearest to each record asked for."""
    grouped = np.flatnonzero(labels >= 0)
    groups = Groups.of(labels[grouped])
    found, distances = np.empty(len(asked), np.int64), np.empty(len(asked))
    members = grouped[groups.members]
    nearest_groups(points.records, groups.starts, members, asked, found, distances)
    return found, distances
