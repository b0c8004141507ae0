"""Weigher: every candidate by prior × likelihood of what is known."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict

import numpy as np
from scipy.special import gammaln

from recloak.attacks.bayes_linkage._candidates import IMPOSSIBLE, Candidates, RatedCells
from recloak.attacks.bayes_linkage._kernels import log_absent_below
from recloak.attacks.bayes_linkage._knowledge import KnowledgeModel, Known
from recloak.core.arrays import Codes, Floats, Indices, offsets_from

VECTORS_KEPT_BYTES = 256_000_000
SURELY = 1 - 1e-9


class InGeneral(ABC):
    """How likely what is known is of somebody of whom nothing else is known."""

    def __init__(self, model: KnowledgeModel) -> None:
        self.model = model
        self._in_general: dict[tuple[int, float | None], float] = {}

    _total_mass: float
    """The summed weight of all ratings of the release."""

    @abstractmethod
    def _given_in_general(self, item: int, value: float | None) -> float:
        """How many people gave a rating."""

    def _log_elsewhere(self, known: Known) -> float:
        if self.model.model == "rare":
            return -np.inf
        return float(sum(self._log_in_general(item, value) for item, value in known.pairs()))

    def _log_in_general(self, item: int, value: float | None) -> float:
        if item < 0:
            return 0.0
        if (item, value) not in self._in_general:
            chance = self._given_in_general(item, value) / self._total_mass
            self._in_general[item, value] = float(np.log(max(chance, IMPOSSIBLE)))
        return self._in_general[item, value]


class Weigher(InGeneral):
    """Weighs all candidates by what is known."""

    def __init__(self, candidates: Candidates, model: KnowledgeModel) -> None:
        super().__init__(model)
        self.candidates = candidates
        self.item_weights = model.weights_in_release(candidates.table.n_items)
        self.masses = np.maximum(candidates.mass(self.item_weights), IMPOSSIBLE)
        self._people = candidates.people
        self._log_masses = np.log(self.masses)
        self._total_mass = float((self.masses * self._people).sum())
        self._total_weight = float((model.item_weights * model.support).sum()) or 1.0
        self._log_people = float(np.log(max(self._people.sum(), 1.0)))
        most = max(64, VECTORS_KEPT_BYTES // (8 * max(candidates.count, 1)))
        self._most_kept = most
        self._kept: OrderedDict[tuple[int, float | None], Floats] = OrderedDict()
        self._of_so_many: dict[int, Floats] = {}
        self._rarity = _Rarity.of(candidates, model) if model.model == "rare" else None

    @property
    def work(self) -> int:
        """About how many candidates are looked at for each known item."""
        return self.candidates.count

    def named(self, known: Known) -> tuple[Indices, float]:
        """The rows that what is known points to, and the confidence in each of them."""
        weights = self.normalised(known, self.log_weights(known))
        return self.candidates.rows_named(weights, known)

    def log_weights(self, known: Known) -> Floats:
        """The logarithm of each candidate's weight, up to a constant."""
        total = np.zeros(self.candidates.count)
        for item, value in known.pairs():
            total += self._of_one(item, value)
        if self.model.known == 0 and self.model.wrong == 0:
            total += self.candidates.log_nothing_beyond(known)
        if self._rarity is not None:
            return np.asarray(total + self._rarity.log_none_rarer(known))
        return np.asarray(total - self._log_ways(known))

    def log_elsewhere(self, known: Known) -> float:
        """The logarithm of the weight that somebody has who is not in the release."""
        return self._log_elsewhere(known) + self._log_people

    def normalised(self, known: Known, log_weights: Floats) -> Floats:
        """The chance of each person behind a candidate; they add up to the chance of being in it.

        Somebody is as likely in the release as not, and if not, rated what people rate.
        """
        elsewhere = self.log_elsewhere(known)
        top = max(float(log_weights.max(initial=-np.inf)), elsewhere)
        weights = np.exp(log_weights - top)
        # a product of vectors by BLAS starts threads, which wait for each other on a busy machine
        total = float((weights * self._people).sum()) + float(np.exp(elsewhere - top))
        return np.asarray(weights / total)

    def _log_ways(self, known: Known) -> Floats:
        """How many ratings somebody of a group has is not known so well: it is left as it is."""
        weights = self.item_weights[known.items[known.items >= 0]]
        count = len(weights)
        if not self.candidates.is_one_person:
            return np.asarray(count * self._log_masses)
        if self.model.model != "uniform":
            return log_ways(self.masses, weights)
        if count not in self._of_so_many:
            self._of_so_many[count] = log_ways_alike(self.masses, count)
        return self._of_so_many[count]

    def _of_one(self, item: int, value: float | None) -> Floats:
        """`_log_likelihood`, kept for the next who ask for the same."""
        if (item, value) not in self._kept:
            self._kept[item, value] = self._log_likelihood(item, value)
            if len(self._kept) > self._most_kept:
                self._kept.popitem(last=False)
        self._kept.move_to_end((item, value))
        return self._kept[item, value]

    def _log_likelihood(self, item: int, value: float | None) -> Floats:
        if item < 0:
            return np.zeros(self.candidates.count)  # tells nothing about anyone in the release
        chance, wrong = self.candidates.likelihood(item, value), self.model.wrong
        if wrong > 0:
            chance = (1 - wrong) * chance + wrong * self._by_mistake(item, value)
        return np.asarray(np.log(np.maximum(chance, IMPOSSIBLE)))

    def _by_mistake(self, item: int, value: float | None) -> Floats:
        """The same for knowledge that is wrong: a neighbouring value, or any item."""
        if value is None:
            return self.masses / self._total_weight
        step = 2 * self.model.units.tolerance
        near = [self.candidates.likelihood(item, value + off) for off in (-step, step)]
        return np.asarray(0.5 * (near[0] + near[1]))

    def _given_in_general(self, item: int, value: float | None) -> float:
        return float((np.exp(self._of_one(item, value)) * self._people).sum())


