"""Clustering `binned`: neighbourhoods first, then MDAV in each; for more users than MDAV can."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from recloak.clustering._bins import DIMENSIONS, bin_centres, bins_of, homes_of, in_bins, size_for
from recloak.clustering._points import Points, PointSpace
from recloak.clustering._sketch import Sketch, axes_of, projected
from recloak.clustering.base import Clustering, LabelOfRecord
from recloak.clustering.refined import Refined, RefinedParameters
from recloak.core.arrays import Codes, Indices
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress


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

    def plan(
        self,
        points: Points,
        n_records: int,
        k: int,
        progress: Progress,
        order: Indices | None = None,
    ) -> BinPlan:
        """Where bins lie for so many records, of which ``points`` are a sample, or all.

        Centres are sought among the first in ``order``, a random one of the points, if given.
        """
        size = self.size_for(k)
        axes = np.empty((points.n_items, 0), np.float32)
        centres = np.empty((0, 0), np.float32)
        if n_records > 3 * size // 2:
            axes = axes_of(points, DIMENSIONS, progress)
            rows = projected(points, axes, progress)
            centres = bin_centres(rows, n_records, size, progress, order)
        return BinPlan(points.space, axes, centres, size)

    def cluster_by(
        self, plan: BinPlan, points: Points, k: int, progress: Progress
    ) -> LabelOfRecord:
        """The group of each record; those of a home hang on no other."""
        inside = self._refined()
        if len(plan.centres) == 0:
            return inside.together(points, k, progress)
        rows = projected(points, plan.axes, progress)
        bins = bins_of(rows, homes_of(rows, plan.centres, progress), plan.size)
        return in_bins(points, bins, lambda part: inside.together(part, k, SILENT), progress)

    def size_for(self, k: int) -> int:
        """How many users a bin has, so that some groups of k find room."""
        return size_for(k, self.parameters.bin_size)

    def _refined(self) -> Refined:
        settings = self.parameters
        return Refined(near_users=settings.near_users, passes=settings.passes)
