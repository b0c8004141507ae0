"""Clustering `mdav`: two groups of k at the edge of what is left, round after round."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from recloak.clustering._centre_kernels import Front, farthest_from_centre
from recloak.clustering._foresight import Foresight, front_of
from recloak.clustering._free_records import all_free
from recloak.clustering._groups import Groups
from recloak.clustering._list_kernels import Lists, farthest_listed, nearest_listed
from recloak.clustering._points import Points
from recloak.clustering._record_kernels import (
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

MOST_ROUNDS = 64  # until progress is told


@kernel
def take_group(
    records: RecordArrays,
    free: FreeRecords,
    lists: Lists,
    pivot: int,
    k: int,
    labels: Integers,
    label: int,
    find_opposite: bool,
) -> int:
    """Make a group of ``pivot`` and the k − 1 nearest to it; who is farthest from it, if asked."""
    found, distances = np.empty(k - 1, np.int64), np.empty(k - 1)
    filled, opposite = k - 1, -1
    listed = nearest_listed(records, free, lists, pivot, found, distances)
    if listed and find_opposite:
        opposite = farthest_listed(records, free, lists, pivot, found)
    if not listed or (find_opposite and opposite < 0):
        error = sweep(records, free, pivot)
        filled = nearest(records, free, pivot, error, found, distances)
        for at in range(filled):
            free.estimate[free.place[found[at]]] = np.inf
        if find_opposite:
            opposite = farthest(records, free, pivot, error)
    labels[pivot] = label
    remove(records, free, pivot)
    for at in range(filled):
        labels[found[at]] = label
        remove(records, free, found[at])
    return opposite


@kernel
def mdav_rounds(
    records: RecordArrays,
    free: FreeRecords,
    lists: Lists,
    front: Front,
    k: int,
    listed: bool,
    labels: Integers,
    groups: int,
) -> int:
    """Some rounds of two groups each, while 3k records are free; the groups so far.

    They end when the front no longer tells who is farthest from the centre, or, if records are
    ``listed``, when the farthest is not.
    """
    for done in range(MOST_ROUNDS):
        if free.n_free[0] < 3 * k:
            return groups
        pivot = farthest_from_centre(records, free, front)
        if listed and done > 0 and lists.slot[pivot] < 0:
            return groups
        opposite = take_group(records, free, lists, pivot, k, labels, groups, True)
        take_group(records, free, lists, opposite, k, labels, groups + 1, False)
        groups += 2
        if front.level[0] == np.inf:
            return groups
    return groups


@kernel
def last_group(
    records: RecordArrays,
    free: FreeRecords,
    lists: Lists,
    front: Front,
    k: int,
    labels: Integers,
    groups: int,
) -> int:
    """One more group around the farthest record while 2k are free; the groups so far."""
    if free.n_free[0] < 2 * k:
        return groups
    pivot = farthest_from_centre(records, free, front)
    take_group(records, free, lists, pivot, k, labels, groups, False)
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
    foresight, groups = Foresight.of(points, free, k), 0
    with progress.task("Grouping users", points.n_records) as task:
        while free.n_free[0] >= 3 * k:
            before, front = int(free.n_free[0]), foresight.look()
            state = (records, free, foresight.lists, front, k, foresight.listing)
            groups = mdav_rounds(*state, labels, groups)
            task.advance(before - int(free.n_free[0]))
        before = int(free.n_free[0])
        everyone = front_of(free, before)
        groups = last_group(records, free, foresight.lists, everyone, k, labels, groups)
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
