"""Frequent itemsets: the most frequent sets of up to three items, exactly."""

from __future__ import annotations

import itertools
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from recloak.kernels.frequent import pair_supports, rows_as_bits, triple_supports
from recloak.progress import SILENT, Progress
from recloak.ratings import Ratings

Codes = NDArray[np.int64]
Itemset = tuple[int, ...]
PARTS = 16  # of the items, counted on their own and reported one by one


class Counted:
    """Rows of which some ``items`` are counted, alone and together."""

    def __init__(self, ratings: Ratings, items: Codes, progress: Progress = SILENT) -> None:
        place_of = np.full(ratings.n_items + 1, -1, dtype=np.int64)  # -1: an item they lack
        place_of[items] = np.arange(len(items))
        place_of[-1] = -1
        self.supports = np.append(ratings.item_support, 0)[items]
        self._bits = rows_as_bits(ratings.offsets, ratings.items, place_of, len(items))
        self.pairs = self._count_pairs(progress)

    def triples(self, candidates: Codes) -> Codes:
        """Supports of triples, given as places in ``items``."""
        return triple_supports(self._bits, candidates)

    def _count_pairs(self, progress: Progress) -> Codes:
        """Items × items, above the diagonal."""
        ends = np.linspace(0, len(self._bits), PARTS + 1).astype(np.int64)
        with (
            progress.task("Counting items together", PARTS) as task,
            ThreadPoolExecutor(os.cpu_count()) as pool,
        ):
            running = [
                pool.submit(pair_supports, self._bits, first, end)
                for first, end in itertools.pairwise(ends.tolist())
            ]
            try:
                parts = []
                for part in running:
                    parts.append(part.result())
                    task.advance()
            finally:
                pool.shutdown(cancel_futures=True)
        return np.concatenate(parts)


def top_itemsets(
    ratings: Ratings, names: Codes, count: int, progress: Progress = SILENT
) -> set[Itemset]:
    """The ``count`` most frequent sets of one to three items that any row holds.

    ``names`` gives each item the number that it is called by. Of equally frequent sets the smaller
    comes first, then the one with the lower numbers, so that equal data have equal answers.
    Then a set with an item that is not among the ``count`` most frequent ones has that many single
    items before it, and only these items need be counted; the same holds for triples and pairs.
    """
    order = np.lexsort((names, -ratings.item_support))
    items = order[: min(count, int((ratings.item_support > 0).sum()))]
    items = items[np.argsort(names[items])]  # within a set, numbers ascend
    counted = Counted(ratings, items, progress)
    found = _ranked(_sized(counted.supports, np.arange(len(items))[:, None]), count)
    first, second = np.nonzero(counted.pairs)
    pairs = np.stack([first, second], axis=1)
    found = _ranked([*found, *_sized(counted.pairs[first, second], pairs)], count)
    triples = _triangles([places for _, places in found if len(places) == 2])
    found = _ranked([*found, *_sized(counted.triples(triples), triples)], count)
    return {tuple(int(names[items[place]]) for place in places) for _, places in found}


def _sized(supports: Codes, places: Codes) -> list[tuple[int, Itemset]]:
    return [
        (int(support), tuple(own))
        for support, own in zip(supports, places.tolist(), strict=True)
        if support > 0
    ]


def _ranked(found: list[tuple[int, Itemset]], count: int) -> list[tuple[int, Itemset]]:
    """The first ``count`` by support, then size, then numbers."""
    return sorted(found, key=lambda one: (-one[0], len(one[1]), one[1]))[:count]


def _triangles(pairs: list[Itemset]) -> Codes:
    """The triples all of whose pairs are among ``pairs``; no other can be as frequent."""
    known = set(pairs)
    after: dict[int, list[int]] = {}
    for first, second in sorted(pairs):
        after.setdefault(first, []).append(second)
    found = [
        (first, second, third)
        for first, second in sorted(pairs)
        for third in after.get(second, [])
        if (first, third) in known
    ]
    return np.array(found, dtype=np.int64).reshape(-1, 3)
