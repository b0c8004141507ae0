"""Kernels that build private lists from empty ones: what tells nothing comes first."""

from __future__ import annotations

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
    for item in range(n_items):
        for safe in range(top - 1, -1, -1):
            for listed in wanted[item]:
                entry = listed + 0
                if entry < 0 or safe_slot(earlier, item, entry) != safe:
                    continue
                if slot_of(draft.slots[item], entry) >= 0:
                    continue
                for slot in range(safe, top):
                    if draft.slots[item, slot] < 0:
                        put(draft, item, slot, entry)
                        break


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
