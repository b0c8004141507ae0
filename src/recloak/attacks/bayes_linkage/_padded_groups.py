"""Candidates that are groups whose profiles list every item, rated or not.

What nobody rated was predicted, and predictions follow few factors: a low-rank fit of all profiles
finds them again. What a cell departs from it is what members rated, over the size of the group.
"""

from __future__ import annotations

import numpy as np

from recloak.attacks._low_rank import low_rank
from recloak.attacks.bayes_linkage._candidates import RatedCells
from recloak.attacks.bayes_linkage._groups import GroupCandidates
from recloak.core.arrays import Floats, Values
from recloak.core.scale import Scale
from recloak.releases.grouped import GroupedRelease

MOST_CELLS = 60_000_000
SPREAD_OF_RATINGS = 0.225  # of the span: what a rating departs from a good prediction of it
LEAST_DEPARTURE = 0.0125  # of the span: the rounding of profiles


class PaddedGroupCandidates(GroupCandidates):
    """Every group is a candidate, and its profile is the mean of padded ratings."""

    def __init__(
        self, release: GroupedRelease, scale: Scale, value_shares: Floats, seed: int = 0
    ) -> None:
        super().__init__(release, scale, value_shares)
        cells = self.table.values.reshape(self.count, self.table.n_items)
        span = max(scale.span, 1e-9)
        self._fitted = low_rank(cells, seed) if cells.size <= MOST_CELLS else _additive(cells)
        self._departs = (cells - self._fitted).astype(np.float32)
        squared = np.square(self._departs).mean(axis=0, dtype=np.float64)
        self._noise = np.sqrt(squared + (LEAST_DEPARTURE * span) ** 2)
        self._spread = SPREAD_OF_RATINGS * span

    def mass(self, item_weights: Floats) -> Floats:
        return np.ones(self.count)

    def chances(self) -> Floats:
        every = [self.likelihood(item, None) for item in range(self.table.n_items)]
        return np.stack(every, axis=1).ravel() if every else np.empty(0)

    def cells(self) -> RatedCells:
        """None: how far a cell departs says little of whether somebody rated the item at all."""
        nothing = np.empty(0, np.int32)
        return RatedCells(nothing, nothing, np.empty(0))

    def likelihood(self, item: int, value: float | None) -> Floats:
        departs, noise = self._departs[:, item].astype(np.float64), self._noise[item]
        if value is None:
            extra = (self._spread / self._sizes) ** 2 / noise**2
            logs = 0.5 * ((departs / noise) ** 2 * (extra / (1 + extra)) - np.log1p(extra))
        else:
            away = value - self._fitted[:, item].astype(np.float64)
            shift = away / self._sizes
            logs = 0.5 * ((departs / noise) ** 2 - ((departs - shift) / noise) ** 2)
            logs -= 0.5 * (away / self._spread) ** 2
        return np.asarray(np.exp(np.clip(logs, -20.0, 20.0)))


def _additive(cells: Values) -> Values:
    """The mean of each item, and what each group departs from it on average."""
    means = cells.mean(axis=0)
    return np.asarray(means + (cells - means).mean(axis=1, keepdims=True))
