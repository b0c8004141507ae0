"""Kernels and functions that count the most frequent sets of up to three items, exactly."""

from __future__ import annotations

import itertools
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from recloak.core.arrays import Codes, Indices, Integers, Words
from recloak.core.kernels import kernel
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings

_ODD = np.uint64(0x5555555555555555)
_PAIRS = np.uint64(0x3333333333333333)
_NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
_BYTES = np.uint64(0x0101010101010101)
_ONE, _TWO, _FOUR, _TOP = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@kernel
def ones(word: np.uint64) -> np.int64:
    """How many bits of a word are set."""
    word = word - ((word >> _ONE) & _ODD)
    word = (word & _PAIRS) + ((word >> _TWO) & _PAIRS)
    word = (word + (word >> _FOUR)) & _NIBBLES
    return np.int64((word * _BYTES) >> _TOP)


@kernel
def rows_as_bits(offsets: Integers, items: Codes, place_of: Integers, count: int) -> Words:
    """A set of bits for each of ``count`` items: the rows that hold it and another of them.

    ``place_of`` maps item codes to 0..count-1, -1 for items that do not matter. A row with fewer
    than two of the items holds no combination and gets no bit.
    """
    useful = 0
    for row in range(len(offsets) - 1):
        held = 0
        for at in range(offsets[row], offsets[row + 1]):
            held += place_of[items[at]] >= 0
        useful += held > 1
    bits = np.zeros((count, (useful + 63) // 64), np.uint64)
    bit = 0
    for row in range(len(offsets) - 1):
        held = 0
        for at in range(offsets[row], offsets[row + 1]):
            held += place_of[items[at]] >= 0
        if held > 1:
            for at in range(offsets[row], offsets[row + 1]):
                place = place_of[items[at]]
                if place >= 0:
                    bits[place, bit >> 6] |= _ONE << np.uint64(bit & 63)
            bit += 1
    return bits


@kernel
def pair_supports(bits: Words, first: int, end: int) -> Integers:
    """How many rows hold both: items ``first`` to ``end`` against all after each of them."""
    found = np.zeros((end - first, len(bits)), np.int64)
    for one in range(first, end):
        for other in range(one + 1, len(bits)):
            total = np.int64(0)
            for word in range(bits.shape[1]):
                total += ones(bits[one, word] & bits[other, word])
            found[one - first, other] = total
    return found


@kernel
def triple_supports(bits: Words, triples: Integers) -> Integers:
    """How many rows hold all three items of each triple."""
    found = np.zeros(len(triples), np.int64)
    for at in range(len(triples)):
        one, two, three = triples[at]
        for word in range(bits.shape[1]):
            found[at] += ones(bits[one, word] & bits[two, word] & bits[three, word])
    return found


Itemset = tuple[int, ...]
PARTS = 16  # of the items, counted on their own and reported one by one


class ItemCounts:
    """Rows of which some ``items`` are counted, alone and together."""

    def __init__(self, ratings: Ratings, items: Indices, progress: Progress = SILENT) -> None:
        place_of = np.full(ratings.n_items + 1, -1, dtype=np.int64)  # -1: an item they lack
        place_of[items] = np.arange(len(items))
        place_of[-1] = -1
        self.supports = np.append(ratings.item_support, 0)[items]
        self._bits = rows_as_bits(ratings.offsets, ratings.items, place_of, len(items))
        self.pairs = self._count_pairs(progress)

    def triples(self, candidates: Indices) -> Indices:
        """Supports of triples, given as places in ``items``."""
        return triple_supports(self._bits, candidates)

    def _count_pairs(self, progress: Progress) -> Indices:
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
    ratings: Ratings, names: Indices, count: int, progress: Progress = SILENT
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
    counted = ItemCounts(ratings, items, progress)
    found = _ranked(_sized(counted.supports, np.arange(len(items))[:, None]), count)
    first, second = np.nonzero(counted.pairs)
    pairs = np.stack([first, second], axis=1)
    found = _ranked([*found, *_sized(counted.pairs[first, second], pairs)], count)
    triples = _triangles([places for _, places in found if len(places) == 2])
    found = _ranked([*found, *_sized(counted.triples(triples), triples)], count)
    return {tuple(int(names[items[place]]) for place in places) for _, places in found}


def _sized(supports: Indices, places: Indices) -> list[tuple[int, Itemset]]:
    return [
        (int(support), tuple(own))
        for support, own in zip(supports, places.tolist(), strict=True)
        if support > 0
    ]


def _ranked(found: list[tuple[int, Itemset]], count: int) -> list[tuple[int, Itemset]]:
    """The first ``count`` by support, then size, then numbers."""
    return sorted(found, key=lambda one: (-one[0], len(one[1]), one[1]))[:count]


def _triangles(pairs: list[Itemset]) -> Indices:
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
