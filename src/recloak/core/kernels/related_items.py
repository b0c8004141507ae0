"""Kernels of item similarity: one item's row at a time, in whole numbers, never items × items.

A similarity is kept as three whole numbers, num² / (one · two), so that which of two items is
nearer never hangs on a rounding. ``num`` must be positive for an item to be related at all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import Bytes, Codes, Integers, Offsets
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.kernels.similarity_rows import (
    about_of,
    empty_row,
    least_of,
    offer,
    put_in_order,
    set_similarity,
)

Slots = NDArray[np.int32]  # a row of related items for each item

EMPTY = -1
PRODUCTS, OVERLAP, CORRELATION = 0, 1, 2  # what makes a similarity, see `finish`


class ItemRatings(NamedTuple):
    """Ratings in whole units, by user and by item; ``counted`` (empty: all) says which count.

    ``item_units`` are ``units`` by item, even if the rows by user leave out some items.
    """

    offsets: Offsets
    items: Codes
    units: Codes
    counted: Bytes
    item_offsets: Offsets
    item_users: Codes
    item_units: Codes
    norms: Offsets


class Sums(NamedTuple):
    """What is added up over the raters that an item shares with each other item.

    ``pairs`` are how many they are and the products of their ratings, side by side in memory.
    ``counted`` and ``moments`` have a row for each item only where they are asked for. ``packed``
    is for `add_up` alone: both of a pair as one number, with the count ``shift`` bits up.
    """

    pairs: Integers
    counted: Offsets
    moments: Integers
    packed: Integers
    shift: int


@kernel
def squares_of(items: Codes, units: Codes, n_items: int) -> Offsets:
    """The sum of squares of each item's ratings."""
    norms = np.zeros(n_items, np.int64)
    for at in range(len(items)):
        norms[items[at]] += np.int64(units[at]) * units[at]
    return norms


@inner_kernel
def add_up(cells: ItemRatings, item: int, sums: Sums, touched: Codes) -> int:
    """Add up ``item``'s ratings with all others of its raters; lists the items it met.

    ``touched`` needs room for one more than all items. Both sums of a pair are added up as one
    number, the count above the products, so that each rating costs one trip to the memory.
    """
    if sums.shift > 0:
        met = _add_pairs(cells, item, 1, 1 << sums.shift, sums.packed, touched)
        half = 1 << (sums.shift - 1)
        for other in touched[:met]:
            packed = sums.packed[other]
            count = (packed + half) >> sums.shift
            sums.pairs[other, 0], sums.pairs[other, 1] = count, packed - (count << sums.shift)
            sums.packed[other] = 0
        return met
    met = _add_pairs(cells, item, 0, 1, sums.packed, touched)
    for other in touched[:met]:
        sums.pairs[other, 0], sums.packed[other] = sums.packed[other], 1 << 62
    first = touched[0]
    _add_pairs(cells, item, 1, 0, sums.packed, touched)
    touched[0] = first  # nothing is new, but all is written there
    for other in touched[:met]:
        sums.pairs[other, 1], sums.packed[other] = sums.packed[other] - (1 << 62), 0
    return met


@inner_kernel
def _add_pairs(
    cells: ItemRatings, item: int, times: int, plus: int, packed: Integers, touched: Codes
) -> int:
    """Add products ``times`` a factor, ``plus`` a number for each; lists what was 0 before.

    Where raters have more ratings than there are items, all sums are looked at afterwards.
    """
    work, met = 0, 0
    first, last = cells.item_offsets[item], cells.item_offsets[item + 1]
    for place in range(first, last):
        user = cells.item_users[place]
        work += cells.offsets[user + 1] - cells.offsets[user]
    few = work < len(packed)
    for place in range(first, last):
        user = cells.item_users[place]
        unit = np.int64(cells.item_units[place]) * times
        if few:
            for at in range(cells.offsets[user], cells.offsets[user + 1]):
                other = cells.items[at]
                touched[met] = other  # written over by the next unless it is new: no guess
                met += packed[other] == 0
                packed[other] += unit * cells.units[at] + plus
        else:
            for at in range(cells.offsets[user], cells.offsets[user + 1]):
                # without a sign a place is not tried for being counted from the end: half the time
                here = np.uint64(at)
                packed[np.uint32(cells.items[here])] += unit * cells.units[here] + plus
    if not few:
        for other in range(len(packed)):
            touched[met] = other
            met += packed[other] != 0
    return met


@inner_kernel
def shift_of(cells: ItemRatings) -> int:
    """By how many bits counts stand above sums of products; 0 where both do not fit.

    A sum of products is no larger than the larger sum of squares.
    """
    products, raters, shift, bits = 1, 1, 1, 0
    for item in range(len(cells.norms)):
        products = max(products, cells.norms[item])
        raters = max(raters, cells.item_offsets[item + 1] - cells.item_offsets[item])
    while products > 0:
        products >>= 1
        shift += 1
    while raters > 0:
        raters >>= 1
        bits += 1
    return shift if shift + bits < 63 else 0


