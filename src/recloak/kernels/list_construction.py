"""Kernels that build private lists from empty ones: what tells nothing comes first."""

from __future__ import annotations

from recloak.kernels import inner_kernel, kernel
from recloak.kernels.layout import Offsets
from recloak.kernels.list_board import Board, Bound, Past, People, Slots, put
from recloak.kernels.list_changes import fill_slot
from recloak.kernels.list_checks import Marks, may_enter
from recloak.kernels.related_items import slot_of


@inner_kernel
def safe_slot(past: Past, item: int, entry: int) -> int:
    """The slot from which on an entry distinguishes no release; the number of slots if none."""
    lowest = 0
    for release in range(len(past.lists)):
        was = slot_of(past.lists[release, item], entry)
        if was < 0:
            return int(past.lists.shape[2])
        lowest = max(lowest, was)
    return lowest


@kernel
def keep_known(board: Board, past: Past, wanted: Slots) -> None:
    """Put the wanted entries that were in all earlier lists where they distinguish nothing.

    Those with the least room go first, so that as many as possible find a slot.
    """
    n_items, top = board.slots.shape
    for item in range(n_items):
        for safe in range(top - 1, -1, -1):
            for listed in wanted[item]:
                entry = listed + 0
                if entry < 0 or safe_slot(past, item, entry) != safe:
                    continue
                if slot_of(board.slots[item], entry) >= 0:
                    continue
                for slot in range(safe, top):
                    if board.slots[item, slot] < 0:
                        put(board, item, slot, entry)
                        break


@inner_kernel
def best_slot(board: Board, past: Past, item: int, entry: int) -> int:
    """The empty slot in which an entry distinguishes the fewest releases; of equals the first."""
    best, fewest = (-1), len(past.lists) + 1
    for slot in range(board.slots.shape[1]):
        if board.slots[item, slot] >= 0:
            continue
        count = 0
        for release in range(len(past.lists)):
            was = slot_of(past.lists[release, item], entry)
            count += was < 0 or was > slot
        if count < fewest:
            best, fewest = int(slot), count
    return best


@kernel
def insert_wanted(
    board: Board,
    past: Past,
    people: People,
    bound: Bound,
    marks: Marks,
    items: Offsets,
    entries: Offsets,
    checked: bool,
) -> None:
    """Put each entry into the list of its item, pair by pair, where it may stand."""
    for pair in range(len(items)):
        item, entry = items[pair], entries[pair]
        if slot_of(board.slots[item], entry) >= 0:
            continue
        slot = best_slot(board, past, item, entry)
        if slot < 0:
            continue
        if not checked or may_enter(board, past, people, bound, marks, item, slot, entry):
            put(board, item, slot, entry)


@kernel
def fill_empty(
    board: Board,
    past: Past,
    people: People,
    bound: Bound,
    marks: Marks,
    candidates: Slots,
    slot: int,
) -> None:
    """Fill this slot of every list in which it is empty, where a candidate may enter."""
    nobody = len(board.slots)  # no item is banned
    for item in range(len(board.slots)):
        if board.slots[item, slot] < 0:
            fill_slot(board, past, people, bound, marks, candidates, item, slot, nobody)
