"""Kernels that make lists private by taking entries out, or by moving them down."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Mask, Offsets
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.kernels.related_items import slot_of
from recloak.core.timeline import ItemRaters
from recloak.lists.protection._bit_set_kernels import hitting_places
from recloak.lists.protection._bound_kernels import RaterMarks, may_climb, may_enter
from recloak.lists.protection._list_kernels import (
    Bound,
    DraftLists,
    EarlierReleases,
    places_of,
    put,
    take_out,
)
from recloak.lists.protection._violating_border_kernels import border_of

SUPPRESSED, PERMUTED = 0, 1


@kernel
def fill_slot(
    draft: DraftLists,
    earlier: EarlierReleases,
    raters: ItemRaters,
    bound: Bound,
    marks: RaterMarks,
    candidates: Codes,
    item: int,
    slot: int,
    banned: int,
) -> bool:
    """Put the first candidate that may enter into an empty slot; False if there is none."""
    for listed in candidates[item]:
        entry = listed + 0  # 64 bits, as all others: compiled once
        if entry < 0:
            return False
        if entry == banned or slot_of(draft.slots[item], entry) >= 0:
            continue
        if may_enter(draft, earlier, raters, bound, marks, item, slot, entry):
            put(draft, item, slot, entry)
            return True
    return False


@inner_kernel
def move_down(
    draft: DraftLists,
    earlier: EarlierReleases,
    raters: ItemRaters,
    bound: Bound,
    marks: RaterMarks,
    item: int,
    slot: int,
    safe: int,
) -> bool:
    """Swap an entry into the first slot from ``safe`` on whose own entry may move up; or False."""
    target = draft.slots[item, slot] + 0
    for lower in range(safe, draft.slots.shape[1]):
        partner = draft.slots[item, lower] + 0
        take_out(draft, item, slot)
        take_out(draft, item, lower)
        passes = partner < 0 or may_climb(
            draft, earlier, raters, bound, marks, item, slot, partner, lower
        )
        put(draft, item, lower if passes else slot, target)
        if partner >= 0:
            put(draft, item, slot if passes else lower, partner)
        if passes:
            return True
    return False


@inner_kernel
def suppress(
    draft: DraftLists,
    earlier: EarlierReleases,
    raters: ItemRaters,
    bound: Bound,
    marks: RaterMarks,
    candidates: Codes,
    item: int,
    slot: int,
) -> None:
    """Take an entry out and let the first candidate that may enter have its slot."""
    target = draft.slots[item, slot] + 0
    take_out(draft, item, slot)
    fill_slot(draft, earlier, raters, bound, marks, candidates, item, slot, target)


@inner_kernel
def hit_all(
    draft: DraftLists,
    earlier: EarlierReleases,
    raters: ItemRaters,
    bound: Bound,
    marks: RaterMarks,
    candidates: Codes,
    target: int,
    places: Offsets,
    hit: Mask,
    moves: Mask,
    safe: Offsets,
    done: Offsets,
) -> None:
    """Take the target out of the lists that are hit, then move it down in those that allow it."""
    for moved in (False, True):
        for place in np.flatnonzero(hit & (moves == moved)):
            item = places[place]
            slot = slot_of(draft.slots[item], target)
            if moved and move_down(draft, earlier, raters, bound, marks, item, slot, safe[place]):
                done[PERMUTED] += 1
            else:
                suppress(draft, earlier, raters, bound, marks, candidates, item, slot)
                done[SUPPRESSED] += 1


@kernel
def make_private(
    draft: DraftLists,
    earlier: EarlierReleases,
    raters: ItemRaters,
    bound: Bound,
    marks: RaterMarks,
    candidates: Codes,
    permuting: bool,
    part: int,
    start: int,
    end: int,
    done: Offsets,
) -> None:
    """Rules 6 to 11 for the targets from ``start`` to ``end``, in ascending order.

    ``done`` counts what was suppressed and permuted. Where a border has too many sets to look at,
    a ``part``-th of its places is hit and it is drawn anew.
    """
    for target in range(start, end):
        while True:
            places = places_of(draft, target)
            if len(places) == 0:
                break
            border = border_of(draft, earlier, raters, bound, marks, target, places, part)
            moves = ~border.absent & permuting
            hit = border.alone
            if not border.overflow:
                hit = hitting_places(border.sets, moves) | border.alone
            hit_all(
                draft, earlier, raters, bound, marks, candidates, target, places, hit, moves,
                border.safe, done,
            )  # fmt: skip
            if not border.overflow:
                break
