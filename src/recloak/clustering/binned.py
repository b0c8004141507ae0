"""Clustering `binned`: neighbourhoods first, then MDAV in each; for more users than MDAV can."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from recloak.clustering._points import Points, PointSpace
from recloak.clustering._sketch import Sketch, axes_of, means, nearest_centres, projected
from recloak.clustering.base import Clustering, LabelOfRecord
from recloak.clustering.refined import Refined, RefinedParameters
from recloak.core.arrays import Codes, Integers
from recloak.core.parallel import in_threads
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress

ITERATIONS = 8
SAMPLE_PER_CENTRE = 100
_BINS_KEY = 20210901  # nothing drawn here is secret; the same centres every time keep bins the same

Bins = list[Integers]


def make_bins(rows: Sketch, size: int, progress: Progress = SILENT) -> Bins:
    """Records near each other in the sketch, about ``size`` in each bin.

    Every record goes to the nearest of a few virtual centres (k-means on a sample). A bin of
    fewer than a quarter of ``size`` gives its records to the other centres, one of more than
    one and a half times ``size`` is cut in halves across its longest side.
    """
    centres = bin_centres(rows, len(rows), size, progress)
    return bins_of(rows, homes_of(rows, centres, progress), size)


def bin_centres(rows: Sketch, n_records: int, size: int, progress: Progress = SILENT) -> Sketch:
    """The centres of bins for so many records, of which ``rows`` are a sample, or all."""
    count = round(n_records / size)
    if count < 2:
        return rows[:0]
    centres = _virtual_centres(rows, count)
    home = nearest_centres(rows, centres, 1, progress)[:, 0]
    least = size / 4 * len(rows) / n_records
    return centres[np.bincount(home, minlength=len(centres)) >= least]


def homes_of(rows: Sketch, centres: Sketch, progress: Progress = SILENT) -> Codes:
    """The nearest centre of each record; 0 for all if there is none."""
    if len(centres) == 0:
        return np.zeros(len(rows), np.int32)
    return nearest_centres(rows, centres, 1, progress)[:, 0]


def bins_of(rows: Sketch, home: Codes, size: int) -> Bins:
    """The bins of records, each with its home; those of a home hang on no other."""
    bins: Bins = []
    for bin_ in np.unique(home):
        bins.extend(_halved(rows, np.flatnonzero(home == bin_), 3 * size // 2))
    return bins


def _virtual_centres(rows: Sketch, count: int) -> Sketch:
    """Means of the records nearest to them, on a sample."""
    generator = np.random.Generator(np.random.Philox(_BINS_KEY))
    wanted = min(len(rows), SAMPLE_PER_CENTRE * count)
    sample = rows[generator.choice(len(rows), wanted, replace=False)]
    centres = sample[:count].copy()
    for _ in range(ITERATIONS):
        nearest = nearest_centres(sample, centres, 1)[:, 0].astype(np.int64)
        used, labels = np.unique(nearest, return_inverse=True)
        centres[used] = means(sample, labels, len(used))
    return centres


def _halved(rows: Sketch, records: Integers, most: int) -> Bins:
    """Cut across the side along which the records differ most, until no part is too large."""
    if len(records) <= most:
        return [records]
    here = rows[records]
    side = int(here.var(axis=0, dtype=np.float64).argmax())
    order = np.argsort(here[:, side], kind="stable")
    middle = len(order) // 2
    low, high = np.sort(records[order[:middle]]), np.sort(records[order[middle:]])
    return _halved(rows, low, most) + _halved(rows, high, most)


DIMENSIONS = 32
GROUPS_PER_BIN = 10  # at least: k may be large


class BinPlan(NamedTuple):
    """What all records share: their space, the directions of sketches, the centres of bins.

    ``size`` is about how many records a bin has. Without a centre there is one bin for all.
    """

    space: PointSpace
    axes: Sketch
    centres: Sketch
    size: int

    def homes(self, points: Points) -> Codes:
        """Where each record belongs. Records of one home are grouped among themselves."""
        if len(self.centres) == 0:
            return np.zeros(points.n_records, np.int32)
        return homes_of(projected(points, self.axes), self.centres)


class BinnedParameters(RefinedParameters):
    """How users are put into bins, and how hard each bin is worked on."""

    near_users: int = Field(default=36, ge=1, le=100_000)
    """With how many users, those of the groups nearest to it, a record tries to change places."""

    passes: int = Field(default=4, ge=0, le=1000)
    """How often each record may look around at most; 0 leaves the groups of MDAV."""

    bin_size: int = Field(default=4096, ge=16, le=1_000_000)
    """About how many users are grouped among themselves. Time grows with it, the loss falls."""


class Binned(Clustering):
    """MDAV and its refinement within bins of users who lie near each other.

    The time grows with the number of users times the size of a bin instead of with the square
    of the number of users. Every group has at least k members all the same; what is lost is
    that nobody finds a partner across the border of a bin.
    """

    name: ClassVar[str] = "binned"
    summary: ClassVar[str] = "MDAV and its refinement within bins, for very many users."
    Parameters: ClassVar[type[Parameters]] = BinnedParameters
    parameters: BinnedParameters

    def cluster(self, points: Points, k: int, progress: Progress) -> LabelOfRecord:
        plan = self.plan(points, points.n_records, k, progress)
        return self.cluster_by(plan, points, k, progress)

    def plan(self, points: Points, n_records: int, k: int, progress: Progress) -> BinPlan:
        """Where bins lie for so many records, of which ``points`` are a sample, or all."""
        size = self.size_for(k)
        axes = np.empty((points.n_items, 0), np.float32)
        centres = np.empty((0, 0), np.float32)
        if n_records > 3 * size // 2:
            axes = axes_of(points, DIMENSIONS, progress)
            rows = projected(points, axes, progress)
            centres = bin_centres(rows, n_records, size, progress)
        return BinPlan(points.space, axes, centres, size)

    def cluster_by(
        self, plan: BinPlan, points: Points, k: int, progress: Progress
    ) -> LabelOfRecord:
        """The group of each record; those of a home hang on no other."""
        inside = self._refined()
        if len(plan.centres) == 0:
            return inside.cluster(points, k, progress)
        rows = projected(points, plan.axes, progress)
        bins = bins_of(rows, homes_of(rows, plan.centres, progress), plan.size)
        return in_bins(points, bins, lambda part: inside.cluster(part, k, SILENT), progress)

    def size_for(self, k: int) -> int:
        """How many users a bin has, so that some groups of k find room."""
        return max(self.parameters.bin_size, GROUPS_PER_BIN * k)

    def _refined(self) -> Refined:
        settings = self.parameters
        return Refined(near_users=settings.near_users, passes=settings.passes)


def in_bins(
    points: Points, bins: Bins, grouped: Callable[[Points], LabelOfRecord], progress: Progress
) -> LabelOfRecord:
    """Group the records of each bin among themselves; labels count on from bin to bin."""

    def one_bin(first: int, end: int) -> LabelOfRecord:
        return grouped(points.take(bins[first]))

    with progress.task("Grouping users in bins", len(bins)) as task:
        found = in_threads(one_bin, [(at, at + 1) for at in range(len(bins))], task)
    labels, groups = np.empty(points.n_records, np.int64), 0
    for records, inside in zip(bins, found, strict=True):
        labels[records] = groups + inside
        groups += int(inside.max()) + 1
    return labels
