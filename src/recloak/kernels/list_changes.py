"""Kernels that make lists private by taking entries out, or by moving them down."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import inner_kernel, kernel
from recloak.kernels.bit_sets import hitting_places
from recloak.kernels.layout import Offsets
from recloak.kernels.list_board import (
    Board,
    Bound,
    Past,
    People,
    Slots,
    places_of,
    put,
    take_out,
)
from recloak.kernels.list_borders import border_of
from recloak.kernels.list_checks import Marks, may_climb, may_enter
from recloak.kernels.related_items import slot_of

SUPPRESSED, PERMUTED = 0, 1


@kernel
def fill_slot(
    board: Board,
    past: Past,
    people: People,
    bound: Bound,
    marks: Marks,
    candidates: Slots,
    item: int,
    slot: int,
    banned: int,
) -> bool:
    """Put the first candidate that may enter into an empty slot; False if there is none."""
    for listed in candidates[item]:
        entry = listed + 0  # 64 bits, as all others: compiled once
        if entry < 0:
            return False
        if entry == banned or slot_of(board.slots[item], entry) >= 0:
            continue
        if may_enter(board, past, people, bound, marks, item, slot, entry):
            put(board, item, slot, entry)
            return True
    return False


@inner_kernel
def move_down(
    board: Board,
    past: Past,
    people: People,
    bound: Bound,
    marks: Marks,
    item: int,
    slot: int,
    safe: int,
) -> bool:
    """Swap an entry into the first slot from ``safe`` on whose own entry may move up; or False."""
    target = board.slots[item, slot] + 0
    for lower in range(safe, board.slots.shape[1]):
        partner = board.slots[item, lower] + 0
        take_out(board, item, slot)
        take_out(board, item, lower)
        passes = partner < 0 or may_climb(
            board, past, people, bound, marks, item, slot, partner, lower
        )
        put(board, item, lower if passes else slot, target)
        if partner >= 0:
            put(board, item, slot if passes else lower, partner)
        if passes:
            return True
    return False


@inner_kernel
def suppress(
    board: Board,
    past: Past,
    people: People,
    bound: Bound,
    marks: Marks,
    candidates: Slots,
    item: int,
    slot: int,
) -> None:
    """Take an entry out and let the first candidate that may enter have its slot."""
    target = board.slots[item, slot] + 0
    take_out(board, item, slot)
    fill_slot(board, past, people, bound, marks, candidates, item, slot, target)


@inner_kernel
def hit_all(
    board: Board,
    past: Past,
    people: People,
    bound: Bound,
    marks: Marks,
    candidates: Slots,
    target: int,
    places: Offsets,
    hit: NDArray[np.bool_],
    moves: NDArray[np.bool_],
    safe: Offsets,
    done: Offsets,
) -> None:
    """Take the target out of the lists that are hit, then move it down in those that allow it."""
    for moved in (False, True):
        for place in np.flatnonzero(hit & (moves == moved)):
            item = places[place]
            slot = slot_of(board.slots[item], target)
            if moved and move_down(board, past, people, bound, marks, item, slot, safe[place]):
                done[PERMUTED] += 1
            else:
                suppress(board, past, people, bound, marks, candidates, item, slot)
                done[SUPPRESSED] += 1


@kernel
def make_private(
    board: Board,
    past: Past,
    people: People,
    bound: Bound,
    marks: Marks,
    candidates: Slots,
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
            places = places_of(board, target)
            if len(places) == 0:
                break
            border = border_of(board, past, people, bound, marks, target, places, part)
            moves = ~border.absent & permuting
            hit = border.alone
            if not border.overflow:
                hit = hitting_places(border.sets, moves) | border.alone
            hit_all(
                board, past, people, bound, marks, candidates, target, places, hit, moves,
                border.safe, done,
            )  # fmt: skip
            if not border.overflow:
                break
