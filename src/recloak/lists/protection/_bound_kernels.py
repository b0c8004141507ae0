"""Kernels that ask whether an entry of a list would tell too much together with its others.

People are rows of bits, one for each item whose list the target distinguishes. Sets of items are
visited such that all subsets of a set come before it, which gives what going level by level gives.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Codes, Mask, Offsets, Words
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.timeline import ItemRaters
from recloak.lists.protection._list_kernels import (
    NOWHERE,
    Bound,
    DraftLists,
    EarlierReleases,
    distinguished,
    distinguishes,
)

FINE, BREACH, TOO_MANY = 0, 1, 2


class RaterMarks(NamedTuple):
    """Room for marks on people: when they rated the target (0: never), and their row (-1: none)."""

    rated: Codes
    row: Codes


class RaterBits(NamedTuple):
    """People as rows of bits; ``inside`` are those who rated the target, ``order`` their turns."""

    bits: Words
    inside: Mask
    order: Offsets


@kernel
def no_marks(n_users: int) -> RaterMarks:
    """Room for marks, all clear."""
    return RaterMarks(np.zeros(n_users, np.int32), np.full(n_users, -1, np.int32))


@inner_kernel
def mark_raters(raters: ItemRaters, target: int, marks: RaterMarks) -> None:
    """Note when each rater of the target rated it, counted from 1."""
    for at in range(raters.offsets[target], raters.offsets[target + 1]):
        marks.rated[raters.users[at]] = raters.time_rank[at] + 1


@inner_kernel
def clear_raters(raters: ItemRaters, target: int, marks: RaterMarks) -> None:
    """Undo `mark_raters`."""
    for at in range(raters.offsets[target], raters.offsets[target + 1]):
        marks.rated[raters.users[at]] = 0


@inner_kernel
def number_raters(raters: ItemRaters, item: int, count: int, marks: RaterMarks) -> int:
    """Give the raters of an item rows of their own from ``count`` on; returns the next one."""
    for at in range(raters.offsets[item], raters.offsets[item + 1]):
        user = raters.users[at]
        if marks.row[user] < 0:
            marks.row[user] = count
            count += 1
    return count


@inner_kernel
def forget_raters(raters: ItemRaters, item: int, marks: RaterMarks) -> None:
    """Undo `number_people`."""
    for at in range(raters.offsets[item], raters.offsets[item + 1]):
        marks.row[raters.users[at]] = -1


@inner_kernel
def fill_rater_bits(
    raters: ItemRaters, known: Offsets, numbered: Offsets, count: int, since: int, marks: RaterMarks
) -> RaterBits:
    """The numbered people, the raters of ``numbered``, and which items of ``known`` they rated."""
    rater_bits = RaterBits(
        np.zeros((count, (len(known) + 63) // 64), np.uint64),
        np.zeros(count, np.bool_),
        np.arange(count),
    )
    for item in numbered:
        for at in range(raters.offsets[item], raters.offsets[item + 1]):
            user = raters.users[at]
            rater_bits.inside[marks.row[user]] = marks.rated[user] > since
    for bit in range(len(known)):
        flag = np.uint64(1) << np.uint64(bit & 63)
        for at in range(raters.offsets[known[bit]], raters.offsets[known[bit] + 1]):
            row = marks.row[raters.users[at]]
            if row >= 0:
                rater_bits.bits[row, bit >> 6] |= flag
    return rater_bits


@inner_kernel
def gather(rater_bits: RaterBits, end: int, bit: int) -> tuple[int, int]:
    """Bring those of the first ``end`` in order who have ``bit`` to the front.

    Returns how many they are, and how many of them rated the target.
    """
    word, flag = bit >> 6, np.uint64(1) << np.uint64(bit & 63)
    count, inside = 0, 0
    for at in range(end):
        row = rater_bits.order[at]
        if rater_bits.bits[row, word] & flag:
            rater_bits.order[at] = rater_bits.order[count]
            rater_bits.order[count] = row
            count += 1
            inside += rater_bits.inside[row]
    return count, inside


@inner_kernel
def first_breach(rater_bits: RaterBits, n_known: int, bound: Bound) -> int:
    """Does any set of the known items breach the bound, beyond what all these raters share?"""
    end = np.empty(n_known + 1, np.int64)
    limit = np.empty(n_known + 1, np.int64)
    bit = np.zeros(n_known + 1, np.int64)
    depth, visited = 0, 0
    end[0], limit[0] = len(rater_bits.order), n_known
    while depth >= 0:
        if bit[depth] >= limit[depth]:
            depth -= 1
            continue
        chosen = bit[depth]
        bit[depth] += 1
        visited += 1
        if visited > bound.budget:
            return TOO_MANY
        count, inside = gather(rater_bits, end[depth], chosen)
        if inside * bound.denominator > bound.numerator * count:
            return BREACH
        if inside > 0 and chosen > 0:
            depth += 1
            end[depth], limit[depth], bit[depth] = count, chosen, 0
    return FINE


@inner_kernel
def without(known: Offsets, item: int) -> Offsets:
    """All of ``known`` but ``item``."""
    kept = np.empty(len(known), np.int64)
    count = 0
    for other in known:
        if other != item:
            kept[count] = other
            count += 1
    return kept[:count]


@inner_kernel
def adds_breach(
    draft: DraftLists,
    earlier: EarlierReleases,
    release: int,
    raters: ItemRaters,
    bound: Bound,
    marks: RaterMarks,
    item: int,
    target: int,
) -> bool:
    """Would the target in the list of ``item`` breach the bound for a set that holds ``item``?

    The list by itself is looked at first: mostly that decides, and what else the target
    distinguishes need not be gathered.
    """
    since = earlier.since[release]
    mark_raters(raters, target, marks)
    total, inside = 0, 0
    for at in range(raters.offsets[item], raters.offsets[item + 1]):
        total += 1
        inside += marks.rated[raters.users[at]] > since
    breach = inside * bound.denominator > bound.numerator * total
    if not breach and inside > 0:
        others = without(distinguished(draft, earlier, release, target), item)
        if len(others) > 0:
            only = np.full(1, item, np.int64)
            count = number_raters(raters, item, 0, marks)
            rater_bits = fill_rater_bits(raters, others, only, count, since, marks)
            forget_raters(raters, item, marks)
            breach = first_breach(rater_bits, len(others), bound) != FINE
    clear_raters(raters, target, marks)
    return breach


@kernel
def may_climb(
    draft: DraftLists,
    earlier: EarlierReleases,
    raters: ItemRaters,
    bound: Bound,
    marks: RaterMarks,
    item: int,
    slot: int,
    entry: int,
    lower: int,
) -> bool:
    """May ``entry``, which stood in the slot ``lower`` of this list, stand in ``slot``?

    Against a release from which it distinguished the list in the lower slot already, it adds to
    no set: what there is to breach, its own turn has dealt with or will.
    """
    for release in range(len(earlier.lists)):
        if lower != NOWHERE and distinguishes(earlier, release, item, entry, lower):
            continue
        if distinguishes(earlier, release, item, entry, slot) and adds_breach(
            draft, earlier, release, raters, bound, marks, item, entry
        ):
            return False
    return True


@kernel
def may_enter(
    draft: DraftLists,
    earlier: EarlierReleases,
    raters: ItemRaters,
    bound: Bound,
    marks: RaterMarks,
    item: int,
    slot: int,
    entry: int,
) -> bool:
    """May ``entry`` stand in this slot? Rule 10: against every earlier release of the window.

    Either it does not distinguish the list there, or no set of what it distinguishes, this list
    included, breaches the bound. Too many sets to tell means no.
    """
    return may_climb(draft, earlier, raters, bound, marks, item, slot, entry, NOWHERE)


@kernel
def tells_alone(
    raters: ItemRaters,
    bound: Bound,
    marks: RaterMarks,
    items: Offsets,
    targets: Offsets,
    since: int,
    telling: Mask,
) -> None:
    """Mark the pairs whose target, new in the list of the item, breaches the bound by itself.

    Pairs of the same target must stand one after the other.
    """
    for pair in range(len(items)):
        target = targets[pair]
        if pair == 0 or targets[pair - 1] != target:
            if pair > 0:
                clear_raters(raters, targets[pair - 1], marks)
            mark_raters(raters, target, marks)
        total, inside = 0, 0
        for at in range(raters.offsets[items[pair]], raters.offsets[items[pair] + 1]):
            total += 1
            inside += marks.rated[raters.users[at]] > since
        telling[pair] = inside * bound.denominator > bound.numerator * total
    if len(items) > 0:
        clear_raters(raters, targets[len(items) - 1], marks)