@inner_kernel
def room_for_sums(cells: ItemRatings, kind: int, partly: bool) -> Sums:
    """Room for what is added up over one item."""
    n_items = len(cells.norms)
    return Sums(
        np.zeros((n_items, 2), np.int64),
        np.zeros(n_items if partly else 0, np.int64),
        np.zeros((n_items if kind == CORRELATION else 0, 4), np.int64),
        np.zeros(n_items, np.int64),
        shift_of(cells),
    )


@inner_kernel
def count_new(cells: ItemRatings, item: int, counted: Offsets) -> None:
    """Count how many of ``item``'s raters have each other item among their counted ratings."""
    for place in range(cells.item_offsets[item], cells.item_offsets[item + 1]):
        user = cells.item_users[place]
        for at in range(cells.offsets[user], cells.offsets[user + 1]):
            counted[cells.items[at]] += cells.counted[at]


@inner_kernel
def add_moments(cells: ItemRatings, item: int, moments: Integers) -> None:
    """Add up ratings and their squares, of ``item`` and of each other, over shared raters."""
    for place in range(cells.item_offsets[item], cells.item_offsets[item + 1]):
        user, unit = cells.item_users[place], np.int64(cells.item_units[place])
        for at in range(cells.offsets[user], cells.offsets[user + 1]):
            other, theirs = cells.items[at], np.int64(cells.units[at])
            moments[other, 0] += unit
            moments[other, 1] += unit * unit
            moments[other, 2] += theirs
            moments[other, 3] += theirs * theirs


@inner_kernel
def clear(sums: Sums, touched: Codes) -> None:
    """Make the sums zero again where they were touched."""
    for other in touched:
        sums.pairs[other, 0] = 0
        sums.pairs[other, 1] = 0
        if len(sums.counted) > 0:
            sums.counted[other] = 0
        if len(sums.moments) > 0:
            for at in range(sums.moments.shape[1]):
                sums.moments[other, at] = 0


@inner_kernel
def parts_of(
    cells: ItemRatings, item: int, other: int, kind: int, sums: Sums
) -> tuple[int, int, int]:
    """The similarity of two items from what was added up: num, one and two."""
    common, products = sums.pairs[other, 0], sums.pairs[other, 1]
    if kind == PRODUCTS:
        return products, cells.norms[other], 1
    if kind == OVERLAP:
        mine = cells.item_offsets[item + 1] - cells.item_offsets[item]
        either = mine + cells.item_offsets[other + 1] - cells.item_offsets[other] - common
        return common, either, either
    own, own_squares = sums.moments[other, 0], sums.moments[other, 1]
    theirs, their_squares = sums.moments[other, 2], sums.moments[other, 3]
    return (
        common * products - own * theirs,
        common * own_squares - own * own,
        common * their_squares - theirs * theirs,
    )


@inner_kernel
def slot_of(listed: Codes, entry: int) -> int:
    """Where a list has an entry, -1 if nowhere."""
    for slot in range(len(listed)):
        if listed[slot] == entry:
            return slot
    return -1


@kernel
def rank_items(
    cells: ItemRatings,
    kind: int,
    start: int,
    end: int,
    numerator: int,
    denominator: int,
    before: Codes,
    top: Codes,
    candidates: Codes,
) -> None:
    """Fill ``top`` and ``candidates`` of the items from ``start`` to ``end``, nearest first.

    Candidates are the items that could enter a list: known from its last version (``before``), or
    rated by no more than a share ``numerator`` / ``denominator`` of the item's raters.
    """
    n_items, partly = len(cells.norms), len(cells.counted) > 0
    sums = room_for_sums(cells, kind, partly)
    row = empty_row(n_items)
    touched = np.empty(n_items + 1, np.int32)
    for item in range(start, end):
        met = add_up(cells, item, sums, touched)
        if partly:
            count_new(cells, item, sums.counted)
        if kind == CORRELATION:
            add_moments(cells, item, sums.moments)
        raters = cells.item_offsets[item + 1] - cells.item_offsets[item]
        n_near, n_able = 0, 0
        nearest, able, known = top[item], candidates[item], before[item]  # a view for all others
        least, least_able = least_of(nearest, 0, row), least_of(able, 0, row)
        for other in touched[:met]:
            num, one, two = parts_of(cells, item, other, kind, sums)
            if other == item or num <= 0 or one <= 0 or two <= 0:
                continue
            about = about_of(num, one, two)
            if about < least and about < least_able:
                continue
            set_similarity(row, other, num, one, two)
            if about >= least:
                n_near = offer(nearest, n_near, other, row)
                least = least_of(nearest, n_near, row)
            shared = sums.counted[other] if partly else sums.pairs[other, 0]
            few = shared * denominator <= numerator * raters
            if about >= least_able and (few or slot_of(known, other) >= 0):
                n_able = offer(able, n_able, other, row)
                least_able = least_of(able, n_able, row)
        put_in_order(nearest, n_near, row)
        put_in_order(able, n_able, row)
        clear(sums, touched[:met])
