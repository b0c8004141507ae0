"""Kernels of the violating border: the smallest sets that tell too much, and where to hit them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Mask, Offsets, Words
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.kernels.related_items import slot_of
from recloak.core.timeline import ItemRaters
from recloak.lists.protection._bit_set_kernels import append, copy_words, covered, smallest
from recloak.lists.protection._bound_kernels import (
    RaterBits,
    RaterMarks,
    clear_raters,
    fill_rater_bits,
    forget_raters,
    gather,
    mark_raters,
    number_raters,
)
from recloak.lists.protection._list_kernels import (
    Bound,
    DraftLists,
    EarlierReleases,
    distinguished,
    index_in,
)


class ViolatingBorder(NamedTuple):
    """What tells too much of a target: places by themselves (``alone``), and smallest sets.

    ``sets`` are rows of bits and hold no place that is alone. ``absent``: the target was not in
    that list in a release whose border has the place; ``safe``: the slot from which on it
    distinguishes none of those releases. After an ``overflow`` the border is unknown: ``alone``
    are the places to hit before it is drawn again.
    """

    alone: Mask
    sets: Words
    absent: Mask
    safe: Offsets
    overflow: bool


@inner_kernel
def violating_sets(rater_bits: RaterBits, n_known: int, bound: Bound) -> tuple[Words, int]:
    """All smallest sets of the known items that breach the bound; -1 for too many to look at."""
    sets = np.zeros((4, rater_bits.bits.shape[1]), np.uint64)
    chosen = np.zeros(rater_bits.bits.shape[1], np.uint64)
    end = np.empty(n_known + 1, np.int64)
    limit = np.empty(n_known + 1, np.int64)
    bit = np.zeros(n_known + 1, np.int64)
    found, depth, visited = 0, 0, 0
    end[0], limit[0] = len(rater_bits.order), n_known
    while depth >= 0:
        if bit[depth] >= limit[depth]:
            depth -= 1
            if depth >= 0:
                last = bit[depth] - 1
                chosen[last >> 6] &= ~(np.uint64(1) << np.uint64(last & 63))
            continue
        now = bit[depth]
        bit[depth] += 1
        flag = np.uint64(1) << np.uint64(now & 63)
        chosen[now >> 6] |= flag
        visited += 1
        if visited > bound.budget:
            return sets, -1
        if not covered(sets, found, chosen):
            count, inside = gather(rater_bits, end[depth], now)
            if inside * bound.denominator > bound.numerator * count:
                sets = append(sets, found, chosen)
                found += 1
            elif inside > 0 and now > 0:
                depth += 1
                end[depth], limit[depth], bit[depth] = count, now, 0
                continue
        chosen[now >> 6] &= ~flag
    return sets, found


@inner_kernel
def rater_bits_of(raters: ItemRaters, known: Offsets, since: int, marks: RaterMarks) -> RaterBits:
    """Everybody who rated one of the known items; the target's raters are marked already."""
    count = 0
    for item in known:
        count = number_raters(raters, item, count, marks)
    rater_bits = fill_rater_bits(raters, known, known, count, since, marks)
    for item in known:
        forget_raters(raters, item, marks)
    return rater_bits


@inner_kernel
def shared_most(rater_bits: RaterBits, n_known: int, wanted: int) -> Mask:
    """The known items that most raters of the target rated, so many; of equals the first."""
    shared = np.zeros(n_known, np.int64)
    for bit in range(n_known):
        flag = np.uint64(1) << np.uint64(bit & 63)
        for row in range(len(rater_bits.inside)):
            shared[bit] += rater_bits.inside[row] and rater_bits.bits[row, bit >> 6] & flag != 0
    chosen = np.zeros(n_known, np.bool_)
    for _ in range(wanted):
        best, most = 0, -1
        for bit in range(n_known):
            if not chosen[bit] and shared[bit] > most:
                best, most = bit, shared[bit]
        chosen[best] = True
    return chosen


