"""Rows that hold all that is known: where nobody else can be the person, only these are weighed.

The posterior is that of `Weigher`, which weighs every row; of very many rows nearly all are
impossible.
"""

from __future__ import annotations

import numpy as np

from recloak.attacks.bayes_linkage._candidates import IMPOSSIBLE
from recloak.attacks.bayes_linkage._kernels import count_rarer, holding_all
from recloak.attacks.bayes_linkage._knowledge import KnowledgeModel, Known
from recloak.attacks.bayes_linkage._rows import RowCandidates
from recloak.attacks.bayes_linkage._weigher import (
    SURELY,
    InGeneral,
    log_ways,
    log_ways_alike,
    support_ranks,
)
from recloak.core.arrays import Codes, Floats, Indices
from recloak.core.cache import PerTableCache

# How often a rating is given in general is estimated on so many who rated the item.
MOST_HOLDERS = 1_000
# How many people gave a rating, for each that was asked about; whatever else is known, it is asked.
_GIVEN: PerTableCache[dict[tuple[int, float | None], float]] = PerTableCache()
LOG_SURELY_ABSENT = float(np.log1p(-SURELY))


class HolderWeigher(InGeneral):
    """Weighs the rows that hold every known item."""

    def __init__(self, candidates: RowCandidates, model: KnowledgeModel) -> None:
        super().__init__(model)
        self.candidates = candidates
        table = candidates.table
        self.item_weights = model.weights_in_release(table.n_items)
        self.masses = np.maximum(candidates.mass(self.item_weights), IMPOSSIBLE)
        self._total_mass = float(self.masses.sum())
        self._by_item = table.by_item
        self._rank = support_ranks(table.n_items, model)
        alike = candidates.weighed_by, model.wrong, model.units, MOST_HOLDERS
        self._given = _GIVEN.get(table, alike, dict)

    @property
    def work(self) -> int:
        """How many rows hold the item of a rating, on average: so many are looked at for each."""
        support = np.diff(self._by_item.offsets).astype(np.float64)
        return int((support * support).sum() / max(support.sum(), 1.0))

    def named(self, known: Known) -> tuple[Indices, float]:
        """The rows that what is known points to, and the confidence in each of them."""
        rows, weights = self.normalised(known)
        if len(rows) == 0:
            return rows, 0.0
        best = float(weights.max())
        return rows[weights >= best * (1 - 1e-9)], best

    def normalised(self, known: Known) -> tuple[Indices, Floats]:
        """The rows that hold all that is known, and the chance that each is the person's.

        Somebody is as likely in the release as not, and if not, rated what people rate.
        """
        rows, log_weights = self.log_weights(known)
        elsewhere = self._log_elsewhere(known) + float(np.log(max(self.candidates.count, 1)))
        top = max(float(log_weights.max(initial=-np.inf)), elsewhere)
        weights = np.exp(log_weights - top)
        return rows, weights / max(float(weights.sum() + np.exp(elsewhere - top)), IMPOSSIBLE)

    def log_weights(self, known: Known) -> tuple[Indices, Floats]:
        """The rows that hold all that is known, and the logarithms of their weights."""
        kept = known.items >= 0
        items = known.items[kept]
        if len(items) == 0:
            return np.arange(self.candidates.count), -self._log_ways(self.masses, items)
        cells = holding_all(self._by_item.offsets, self._by_item.users, items)
        rows = self._by_item.users[cells[0]]
        total = np.zeros(len(rows))
        if known.values is not None:
            chances = self._chances(items, known.values[kept].astype(np.float64), cells)
            total = np.log(np.maximum(chances, IMPOSSIBLE)).sum(axis=0)
        if self.model.model == "rare":
            total += self._log_none_rarer(rows, items)
        else:
            total -= self._log_ways(self.masses[rows], items)
        return rows.astype(np.int64), total

    def _chances(self, items: Codes, values: Floats, cells: Indices) -> Floats:
        """The chance of each known value for a line of cells of its item; some may be wrong."""
        held, published = self._by_item.users[cells], self._by_item.values[cells].astype(np.float64)
        chance, wrong = self.candidates.fits(items, held, published, values), self.model.wrong
        if wrong > 0:
            step = 2 * self.model.units.tolerance
            below = self.candidates.fits(items, held, published, values - step)
            above = self.candidates.fits(items, held, published, values + step)
            chance = (1 - wrong) * chance + wrong * 0.5 * (below + above)
        return np.asarray(chance)

    def chance_sum(self, item: int, value: float, rows: Indices) -> float:
        """The chances of a value of an item, added up over some rows that hold the item."""
        start, end = self._by_item.offsets[item], self._by_item.offsets[item + 1]
        cells = start + np.searchsorted(self._by_item.users[start:end], rows)
        one = np.array([item], np.int32), np.array([value]), cells[None]
        return float(self._chances(*one).sum())

    def _log_ways(self, masses: Floats, items: Codes) -> Floats:
        if self.model.model == "uniform":
            return log_ways_alike(masses, len(items))
        return log_ways(masses, self.item_weights[items])

    def _log_none_rarer(self, rows: Codes, items: Codes) -> Floats:
        """Who knows the rarest ratings of a person knows that they have none that is rarer."""
        limit, table = int(self._rank[items].max()), self.candidates.table
        rarer = count_rarer(table.offsets, table.items, self._rank, rows, limit)
        known = int((self._rank[items] < limit).sum())
        return np.asarray(np.minimum((rarer - known) * LOG_SURELY_ABSENT, 0.0))

    def _given_in_general(self, item: int, value: float | None) -> float:
        if (item, value) not in self._given:
            self._given[item, value] = self._estimated(item, value)
        return self._given[item, value]

    def _estimated(self, item: int, value: float | None) -> float:
        cells = np.arange(self._by_item.offsets[item], self._by_item.offsets[item + 1])
        if value is None:
            return float(len(cells))
        some = cells[:: max(1, len(cells) // MOST_HOLDERS)]
        one = np.array([item], np.int32), np.array([value]), some[None]
        return float(self._chances(*one).sum()) * len(cells) / max(len(some), 1)
