"""Togetherness: which items of one person stand in one row, as far as an adversary can tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recloak.kernels.together import FULL, count_pairs
from recloak.ratings import Ratings
from recloak.scene import Scene, match_items

MOST_ITEMS = 8192  # so that the tables of pairs stay below half a gigabyte
MOST_PAIRS = 400_000_000
DOUBT = 2.0  # people to be seen with both before a pair is trusted more than all pairs are

Places = NDArray[np.int32]


@dataclass(frozen=True)
class Togetherness:
    """How often pairs of items share a row if one person has both, in 255ths.

    ``place`` is that of an item (by its code in the rows) in the table, -1 for items that are not
    in it. Where a method cuts everyone's ratings along the same lines a chance is 0 or 1, and a
    row that lacks a known item of its own kind cannot be the person's.
    """

    place: Places
    chances: NDArray[np.uint8]


@dataclass(frozen=True)
class Pairs:
    """How many people whom the adversary knows have both items of each pair."""

    people: Ratings
    place: Places
    both: NDArray[np.uint16]

    @classmethod
    def of(cls, known: Ratings) -> Pairs:
        """Count the most rated items, for as many people as can be counted in a while."""
        chosen = np.sort(np.argsort(-known.item_support, kind="stable")[:MOST_ITEMS])
        place = np.full(known.n_items, -1, np.int32)
        place[chosen] = np.arange(len(chosen))
        people = _affordable(known)
        return cls(people, place, _counted(people, place))

    def in_rows(self, scene: Scene) -> Togetherness:
        """What the rows of a release tell: who has both is taken from the people known, whether
        they are in one row from the release itself. Nobody needs to know whose a row is.
        """
        code = match_items(self.people, scene.rows)
        place = np.full(scene.rows.n_items, -1, np.int32)
        place[code[code >= 0]] = self.place[code >= 0]
        rows = _affordable(scene.rows)
        same = _counted(rows, place, len(self.both))
        as_many = rows.n_ratings / max(self.people.n_ratings, 1)
        usual = float(same.sum(dtype=np.float64)) / max(as_many * self.both.sum(), 1.0)
        return Togetherness(place, _rates(same, self.both, as_many, min(usual, 1.0)))


def _affordable(rows: Ratings) -> Ratings:
    """Those of the rows, from the first on, whose pairs can be counted."""
    pairs = np.cumsum(rows.user_counts.astype(np.float64) ** 2)
    enough = max(int(np.searchsorted(pairs, MOST_PAIRS, side="right")), 1)
    return rows if enough >= rows.n_users else rows.take_users(np.arange(enough))


def _counted(rows: Ratings, place: Places, places: int | None = None) -> NDArray[np.uint16]:
    size = int(place.max(initial=-1)) + 1 if places is None else places
    counts = np.zeros((size, size), np.uint16)
    count_pairs(0, rows.n_users, rows.offsets, rows.items, place, counts)
    return counts


def _rates(
    same: NDArray[np.uint16], both: NDArray[np.uint16], as_many: float, usual: float
) -> NDArray[np.uint8]:
    """Line by line, so that no table of fractions is ever whole."""
    rates = np.empty(same.shape, np.uint8)
    for line in range(len(same)):
        rate = (same[line] + DOUBT * usual) / (both[line] * as_many + DOUBT)
        rates[line] = np.round(FULL * np.minimum(rate, 1.0))
    return rates
