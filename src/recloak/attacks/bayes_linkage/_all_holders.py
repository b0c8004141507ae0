"""Rows that hold all that is known, sought among all rows of a release, block by block.

A row is weighed as `HolderWeigher` weighs it, from the row itself and from what is known of all:
how many rows there are, who rated what, and how often values are published. What blocks hold
merges: the best weight and how many rows have it, and the sum of all weights beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from recloak.attacks.bayes_linkage._candidates import IMPOSSIBLE
from recloak.attacks.bayes_linkage._holders import MOST_HOLDERS, HolderWeigher
from recloak.attacks.bayes_linkage._kernels import holding_all
from recloak.attacks.bayes_linkage._knowledge import KnowledgeModel, Known
from recloak.attacks.bayes_linkage._rows import RowCandidates
from recloak.attacks.bayes_linkage._weigher import InGeneral
from recloak.core.arrays import Floats, Integers
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.all_rows import AllRows, Found, RowsBlock

RowsMaker = Callable[[Ratings], RowCandidates]
"""Makes candidates of some of the rows. It must be picklable."""
_ALIKE = float(np.log1p(-1e-9))  # weights that differ by less are the same
Pair = tuple[int, float]


class Heaviest(NamedTuple):
    """Of each try the logarithm of the best weight, how many rows have it, how many of these are
    the person's, and the sum of all weights, each as a share of the best.
    """

    top: Floats
    named: Integers
    own: Integers
    total: Floats

    @classmethod
    def of_nothing(cls, tries: int) -> Heaviest:
        """Where no row holds all that is known."""
        none = np.zeros(tries, np.int64)
        return cls(np.full(tries, -np.inf), none, none.copy(), np.zeros(tries))

    def and_those(self, others: Heaviest) -> Heaviest:
        """The rows of both."""
        top = np.maximum(self.top, others.top)
        found = self.of_nothing(len(top))._replace(top=top)
        for one in (self, others):
            here = np.flatnonzero(one.top > -np.inf)
            best = here[one.top[here] >= top[here] + _ALIKE]
            found.named[best] += one.named[best]
            found.own[best] += one.own[best]
            found.total[here] += one.total[here] * np.exp(one.top[here] - top[here])
        return found


@dataclass(frozen=True)
class HoldersSought:
    """What is sought in a block: rows that hold what is ``known`` in each try.

    ``own`` are the numbers of the rows of the person of each try. Of the holders of an item every
    n-th, as ``steps`` says, tells how often its rating in ``pairs`` is given in general.
    """

    known: Sequence[Known]
    own: Sequence[Integers]
    model: KnowledgeModel
    maker: RowsMaker
    pairs: Sequence[Pair]
    steps: Integers

    def __call__(self, block: RowsBlock) -> Found:
        """`Heaviest`, and for each pair the summed chances of some holders, and their number."""
        by_item = block.rows.by_item
        holders = [
            by_item.users[holding_all(by_item.offsets, by_item.users, one.items)[0]]
            for one in self.known
        ]
        some = [
            by_item.users[by_item.offsets[item] : by_item.offsets[item + 1] : step]
            for (item, _), step in zip(self.pairs, self.steps.tolist(), strict=True)
        ]
        none = np.empty(0, np.int32)
        rows = np.unique(np.concatenate([none, *holders, *some])).astype(np.int64)
        if len(rows) == 0:
            nothing = np.zeros(len(self.pairs))
            return (*Heaviest.of_nothing(len(self.known)), nothing, nothing)
        weigher = HolderWeigher(self.maker(block.rows.take_users(rows)), self.model)
        given = [
            weigher.chance_sum(item, value, np.searchsorted(rows, here))
            for (item, value), here in zip(self.pairs, some, strict=True)
        ]
        counts = np.array([len(here) for here in some], np.int64)
        return (*self._heaviest(weigher, block.ids[rows]), np.array(given), counts)

    def _heaviest(self, weigher: HolderWeigher, ids: Integers) -> Heaviest:
        found = Heaviest.of_nothing(len(self.known))
        for at, (known, own) in enumerate(zip(self.known, self.own, strict=True)):
            rows, weights = weigher.log_weights(known)
            if len(rows):
                top = float(weights.max())
                best = ids[rows[weights >= top + _ALIKE]]
                found.top[at], found.named[at] = top, len(best)
                found.own[at] = int(np.isin(best, own).sum())
                found.total[at] = float(np.exp(weights - top).sum())
        return found


def merged(one: Found, other: Found) -> Found:
    """What was found in two blocks."""
    heaviest = Heaviest(*one[:4]).and_those(Heaviest(*other[:4]))
    return (*heaviest, one[4] + other[4], one[5] + other[5])


class AllHolders(InGeneral):
    """Weighs those of all rows that hold what is known, of many tries at once."""

    def __init__(
        self, every: AllRows, support: Integers, maker: RowsMaker, model: KnowledgeModel
    ) -> None:
        super().__init__(model)
        self._every, self._support, self._maker = every, support, maker
        self._given: dict[tuple[int, float | None], float] = {}
        weights = model.weights_in_release(len(support))
        self._total_mass = max(float((support * weights).sum()), IMPOSSIBLE)

    @property
    def work(self) -> int:
        """How many rows hold the item of a rating, on average: so many are looked at for each."""
        support = self._support.astype(np.float64)
        return int((support * support).sum() / max(support.sum(), 1.0))

    def named(
        self, known: Sequence[Known], own: Sequence[Integers], progress: Progress
    ) -> tuple[Heaviest, Floats]:
        """The rows that what is known points to in each try, and the confidence in each of them."""
        pairs = list(dict.fromkeys(pair for one in known for pair in _valued(one)))
        items = np.array([item for item, _ in pairs], np.int64)
        steps = np.maximum(self._support[items] // MOST_HOLDERS, 1)
        sought = HoldersSought(known, own, self.model, self._maker, pairs, steps)
        label = f"Weighing {self._every.n_rows:,} rows"
        *found, chances, counts = self._every.gathered(sought, merged, label, progress)
        given = chances * self._support[items] / np.maximum(counts, 1)
        self._given.update(zip(pairs, given.tolist(), strict=True))
        heaviest = Heaviest(*found)
        return heaviest, self._confidence(heaviest, known)

    def _confidence(self, heaviest: Heaviest, known: Sequence[Known]) -> Floats:
        """Somebody is as likely in the release as not, and if not, rated what people rate."""
        rows = float(np.log(max(self._every.n_rows, 1)))
        elsewhere = np.array([self._log_elsewhere(one) + rows for one in known])
        top = np.maximum(heaviest.top, elsewhere)
        best = np.exp(heaviest.top - top)
        total = best * heaviest.total + np.exp(elsewhere - top)
        return np.asarray(best / np.maximum(total, IMPOSSIBLE))

    def _given_in_general(self, item: int, value: float | None) -> float:
        return float(self._support[item]) if value is None else self._given[item, value]


def _valued(known: Known) -> list[Pair]:
    return [(item, value) for item, value in known.pairs() if item >= 0 and value is not None]
