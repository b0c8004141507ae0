"""Kernels that keep what changed items share with others, added up once for both of a pair."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Codes, Floats, Integers, Offsets
from recloak.core.kernels import inner_kernel
from recloak.core.kernels.layout import first_at_least
from recloak.core.kernels.related_items import OVERLAP, ItemRatings, slot_of
from recloak.core.kernels.similarity_rows import about_of


class ChangedPairs(NamedTuple):
    """Of each changed item the others whose rows it may enter, and what it shares with them.

    ``place`` is the row of a changed item, -1 for others. ``least`` is what a similarity must reach
    to enter the rows of an item, that of the few second. ``others`` ascend, with how many raters
    they share and the sums of products; there are ``sizes`` of them in each row, or -1 where there
    was too little room. There is no row at all where changed items are too many.
    """

    place: Codes
    changed: Codes
    least: Floats
    sizes: Offsets
    others: Codes
    counts: Codes
    products: Integers


@inner_kernel
def similarity_to(
    cells: ItemRatings, kind: int, item: int, other: int, common: int, products: int
) -> float:
    """How similar ``item`` is to ``other``, in doubles, as the row of ``other`` counts it."""
    if kind != OVERLAP:
        return about_of(products, cells.norms[item], 1) if products > 0 else 0.0
    either = cells.item_offsets[item + 1] - cells.item_offsets[item] - common
    either += cells.item_offsets[other + 1] - cells.item_offsets[other]
    return about_of(common, either, either)


@inner_kernel
def note_pairs(
    known: ChangedPairs,
    cells: ItemRatings,
    kind: int,
    item: int,
    pairs: Integers,
    before: Codes,
    share: tuple[int, int],
) -> None:
    """Keep what was added up for a changed item, where it is near enough or was shown ``before``.

    What more than the ``share`` of an item's raters rated is none of its few.
    """
    place, size = known.place[item], 0
    if place < 0:
        return
    numerator, denominator = share
    for other in range(len(pairs)):
        common, products, least = pairs[other, 0], pairs[other, 1], known.least[other]
        if common == 0 or least[0] == np.inf:
            continue
        near = similarity_to(cells, kind, item, other, common, products)
        raters = cells.item_offsets[other + 1] - cells.item_offsets[other]
        enters = near >= least[0]
        enters |= near >= least[1] and common * denominator <= numerator * raters
        if near == 0 or not (enters or slot_of(before[other], item) >= 0):
            continue
        if size == known.others.shape[1]:
            size = -1
            break
        known.others[place, size] = other
        known.counts[place, size] = common
        known.products[place, size] = products
        size += 1
    known.sizes[place] = size


@inner_kernel
def starts_for(known: ChangedPairs, item: int) -> Offsets:
    """Where in each row ``item`` or the next after it stands."""
    starts = np.zeros(len(known.changed), np.int64)
    for place in range(len(starts)):
        starts[place] = first_at_least(known.others[place], 0, known.sizes[place], item)
    return starts


@inner_kernel
def recall_pairs(
    known: ChangedPairs, item: int, starts: Offsets, pairs: Integers, touched: Codes
) -> int:
    """What `add_up` gives for an item and those changed ones that matter to it.

    ``starts`` move on to ``item``, which must not come before the one asked for last.
    """
    met = 0
    for place in range(len(starts)):
        at = starts[place]
        while at < known.sizes[place] and known.others[place, at] < item:
            at += 1
        starts[place] = at
        if at < known.sizes[place] and known.others[place, at] == item:
            other = known.changed[place]
            pairs[other, 0] = known.counts[place, at]
            pairs[other, 1] = known.products[place, at]
            touched[met] = other
            met += 1
    return met