def log_ways_alike(masses: Floats, count: int) -> Floats:
    """In how many ways so many ratings of each candidate can be drawn, one after the other."""
    left = np.maximum(masses, count)
    return np.asarray(gammaln(left + 1) - gammaln(left - count + 1))


def log_ways(masses: Floats, weights: Floats) -> Floats:
    """The same for items of these weights: what is left to be drawn from becomes less each time."""
    ways, drawn = np.zeros(len(masses)), 0.0
    left = np.maximum(masses, weights.sum())
    for weight in np.sort(weights):
        ways += np.log(left - drawn)
        drawn += weight
    return ways


def support_ranks(n_items: int, model: KnowledgeModel) -> Codes:
    """For each of the items of the release how many people rated it, as is generally known."""
    rank = np.zeros(n_items, dtype=np.int32)
    held = model.item_in_release >= 0
    rank[model.item_in_release[held]] = model.support[held]
    return rank


class _Rarity:
    """Who knows the rarest ratings of a person knows that they have none that is rarer."""

    def __init__(self, cells: RatedCells, rank: Codes, count: int) -> None:
        self._rank, self._count = rank, count
        logs = np.log1p(-np.minimum(cells.chances, SURELY))
        order = np.lexsort((rank[cells.items], cells.owners))
        self._ranks = rank[cells.items][order]
        self._sums = np.concatenate([[0.0], np.cumsum(logs[order])])
        self._offsets = offsets_from(np.bincount(cells.owners, minlength=count))
        by_item = np.argsort(cells.items, kind="stable")
        self._owners, self._logs = cells.owners[by_item], logs[by_item]
        self._of_item = offsets_from(np.bincount(cells.items, minlength=len(rank)))

    @classmethod
    def of(cls, candidates: Candidates, model: KnowledgeModel) -> _Rarity:
        rank = support_ranks(candidates.table.n_items, model)
        return cls(candidates.cells(), rank, candidates.count)

    def log_none_rarer(self, known: Known) -> Floats:
        """For each candidate the logarithm of the chance that its person has no rarer item."""
        items = known.items[known.items >= 0]
        if len(items) == 0:
            return np.zeros(self._count)
        limit = int(self._rank[items].max())
        total = log_absent_below(self._offsets, self._ranks, self._sums, limit)
        for item in items[self._rank[items] < limit].tolist():
            here = slice(self._of_item[item], self._of_item[item + 1])
            total[self._owners[here]] -= self._logs[here]
        return np.asarray(np.minimum(total, 0.0))
