"""Co-occurrence: how often two items of one person are in one row of a release.

Tests compare the counts with plain ones in tests/attacks/scoreboard_multi/test_kernels.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recloak.attacks._postings import RowArrays
from recloak.core.arrays import Bytes, Codes, Offsets, Words
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.ratings import Ratings
from recloak.evaluation.context import match_items

Counts = NDArray[np.uint16]
Chances = NDArray[np.uint8]

FULL = 255.0
SAMPLED_ITEMS = 8  # items of a row by which the place of another item is predicted
_SURE = 0.98
_SMALL = 1e-200
_MOST = np.uint16(65_535)


@kernel
def count_pairs(
    first: int, end: int, offsets: Offsets, items: Codes, place: Codes, out: Counts
) -> None:
    """Count for each pair of places how many of the rows ``first`` to ``end`` hold both."""
    for row in range(first, end):
        for one in range(offsets[row], offsets[row + 1]):
            here = place[items[one]]
            if here < 0:
                continue
            for other in range(offsets[row], offsets[row + 1]):
                there = place[items[other]]
                if there >= 0 and out[here, there] < _MOST:
                    out[here, there] += np.uint16(1)


@inner_kernel
def sample_items(rows: RowArrays, row: int, place: Codes, sampled: Codes) -> int:
    """The places of some items of a row, evenly spread over it; how many."""
    start, end = rows.offsets[row], rows.offsets[row + 1]
    step, count = (end - start + SAMPLED_ITEMS - 1) // SAMPLED_ITEMS, 0
    for at in range(start, end, step):
        sampled[count] = place[rows.items[at]]
        count += sampled[count] >= 0
    return count


@inner_kernel
def co_occurrence_chance(here: int, sampled: Codes, count: int, chances: Chances) -> float:
    """How likely an item of a row's person is in that row, by the row's sampled items."""
    total, asked = 0, 0
    line = chances[here]
    for at in range(count):
        if sampled[at] != here:
            total += line[sampled[at]]
            asked += 1
    return total / (FULL * asked) if asked else 0.5


@inner_kernel
def surprise(
    rows: RowArrays,
    row: int,
    known: Codes,
    mask: Words,
    place: Codes,
    chances: Chances,
    sampled: Codes,
) -> tuple[float, float]:
    """The surprise (−log probability) of the known items that a row has, and of those that it
    lacks, if it is the person's; ``mask`` has a bit for each known item in it.
    """
    there, lacking = 1.0, 1.0
    surprise_there, surprise_lacking = 0.0, 0.0
    count = sample_items(rows, row, place, sampled)
    for at in range(len(known)):
        if known[at] < 0 or place[known[at]] < 0:
            continue
        chance = co_occurrence_chance(place[known[at]], sampled, count, chances)
        if mask[at // 64] >> np.uint64(at % 64) & np.uint64(1):
            there *= max(chance, 1 - _SURE)
        else:
            lacking *= 1 - min(chance, _SURE)
        if min(there, lacking) < _SMALL:  # a logarithm now and then, before products vanish
            surprise_there, surprise_lacking = (
                surprise_there - np.log(there),
                surprise_lacking - np.log(lacking),
            )
            there, lacking = 1.0, 1.0
    return surprise_there - np.log(there), surprise_lacking - np.log(lacking)


MOST_ITEMS = 8192  # so that the tables of pairs stay below half a gigabyte
MOST_PAIRS = 400_000_000
PRIOR_WEIGHT = 2.0  # people to be seen with both before a pair is trusted more than all pairs are


@dataclass(frozen=True)
class CoOccurrence:
    """How often pairs of items share a row if one person has both, in 255ths.

    ``place`` is that of an item (by its code in the rows) in the table, -1 for items that are not
    in it. Where a method cuts everyone's ratings along the same lines a chance is 0 or 1, and a
    row that lacks a known item of its own kind cannot be the person's.
    """

    place: Codes
    chances: Bytes


@dataclass(frozen=True)
class PairCounts:
    """How many people whom the adversary knows have both items of each pair."""

    people: Ratings
    place: Codes
    both: NDArray[np.uint16]

    @classmethod
    def of(cls, known: Ratings) -> PairCounts:
        """Count the most rated items, for as many people as can be counted in a while."""
        chosen = np.sort(np.argsort(-known.item_support, kind="stable")[:MOST_ITEMS])
        place = np.full(known.n_items, -1, np.int32)
        place[chosen] = np.arange(len(chosen))
        people = _countable_rows(known)
        return cls(people, place, _count_pairs(people, place))

    def in_rows(self, release: Ratings) -> CoOccurrence:
        """How often items of one person share a row of a release.

        Who has both items is counted among the people known, who shares a row in the release
        itself: it need not be known whose a row is.
        """
        code = match_items(self.people, release)
        place = np.full(release.n_items, -1, np.int32)
        place[code[code >= 0]] = self.place[code >= 0]
        rows = _countable_rows(release)
        same = _count_pairs(rows, place, len(self.both))
        as_many = rows.n_ratings / max(self.people.n_ratings, 1)
        usual = float(same.sum(dtype=np.float64)) / max(as_many * self.both.sum(), 1.0)
        return CoOccurrence(place, _rates(same, self.both, as_many, min(usual, 1.0)))


def _countable_rows(rows: Ratings) -> Ratings:
    """Those of the rows, from the first on, whose pairs can be counted."""
    pairs = np.cumsum(rows.user_counts.astype(np.float64) ** 2)
    enough = max(int(np.searchsorted(pairs, MOST_PAIRS, side="right")), 1)
    return rows if enough >= rows.n_users else rows.take_users(np.arange(enough))


def _count_pairs(rows: Ratings, place: Codes, places: int | None = None) -> NDArray[np.uint16]:
    size = int(place.max(initial=-1)) + 1 if places is None else places
    counts = np.zeros((size, size), np.uint16)
    count_pairs(0, rows.n_users, rows.offsets, rows.items, place, counts)
    return counts


def _rates(
    same: NDArray[np.uint16], both: NDArray[np.uint16], as_many: float, usual: float
) -> Bytes:
    """Line by line, so that no table of fractions is ever whole."""
    rates = np.empty(same.shape, np.uint8)
    for line in range(len(same)):
        rate = (same[line] + PRIOR_WEIGHT * usual) / (both[line] * as_many + PRIOR_WEIGHT)
        rates[line] = np.round(FULL * np.minimum(rate, 1.0))
    return rates
