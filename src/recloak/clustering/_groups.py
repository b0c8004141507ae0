"""Groups: what a partition of the records loses, and the mean profile of each group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.clustering._points import CELLS_PER_BLOCK, Points
from recloak.core.arrays import (
    Codes,
    Floats,
    Integers,
    Offsets,
    offsets_from,
)
from recloak.core.kernels.record_groups import count_profiles, fill_profiles, group_losses
from recloak.core.parallel import in_threads
from recloak.core.progress import SILENT, Progress


@dataclass(frozen=True)
class Loss:
    """The sum of squared errors when every record is replaced by the mean of its group."""

    standardised: float
    """In the space of distances, which every clustering tries to keep small."""
    ratings: float
    """In rating units over all cells, imputed ones included: what the paper reports."""
    known: float
    """In rating units over the cells that were rated."""
    share: float
    """``ratings`` as a share of the sum of squares around the item means."""


@dataclass(frozen=True, eq=False)
class Profiles:
    """The mean of each group, in rating units; a cell that is not stored is the item's base.

    ``raters`` counts the members who rated the item themselves.
    """

    offsets: Offsets
    items: Codes
    values: Floats
    raters: Codes


@dataclass(frozen=True, eq=False)
class Groups:
    """A partition by group: ``members[starts[g]:starts[g + 1]]``, ascending."""

    starts: Offsets
    members: Integers

    @classmethod
    def of(cls, labels: Integers) -> Groups:
        """From one label per record, 0..groups − 1."""
        counts = np.bincount(labels)
        starts = offsets_from(counts)
        return cls(starts, np.argsort(labels, kind="stable"))

    @property
    def count(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Integers:
        return np.diff(self.starts)

    def blocks(self, points: Points) -> list[tuple[int, int]]:
        """Ranges of groups with about as many cells each."""
        per_group = max(1.0, len(points.values) / max(1, self.count))
        step = max(1, int(CELLS_PER_BLOCK / per_group))
        return [(at, min(at + step, self.count)) for at in range(0, self.count, step)]

    def loss(self, points: Points, progress: Progress = SILENT) -> Loss:
        """What replacing each record by the mean of its group loses."""
        cells = (points.offsets, points.items, points.values, points.known, points.spread)
        blocks = self.blocks(points)
        with progress.task("Measuring the loss", len(blocks)) as task:
            parts = in_threads(
                lambda a, b: group_losses(a, b, self.starts, self.members, *cells), blocks, task
            )
        standardised, ratings, known = np.sum(parts, axis=0).tolist() if parts else (0.0, 0.0, 0.0)
        share = ratings / points.total if points.total > 0 else 0.0
        return Loss(standardised, ratings, known, share)

    def profiles(self, points: Points, first: int = 0, end: int | None = None) -> Profiles:
        """The profiles of the groups first..end; by `blocks`, they can be streamed."""
        end = self.count if end is None else end
        starts = self.starts[first : end + 1]
        rows = (starts, self.members, points.offsets, points.items)
        counts = np.zeros(end - first, np.int64)
        count_profiles(0, end - first, *rows, points.n_items, counts)
        offsets = offsets_from(counts)
        items, values = np.empty(offsets[-1], np.int32), np.empty(offsets[-1])
        raters = np.empty(offsets[-1], np.int32)
        cells = (points.values, points.known, points.base, points.spread)
        fill_profiles(0, end - first, *rows, *cells, offsets, items, values, raters)
        return Profiles(offsets, items, values, raters)
