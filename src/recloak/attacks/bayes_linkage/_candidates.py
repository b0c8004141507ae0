"""Candidates: the rows, groups or clusters of a release one of which holds the person.

A candidate is weighed by prior × likelihood. The prior is the same for each person. The likelihood
of what is known is, for each known item, the chance that whoever stands behind the candidate gave
this rating (`likelihood`), over how much of theirs could as well have come to be known (`mass`): a
short row that holds all that is known explains it better than a long one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import gammaln

from recloak.attacks.bayes_linkage._kernels import log_absent_below
from recloak.attacks.bayes_linkage._knowledge import KnowledgeModel, Known
from recloak.core.arrays import Codes, Floats, Indices, offsets_from
from recloak.core.ratings import ItemView, Ratings

IMPOSSIBLE = 1e-12
LOG_IMPOSSIBLE = float(np.log(IMPOSSIBLE))
VECTORS_KEPT_BYTES = 256_000_000
SURELY = 1 - 1e-9


class RatedCells(NamedTuple):
    """What candidates tell of items: the candidate, the item, and the chance that it was rated."""

    owners: Codes
    items: Codes
    chances: Floats


class Candidates(ABC):
    """All candidates of one release."""

    table: Ratings
    """A row of listed items and values for each candidate."""

    note: str = ""
    """What the report says about the weighing where it is weaker than it could be."""
    only_holders: ClassVar[bool] = False
    """Can nobody have rated an item but whom a candidate lists it for? Then others are left out of
    the sums, which of many rows are nearly all."""
    is_one_person: ClassVar[bool] = False
    """Does a candidate list all that one person rated? Then what is left can be counted down."""

    @property
    def count(self) -> int:
        """How many candidates there are."""
        return self.table.n_users

    @property
    def people(self) -> Floats:
        """How many people stand behind each candidate."""
        return np.ones(self.count)

    @abstractmethod
    def likelihood(self, item: int, value: float | None) -> Floats:
        """For each candidate the chance that its person rated the item, and gave the value."""

    @abstractmethod
    def chances(self) -> Floats:
        """For each listed cell the chance that the candidate's person rated the item."""

    @abstractmethod
    def rows_named(self, weights: Floats, known: Known) -> tuple[Indices, float]:
        """The rows of the release between which the adversary cannot decide, and their confidence.

        ``weights`` are those of each of the people behind a candidate; with `people` they add up
        to the chance that the person is in the release at all. The confidence is the chance that
        one of these rows, taken by itself, is the person's.
        """

    def cells(self) -> RatedCells:
        """Every item that a candidate tells of, once."""
        return RatedCells(self.table.user_codes(), self.table.items, self.chances())

    def sharing(self, row: int) -> int:
        """How many people share what a row tells."""
        return 1

    def mass(self, item_weights: Floats) -> Floats:
        """For each candidate the summed weight of the items that its person rated."""
        cells = self.chances() * item_weights[self.table.items]
        owners = self.table.user_codes()
        return np.bincount(owners, weights=cells, minlength=self.count).astype(np.float64)

    def log_nothing_beyond(self, known: Known) -> Floats | float:
        """For each candidate how likely it lists what it lists if all of a person is known."""
        return 0.0

    def of_holders(self, item: int, value: float | None) -> tuple[Codes, Floats]:
        """The candidates that list an item, and their `likelihood`."""
        held, _ = self.holders(item)
        return held, self.likelihood(item, value)[held]

    def holders(self, item: int) -> tuple[Codes, Floats]:
        """The candidates that list an item, and the values that they list."""
        index: ItemView = self.table.by_item
        here = slice(index.offsets[item], index.offsets[item + 1])
        return index.users[here], index.values[here].astype(np.float64)


