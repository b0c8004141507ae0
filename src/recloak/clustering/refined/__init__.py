"""Clustering `refined`: MDAV, then single records change groups while the error falls.

Both compare every record with a share of all others, so that twice as many take four times as
long. Very many are put into bins first, and the time grows as their number does.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from recloak.clustering._bins import bins_for, in_bins
from recloak.clustering._groups import Groups
from recloak.clustering._points import Points
from recloak.clustering._sketch import means, nearest_centres, sketch
from recloak.clustering.base import Clustering, LabelOfRecord
from recloak.clustering.mdav import mdav
from recloak.clustering.refined._kernels import Partition, improve, measure_all
from recloak.core.arrays import Codes, Integers
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress

MOST_TOGETHER = 30_000
MOST_RATINGS_TOGETHER = 1_900_000  # moves and swaps cost time by rating, whoever gave it
BIN_SIZE = 4096
DIMENSIONS = 48
FEWEST_GROUPS = 8  # that a record looks at, however large they are
SEARCHES = 2  # groups move while they improve, so that others become near
ROWS_PER_STEP = 4096
ENOUGH = 2e-4  # a pass that gains less of the error than this is the last one


class RefinedParameters(Parameters):
    """How hard to look for a better group."""

    near_users: int = Field(default=180, ge=1, le=100_000)
    """With how many users, those of the groups nearest to it, a record tries to change places."""

    passes: int = Field(default=20, ge=0, le=1000)
    """How often each record may look around at most; 0 leaves the groups of MDAV."""


class Refined(Clustering):
    """MDAV, improved: a record moves to another group, or two records change places.

    Only what lowers the squared error is done, and no group falls below k, so the guarantee is
    that of MDAV at a smaller loss. No group grows beyond 2k − 1, or beyond the largest of MDAV.
    More than 30,000 records, or 1.9 million ratings, are grouped in bins of those that lie near
    each other.
    """

    name: ClassVar[str] = "refined"
    summary: ClassVar[str] = "MDAV, then records change groups while the squared error falls."
    reference: ClassVar[str] = (
        "After ONA* and MONA: Thaeter, Reischuk: Scalable k-anonymous microaggregation, 2021"
    )
    Parameters: ClassVar[type[Parameters]] = RefinedParameters
    parameters: RefinedParameters

    def cluster(self, points: Points, k: int, progress: Progress) -> LabelOfRecord:
        if points.n_records <= MOST_TOGETHER and len(points.values) <= MOST_RATINGS_TOGETHER:
            return self.together(points, k, progress)
        bins = bins_for(points, k, BIN_SIZE, progress)
        return in_bins(points, bins, lambda part: self.together(part, k, SILENT), progress)

    def together(self, points: Points, k: int, progress: Progress) -> LabelOfRecord:
        """The groups of all records as a whole, however many they are."""
        labels = mdav(points, k, progress)
        settings = self.parameters
        near_groups = max(FEWEST_GROUPS, -(-settings.near_users // k))
        return refine(points, labels, k, near_groups, settings.passes, progress)


def refine(
    points: Points,
    labels: LabelOfRecord,
    k: int,
    near_groups: int,
    passes: int,
    progress: Progress = SILENT,
) -> LabelOfRecord:
    """Lower the squared error of a partition by moves and swaps; groups keep at least k."""
    partition = starting_from(labels, k)
    groups = len(partition.sizes)
    if groups == 1 or passes == 0:
        return labels
    measure_all(points.records, partition)
    rows = sketch(points, DIMENSIONS, progress)
    per_search = -(-passes // SEARCHES)
    for _ in range(SEARCHES):
        centres = means(rows, partition.labels, groups)
        near = nearest_centres(rows, centres, near_groups, progress)
        partition.looked[:] = 0
        _improve(points, partition, k, near, per_search, progress)
    return partition.labels


def _improve(
    points: Points,
    partition: Partition,
    k: int,
    near: Codes,
    passes: int,
    progress: Progress,
) -> None:
    """Pass after pass over all records, until one gains next to nothing."""
    count = points.n_records
    with progress.task("Improving groups", passes * count) as task:
        for left in range(passes - 1, -1, -1):
            error = points.norms.sum() - (partition.squares / partition.sizes).sum()
            gained = 0.0
            for first in range(0, count, ROWS_PER_STEP):
                end = min(first + ROWS_PER_STEP, count)
                gained += improve(points.records, partition, k, first, end, near)
                task.advance(end - first)
            if gained <= ENOUGH * error:
                task.advance(left * count)
                break


def starting_from(labels: LabelOfRecord, k: int) -> Partition:
    """A partition that can be changed; `measure_all` fills in its sums."""
    groups = Groups.of(labels)
    room = max(2 * k - 1, int(groups.sizes.max()))
    members: Integers = np.full((groups.count, room), -1)
    within = np.arange(len(labels)) - np.repeat(groups.starts[:-1], groups.sizes)
    members[labels[groups.members], within] = groups.members
    return Partition(
        labels=labels.copy(),
        members=members,
        sizes=groups.sizes.copy(),
        squares=np.zeros(groups.count),
        own=np.zeros(len(labels)),
        changed=np.zeros(groups.count, np.int64),
        looked=np.zeros(len(labels), np.int64),
        clock=np.zeros(1, np.int64),
    )
