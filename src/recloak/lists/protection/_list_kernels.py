"""Kernels on lists under change: what stands where, and which lists an item distinguishes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Codes, Offsets
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.kernels.related_items import slot_of

NOWHERE = -1


class DraftLists(NamedTuple):
    """Lists under change; the places of each item are chained, so that S_x is found quickly.

    A place is list × slots + slot. ``first[x]`` is a place of item x, ``after`` and ``before``
    lead to its others, -1 at the ends.
    """

    slots: Codes
    first: Offsets
    after: Offsets
    before: Offsets


class EarlierReleases(NamedTuple):
    """Published releases to compare with, and from which rating on a target counts for each."""

    lists: Codes
    since: Offsets


class Bound(NamedTuple):
    """δ as a fraction, and how many sets may be looked at for one question."""

    numerator: int
    denominator: int
    budget: int


@kernel
def new_draft(slots: Codes) -> DraftLists:
    """A draft with a copy of these lists."""
    n_items, top = slots.shape
    draft = DraftLists(
        np.full((n_items, top), NOWHERE, np.int32),
        np.full(n_items, NOWHERE, np.int64),
        np.full(n_items * top, NOWHERE, np.int64),
        np.full(n_items * top, NOWHERE, np.int64),
    )
    for item in range(n_items):
        for slot in range(top):
            if slots[item, slot] >= 0:
                put(draft, item, slot, slots[item, slot])
    return draft


@kernel
def put(draft: DraftLists, item: int, slot: int, entry: int) -> None:
    """Put ``entry`` into an empty slot of an item's list."""
    place = item * draft.slots.shape[1] + slot
    draft.slots[item, slot] = entry
    head = draft.first[entry]
    draft.after[place] = head
    draft.before[place] = NOWHERE
    if head >= 0:
        draft.before[head] = place
    draft.first[entry] = place


@kernel
def take_out(draft: DraftLists, item: int, slot: int) -> None:
    """Empty a slot."""
    entry = draft.slots[item, slot]
    if entry < 0:
        return
    place = item * draft.slots.shape[1] + slot
    ahead, behind = draft.before[place], draft.after[place]
    if ahead >= 0:
        draft.after[ahead] = behind
    else:
        draft.first[entry] = behind
    if behind >= 0:
        draft.before[behind] = ahead
    draft.slots[item, slot] = NOWHERE


@inner_kernel
def distinguishes(earlier: EarlierReleases, release: int, item: int, entry: int, slot: int) -> bool:
    """Is ``entry`` in ``slot`` of this list new, or better placed, than in an earlier release?"""
    was = slot_of(earlier.lists[release, item], entry)
    return was < 0 or was > slot


@inner_kernel
def distinguished(draft: DraftLists, earlier: EarlierReleases, release: int, entry: int) -> Offsets:
    """S: the items whose lists ``entry`` distinguishes now from an earlier release, ascending."""
    top = draft.slots.shape[1]
    count, place = 0, draft.first[entry]
    while place >= 0:
        count += distinguishes(earlier, release, place // top, entry, place % top)
        place = draft.after[place]
    found = np.empty(count, np.int64)
    place = draft.first[entry]
    while place >= 0:
        if distinguishes(earlier, release, place // top, entry, place % top):
            count -= 1
            found[count] = place // top
        place = draft.after[place]
    sort_short(found)
    return found


@kernel
def places_of(draft: DraftLists, entry: int) -> Offsets:
    """The items in whose lists ``entry`` stands, ascending."""
    count, place = 0, draft.first[entry]
    while place >= 0:
        count += 1
        place = draft.after[place]
    found = np.empty(count, np.int64)
    place = draft.first[entry]
    while place >= 0:
        count -= 1
        found[count] = place // draft.slots.shape[1]
        place = draft.after[place]
    sort_short(found)
    return found


@inner_kernel
def sort_short(values: Offsets) -> None:
    """Sort in place; quick where the values nearly ascend already, as chains read backwards do."""
    for end in range(1, len(values)):
        value, at = values[end], end
        while at > 0 and values[at - 1] > value:
            values[at] = values[at - 1]
            at -= 1
        values[at] = value


@inner_kernel
def index_in(values: Offsets, wanted: int) -> int:
    """Where ascending values hold one that is among them."""
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low