class Weigher:
    """Weighs all candidates by what is known."""

    def __init__(self, candidates: Candidates, model: KnowledgeModel) -> None:
        self.candidates, self.model = candidates, model
        self.item_weights = model.weights_in_release(candidates.table.n_items)
        self.masses = np.maximum(candidates.mass(self.item_weights), IMPOSSIBLE)
        self._log_masses = np.log(self.masses)
        self._total_weight = float(model.item_weights @ model.support) or 1.0
        self._log_people = float(np.log(max(candidates.people.sum(), 1.0)))
        most = max(64, VECTORS_KEPT_BYTES // (8 * max(candidates.count, 1)))
        self._of_one = lru_cache(most)(self._log_likelihood)
        self._of_holders = candidates.only_holders and model.wrong == 0
        self._of_one_item = lru_cache(most)(self._log_gained)
        self._in_general = lru_cache(None)(self._log_in_general)
        self._of_so_many = lru_cache(64)(self._log_ways_alike)
        self._rarity = _Rarity.of(candidates, model) if model.model == "rare" else None

    def log_weights(self, known: Known) -> Floats:
        """The logarithm of each candidate's weight, up to a constant."""
        total = self._log_likelihoods(known)
        if self.model.known == 0 and self.model.wrong == 0:
            total += self.candidates.log_nothing_beyond(known)
        if self._rarity is not None:
            return np.asarray(total + self._rarity.log_none_rarer(known))
        return np.asarray(total - self._log_ways(known))

    def _log_likelihoods(self, known: Known) -> Floats:
        total = np.zeros(self.candidates.count)
        if not self._of_holders:
            for item, value in known.pairs():
                total += self._of_one(item, value)
            return total
        items = known.items[known.items >= 0]
        total += len(items) * LOG_IMPOSSIBLE
        for item, value in known.pairs():
            if item >= 0:
                held, gained = self._of_one_item(item, value)
                total[held] += gained
        return total

    def _log_gained(self, item: int, value: float | None) -> tuple[Codes, Floats]:
        """Who holds an item, and how much likelier than impossible they gave the value."""
        held, chance = self.candidates.of_holders(item, value)
        return held, np.log(np.maximum(chance, IMPOSSIBLE)) - LOG_IMPOSSIBLE

    def normalised(self, known: Known, log_weights: Floats) -> Floats:
        """The chance of each person behind a candidate; they add up to the chance of being in it.

        Somebody is as likely in the release as not, and if not, rated what people rate.
        """
        elsewhere = self._log_elsewhere(known) + self._log_people
        top = max(float(log_weights.max(initial=-np.inf)), elsewhere)
        weights = np.exp(log_weights - top)
        total = float(weights @ self.candidates.people) + float(np.exp(elsewhere - top))
        return np.asarray(weights / total)

    def _log_ways(self, known: Known) -> Floats:
        """Drawn one after the other, what is left to be drawn from becomes less each time.

        How many ratings somebody of a group has is not known so well, and is left as it is.
        """
        weights = self.item_weights[known.items[known.items >= 0]]
        if not self.candidates.is_one_person:
            return np.asarray(len(weights) * self._log_masses)
        if self.model.model == "uniform":
            return self._of_so_many(len(weights))
        ways, drawn = np.zeros(len(self.masses)), 0.0
        left = np.maximum(self.masses, weights.sum())
        for weight in np.sort(weights):
            ways += np.log(left - drawn)
            drawn += weight
        return ways

    def _log_ways_alike(self, count: int) -> Floats:
        left = np.maximum(self.masses, count)
        return np.asarray(gammaln(left + 1) - gammaln(left - count + 1))

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

    def _log_elsewhere(self, known: Known) -> float:
        """The likelihood of what is known for somebody of whom nothing else is known."""
        if self._rarity is not None:
            return -np.inf
        return float(sum(self._in_general(item, value) for item, value in known.pairs()))

    def _log_in_general(self, item: int, value: float | None) -> float:
        if item < 0:
            return 0.0
        people = self.candidates.people
        if self._of_holders:
            _, gained = self._of_one_item(item, value)
            missing = len(people) - len(gained)
            chance = IMPOSSIBLE * (float(np.exp(gained).sum()) + missing)
        else:
            chance = float(np.exp(self._of_one(item, value)) @ people)
        return float(np.log(max(chance / float(self.masses @ people), IMPOSSIBLE)))


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
        rank = np.zeros(candidates.table.n_items, dtype=np.int32)
        held = model.item_in_release >= 0
        rank[model.item_in_release[held]] = model.support[held]
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
