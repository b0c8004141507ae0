"""Kernels that build private lists from empty ones: what tells nothing comes first."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Offsets
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.kernels.related_items import slot_of
from recloak.core.timeline import ItemRaters
from recloak.lists.protection._bound_kernels import RaterMarks, may_enter
from recloak.lists.protection._list_kernels import Bound, DraftLists, EarlierReleases, put
from recloak.lists.protection._suppression_kernels import fill_slot


@inner_kernel
def safe_slot(earlier: EarlierReleases, item: int, entry: int) -> int:
    """The slot from which on an entry distinguishes no release; the number of slots if none."""
    lowest = 0
    for release in range(len(earlier.lists)):
        was = slot_of(earlier.lists[release, item], entry)
        if was < 0:
            return int(earlier.lists.shape[2])
        lowest = max(lowest, was)
    return lowest


@kernel
def keep_known(draft: DraftLists, earlier: EarlierReleases, wanted: Codes) -> None:
    """Put the wanted entries that were in all earlier lists where they distinguish nothing.

    Those with the least room go first, so that as many as possible find a slot.
    """
    n_items, top = draft.slots.shape
    known, safe_from = np.empty(wanted.shape[1], np.int32), np.empty(wanted.shape[1], np.int64)
    for item in range(n_items):
        count = 0
        for entry in wanted[item]:
            lowest = safe_slot(earlier, item, entry) if entry >= 0 else top
            if lowest < top:
                known[count], safe_from[count] = entry, lowest
                count += 1
        for safe in range(top - 1, -1, -1):
            for at in range(count):
                if safe_from[at] == safe and slot_of(draft.slots[item], known[at]) < 0:
                    put_from(draft, item, safe, known[at])


@inner_kernel
def put_from(draft: DraftLists, item: int, first: int, entry: int) -> None:
    """Put an entry into the first empty slot from ``first`` on, if there is one."""
    for slot in range(first, draft.slots.shape[1]):
        if draft.slots[item, slot] < 0:
            put(draft, item, slot, entry)
            return


@inner_kernel
def best_slot(draft: DraftLists, earlier: EarlierReleases, item: int, entry: int) -> int:
    """The empty slot in which an entry distinguishes the fewest releases; of equals the first."""
    best, fewest = (-1), len(earlier.lists) + 1
    for slot in range(draft.slots.shape[1]):
        if draft.slots[item, slot] >= 0:
            continue
        count = 0
        for release in range(len(earlier.lists)):
            was = slot_of(earlier.lists[release, item], entry)
            count += was < 0 or was > slot
        if count < fewest:
            best, fewest = int(slot), count
    return best


@kernel
def insert_wanted(
    draft: DraftLists,
    earlier: EarlierReleases,
    raters: ItemRaters,
    bound: Bound,
    marks: RaterMarks,
    items: Offsets,
    entries: Offsets,
    checked: bool,
) -> None:
    """Put each entry into the list of its item, pair by pair, where it may stand."""
    for pair in range(len(items)):
        item, entry = items[pair], entries[pair]
        if slot_of(draft.slots[item], entry) >= 0:
            continue
        slot = best_slot(draft, earlier, item, entry)
        if slot < 0:
            continue
        if not checked or may_enter(draft, earlier, raters, bound, marks, item, slot, entry):
            put(draft, item, slot, entry)


@kernel
def fill_empty(
    draft: DraftLists,
    earlier: EarlierReleases,
    raters: ItemRaters,
    bound: Bound,
    marks: RaterMarks,
    candidates: Codes,
    slot: int,
) -> None:
    """Fill this slot of every list in which it is empty, where a candidate may enter."""
    nobody = len(draft.slots)  # no item is banned
    for item in range(len(draft.slots)):
        if draft.slots[item, slot] < 0:
            fill_slot(draft, earlier, raters, bound, marks, candidates, item, slot, nobody)
