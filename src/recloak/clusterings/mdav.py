"""Clustering `mdav`: two groups of k at the edge of what is left, round after round."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from recloak.clusterings.base import Clustering, LabelOfRecord
from recloak.clusterings.groups import Groups
from recloak.clusterings.living import all_free
from recloak.clusterings.points import Points
from recloak.kernels.microaggregation import Live, distance_to_point
from recloak.kernels.microaggregation_rounds import last_group, mdav_rounds, nearest_groups
from recloak.progress import SILENT, Progress

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
    cloud, live = points.cloud, all_free(points)
    labels = np.full(points.n_records, -1)
    groups, rounds = 0, max(1, RECORDS_PER_STEP // (2 * k))
    with progress.task("Grouping users", points.n_records) as task:
        while live.free[0] >= 3 * k:
            before = int(live.free[0])
            groups = mdav_rounds(cloud, live, k, rounds, labels, groups)
            task.advance(before - int(live.free[0]))
        before = int(live.free[0])
        groups = last_group(cloud, live, k, labels, groups)
        _settle(points, live, labels, groups)
        task.advance(before)
    return labels


def _settle(points: Points, live: Live, labels: LabelOfRecord, groups: int) -> None:
    """The paper's rule (section 3) for the last k to 2k − 1 records."""
    rest = np.sort(live.ids[: live.free[0]])
    if groups == 0:
        labels[rest] = 0
        return
    found, distances = nearest_group_of(points, labels, rest)
    mean = live.total / len(rest)
    own = np.array([distance_to_point(points.cloud, one, mean) for one in rest])
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
    nearest_groups(points.cloud, groups.starts, members, asked, found, distances)
    return found, distances