@inner_kernel
def single_breach(
    raters: ItemRaters, item: int, since: int, bound: Bound, marks: RaterMarks
) -> bool:
    """Does the list of ``item`` alone tell too much of the target that is marked?"""
    total, inside = 0, 0
    for at in range(raters.offsets[item], raters.offsets[item + 1]):
        total += 1
        inside += marks.rated[raters.users[at]] > since
    return inside * bound.denominator > bound.numerator * total


@inner_kernel
def note(
    earlier: EarlierReleases,
    release: int,
    item: int,
    target: int,
    place: int,
    border: ViolatingBorder,
) -> None:
    """Note what a place in the border of one release means for how to hit it."""
    was = slot_of(earlier.lists[release, item], target)
    if was < 0:
        border.absent[place] = True
    elif was > border.safe[place]:
        border.safe[place] = was


@inner_kernel
def without_places(sets: Words, count: int, gone: Mask) -> int:
    """Bring the sets that hold none of the places to the front; returns how many they are."""
    kept = 0
    for at in range(count):
        hit = False
        for place in range(len(gone)):
            flag = np.uint64(1) << np.uint64(place & 63)
            hit |= gone[place] and (sets[at, place >> 6] & flag) != 0
        if not hit:
            copy_words(sets[at], sets[kept])
            kept += 1
    return kept


@inner_kernel
def in_places(
    small: Words,
    known: Offsets,
    earlier: EarlierReleases,
    release: int,
    target: int,
    places: Offsets,
    border: ViolatingBorder,
) -> Words:
    """A set of the known items as a set of places, each of which is noted."""
    moved = np.zeros((len(places) + 63) // 64, np.uint64)
    for bit in range(len(known)):
        if small[bit >> 6] & (np.uint64(1) << np.uint64(bit & 63)):
            place = index_in(places, known[bit])
            moved[place >> 6] |= np.uint64(1) << np.uint64(place & 63)
            note(earlier, release, known[bit], target, place, border)
    return moved


@kernel
def border_of(
    draft: DraftLists,
    earlier: EarlierReleases,
    raters: ItemRaters,
    bound: Bound,
    marks: RaterMarks,
    target: int,
    places: Offsets,
    part: int,
) -> ViolatingBorder:
    """The border of a target over all earlier releases, in terms of ``places`` (ascending items).

    Items whose lists tell too much by themselves are dropped first. Where there are too many sets
    of the others to look at, a ``part``-th of these is to be hit, those that most raters of the
    target rated (at least one): never is the border cut short.
    """
    words = (len(places) + 63) // 64
    sets = np.zeros((4, words), np.uint64)
    border = ViolatingBorder(
        np.zeros(len(places), np.bool_),
        sets,
        np.zeros(len(places), np.bool_),
        np.full(len(places), -1, np.int64),
        False,
    )
    found, overflow = 0, False
    mark_raters(raters, target, marks)
    for release in range(len(earlier.lists)):
        since = earlier.since[release]
        known = distinguished(draft, earlier, release, target)
        n_remaining = 0
        for item in known:
            if not single_breach(raters, item, since, bound, marks):
                known[n_remaining] = item
                n_remaining += 1
                continue
            place = index_in(places, item)
            note(earlier, release, item, target, place, border)
            border.alone[place] = True
        remaining = known[:n_remaining]
        rater_bits = rater_bits_of(raters, remaining, since, marks)
        larger, n_larger = violating_sets(rater_bits, len(remaining), bound)
        if n_larger < 0:
            overflow = True
            hit = shared_most(rater_bits, len(remaining), max(1, len(remaining) // part))
            for at in range(len(remaining)):
                if hit[at]:
                    place = index_in(places, remaining[at])
                    note(earlier, release, remaining[at], target, place, border)
                    border.alone[place] = True
            break
        for at in range(n_larger):
            moved = in_places(larger[at], remaining, earlier, release, target, places, border)
            sets = append(sets, found, moved)
            found += 1
    clear_raters(raters, target, marks)
    open_sets = smallest(sets, without_places(sets, found, border.alone))
    return ViolatingBorder(border.alone, open_sets, border.absent, border.safe, overflow)
