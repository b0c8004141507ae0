"""Pairs of fragments: what is known of one person may be spread over several of their rows.

Two rows that together hold what is known explain it better than each of them beside what people
rate in general, if they can be one person's: if they share no item.
"""

from __future__ import annotations

import numpy as np

from recloak.attacks.bayes_linkage._fragments import FragmentCandidates
from recloak.attacks.bayes_linkage._knowledge import KnowledgeModel, Known
from recloak.attacks.bayes_linkage._pair_kernels import overlapping, weigh_pairs
from recloak.attacks.bayes_linkage._weigher import Weigher
from recloak.core.arrays import Floats, Indices, Mask

PAIRED = 64  # of the likeliest rows, each with each: as many as a word has bits
SAMPLES = 4  # of as many rows, to see with what share of others a row shares no item
LEAST_LEFT = 0.1  # of a person's other ratings, beside two of their rows
LEAST_APART = 0.02
TOGETHER = 0.1  # for each known rating: somebody not in it rates what goes together, too
FEWEST_KNOWN = 3  # of two ratings, one in each row, rows tell no more together than alone


class PairWeigher(Weigher):
    """Weighs each fragment by itself, and together with each other that may be the same person's.

    One of a person's other rows is any of those that share no item with this one. Two rows count
    where each holds something known. What neither holds lies in the person's further rows.
    """

    candidates: FragmentCandidates

    def __init__(self, candidates: FragmentCandidates, model: KnowledgeModel) -> None:
        super().__init__(candidates, model)
        table, others = candidates.table, candidates.rows_per_person - 1
        self._marks = np.zeros(table.n_items, np.uint64)
        share = max((others - 1) / max(others, LEAST_LEFT), LEAST_LEFT)
        self._left, self._log_left = share * candidates.others, float(np.log(share))
        one_of = np.log(max(others, LEAST_LEFT) / max(table.n_users, 1))
        self._beside: Floats = 0.5 * (one_of - np.log(self._shares_apart()))

    def named(self, known: Known) -> tuple[Indices, float]:
        """The rows that what is known points to, and the confidence in each of them."""
        alone = self.log_weights(known)
        if self.model.known == 0:
            return self.candidates.rows_named(self.normalised(known, alone), known)
        joined, pairs = self.with_pairs(known, alone)
        elsewhere = self.log_elsewhere(known) + TOGETHER * len(known)
        anybody = np.array([self._log_of_people(known, alone), pairs, elsewhere])
        return self.candidates.rows_named(np.exp(joined - _log_sum(anybody)), known)

    def with_pairs(self, known: Known, alone: Floats) -> tuple[Floats, float]:
        """The log-weight of each row, in pairs and ``alone``, and that of all pairs."""
        best, pairs = _heaviest(alone), [pair for pair in known.pairs() if pair[0] >= 0]
        if len(best) == 0 or len(pairs) < FEWEST_KNOWN:
            return alone, -np.inf
        table = self.candidates.table
        chances = np.stack([self._of_one(*pair)[best] for pair in pairs], axis=1)
        held = np.stack([self._holding(item, best) for item, _ in pairs], axis=1)
        overlap = overlapping(table.offsets, table.items, best, best, self._marks)
        beside, drawn = self._beside[best], np.empty(0)
        if self._rarity is not None:
            beside = beside + self._rarity.log_none_rarer(known)[best]
        else:
            drawn = np.sort(self.item_weights[[item for item, _ in pairs]])
        joined, own = alone.copy(), self.candidates.own[best]
        some, given = alone[best], (self._left, self._log_left, drawn)
        of_all = weigh_pairs(chances, held, overlap, own, beside, *given, some)
        joined[best] = some
        return joined, of_all

    def _log_of_people(self, known: Known, alone: Floats) -> float:
        """The log-weight of all people by their rows ``alone``.

        Somebody who has several rows counts once: a row counts by the share of what is known that
        it holds, since the person's rows hold each known rating once.
        """
        items = known.items[known.items >= 0]
        holders = [self.candidates.holders(item)[0] for item in items.tolist()]
        held = np.bincount(np.concatenate([_NO_ROWS, *holders]), minlength=len(alone))
        rows = np.flatnonzero(held)
        if len(rows) == 0:
            return _log_sum(alone)
        return _log_sum(alone[rows] + np.log(held[rows] / len(known)))

    def _holding(self, item: int, rows: Indices) -> Mask:
        """Which of some rows list an item."""
        holders, _ = self.candidates.holders(item)
        places = np.minimum(np.searchsorted(holders, rows), max(len(holders) - 1, 0))
        return np.asarray(holders[places] == rows) if len(holders) else np.zeros(len(rows), bool)

    def _shares_apart(self) -> Floats:
        """With which share of all rows each row shares no item, as a sample of rows tells."""
        table = self.candidates.table
        every = np.arange(table.n_users)
        count = min(SAMPLES * PAIRED, table.n_users)
        some = np.unique(np.linspace(0, max(table.n_users - 1, 0), count).astype(np.int64))
        shared = np.zeros(table.n_users)
        for start in range(0, len(some), PAIRED):
            here = some[start : start + PAIRED]
            words = overlapping(table.offsets, table.items, every, here, self._marks)
            shared += np.bitwise_count(words)
        return np.maximum(1 - shared / max(len(some), 1), LEAST_APART)


_NO_ROWS = np.empty(0, np.int64)


def _heaviest(weights: Floats) -> Indices:
    """The rows that weigh most, as many as are paired, ascending."""
    if len(weights) <= PAIRED:
        return np.arange(len(weights))
    return np.sort(np.argpartition(weights, -PAIRED)[-PAIRED:])


def _log_sum(weights: Floats) -> float:
    """The logarithm of the sum of weights that are given as logarithms."""
    top = float(weights.max(initial=-np.inf))
    return top + float(np.log(np.exp(weights - top).sum())) if top > -np.inf else top
