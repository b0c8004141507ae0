"""Kernels that keep what changed items share with all others, added up once for both of a pair."""

from __future__ import annotations

from typing import NamedTuple

from recloak.core.arrays import Codes, Integers
from recloak.core.kernels import inner_kernel


class ChangedPairs(NamedTuple):
    """Of each item how many raters it shares with each changed one, and the sum of products.

    ``place`` is the column of a changed item, -1 for others. There is no column at all where
    changed items are so many that the table would take more room than the ratings.
    """

    place: Codes
    changed: Codes
    sums: Integers


@inner_kernel
def note_pairs(known: ChangedPairs, item: int, pairs: Integers, touched: Codes) -> None:
    """Keep what was added up for a changed item."""
    place = known.place[item]
    if place >= 0:
        for other in touched:
            known.sums[other, place, 0] = pairs[other, 0]
            known.sums[other, place, 1] = pairs[other, 1]


@inner_kernel
def recall_pairs(known: ChangedPairs, item: int, pairs: Integers, touched: Codes) -> int:
    """What `add_up` gives for an item and the changed ones alone, from what was kept."""
    met = 0
    for place in range(len(known.changed)):
        if known.sums[item, place, 0] > 0:
            other = known.changed[place]
            pairs[other, 0] = known.sums[item, place, 0]
            pairs[other, 1] = known.sums[item, place, 1]
            touched[met] = other
            met += 1
    return met
