"""Clustering `binned`: neighbourhoods first, then MDAV in each; for more users than MDAV can."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from recloak.clustering._bins import bins_for, in_bins, size_for
from recloak.clustering._points import Points
from recloak.clustering.base import Clustering, LabelOfRecord
from recloak.clustering.refined import Refined, RefinedParameters
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress


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
        settings = self.parameters
        inside = Refined(near_users=settings.near_users, passes=settings.passes)
        if points.n_records <= 3 * size_for(k, settings.bin_size) // 2:
            return inside.together(points, k, progress)
        bins = bins_for(points, k, settings.bin_size, progress)
        return in_bins(points, bins, lambda part: inside.together(part, k, SILENT), progress)
