"""Clustering `binned`: neighbourhoods first, then MDAV in each; for more users than MDAV can."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from pydantic import Field

from recloak.clusterings.base import Clustering, LabelOfRecord
from recloak.clusterings.bins import Bins, make_bins
from recloak.clusterings.groups import Groups
from recloak.clusterings.mdav import mdav
from recloak.clusterings.points import Points
from recloak.clusterings.refined import Refined, RefinedParameters
from recloak.clusterings.sketch import sketch
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress
from recloak.threads import in_threads

DIMENSIONS = 32
GROUPS_PER_BIN = 10  # at least: k may be large
_KEY = 20060917


class BinnedParameters(RefinedParameters):
    """How the users are parted, and how hard each part is worked on."""

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
    that nobody finds a partner across the border of a bin: `binning_cost` tells how much.
    """

    name: ClassVar[str] = "binned"
    summary: ClassVar[str] = "MDAV and its refinement within bins, for very many users."
    Parameters: ClassVar[type[Parameters]] = BinnedParameters
    parameters: BinnedParameters

    def cluster(self, points: Points, k: int, progress: Progress) -> LabelOfRecord:
        size = self.size_for(k)
        if points.n_records <= 3 * size // 2:
            return self._refined().cluster(points, k, progress)
        bins = make_bins(sketch(points, DIMENSIONS, progress), size, progress)
        inside = self._refined()
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


@dataclass(frozen=True)
class BinningCost:
    """What bins cost on a sample: squared errors in rating units of MDAV as a whole and in bins."""

    users: int
    bins: int
    whole: float
    binned: float

    @property
    def share(self) -> float:
        """By how much bins raise the error, as a share of that of MDAV as a whole."""
        return self.binned / self.whole - 1 if self.whole > 0 else 0.0


def binning_cost(
    points: Points, k: int, size: int, users: int = 5000, progress: Progress = SILENT
) -> BinningCost:
    """Run MDAV on a random sample both ways, with as many bins as all records would have.

    The bins of the sample are smaller in proportion, so that as large a share of all borders is
    met; where a bin of the sample would hold fewer than ten groups, there are fewer bins.
    """
    generator = np.random.Generator(np.random.Philox(_KEY))
    count = min(users, points.n_records)
    sample = points.take(np.sort(generator.choice(points.n_records, count, replace=False)))
    scaled = max(round(size * count / points.n_records), GROUPS_PER_BIN * k)
    bins = make_bins(sketch(sample, DIMENSIONS), scaled)
    binned = in_bins(sample, bins, lambda part: mdav(part, k), progress)
    whole = mdav(sample, k, progress)
    losses = [Groups.of(labels).loss(sample).ratings for labels in (whole, binned)]
    return BinningCost(count, len(bins), *losses)
