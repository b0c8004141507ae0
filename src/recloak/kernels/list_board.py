"""Kernels on lists under change: what stands where, and which lists an item distinguishes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import inner_kernel, kernel
from recloak.kernels.layout import Codes, Offsets
from recloak.kernels.related_items import slot_of

Slots = NDArray[np.int32]

NOWHERE = -1


class Board(NamedTuple):
    """Lists that are being changed; the places of each item are chained, so that S_x is at hand.

    A place is list × slots + slot. ``first[x]`` is a place of item x, ``after`` and ``before``
    lead to its others, -1 at the ends.
    """

    slots: Slots
    first: Offsets
    after: Offsets
    before: Offsets


class Past(NamedTuple):
    """Published releases to compare with, and from which rating on a target counts for each."""

    lists: NDArray[np.int32]
    since: Offsets


class People(NamedTuple):
    """Who rated each item, and when, by place in time."""

    offsets: Offsets
    users: Codes
    born: Codes


class Bound(NamedTuple):
    """δ as a fraction, and how many sets may be looked at for one question."""

    numerator: int
    denominator: int
    budget: int


@kernel
def new_board(slots: Slots) -> Board:
    """A board with these lists, which are copied."""
    n_items, top = slots.shape
    board = Board(
        np.full((n_items, top), NOWHERE, np.int32),
        np.full(n_items, NOWHERE, np.int64),
        np.full(n_items * top, NOWHERE, np.int64),
        np.full(n_items * top, NOWHERE, np.int64),
    )
    for item in range(n_items):
        for slot in range(top):
            if slots[item, slot] >= 0:
                put(board, item, slot, slots[item, slot])
    return board


@kernel
def put(board: Board, item: int, slot: int, entry: int) -> None:
    """Put ``entry`` into an empty slot of an item's list."""
    place = item * board.slots.shape[1] + slot
    board.slots[item, slot] = entry
    head = board.first[entry]
    board.after[place] = head
    board.before[place] = NOWHERE
    if head >= 0:
        board.before[head] = place
    board.first[entry] = place


@kernel
def take_out(board: Board, item: int, slot: int) -> None:
    """Empty a slot."""
    entry = board.slots[item, slot]
    if entry < 0:
        return
    place = item * board.slots.shape[1] + slot
    ahead, behind = board.before[place], board.after[place]
    if ahead >= 0:
        board.after[ahead] = behind
    else:
        board.first[entry] = behind
    if behind >= 0:
        board.before[behind] = ahead
    board.slots[item, slot] = NOWHERE


@inner_kernel
def distinguishes(past: Past, release: int, item: int, entry: int, slot: int) -> bool:
    """Is ``entry`` in ``slot`` of this list new, or better placed, than in an earlier release?"""
    was = slot_of(past.lists[release, item], entry)
    return was < 0 or was > slot


@inner_kernel
def distinguished(board: Board, past: Past, release: int, entry: int) -> Offsets:
    """S: the items whose lists ``entry`` distinguishes now from an earlier release, ascending."""
    top = board.slots.shape[1]
    count, place = 0, board.first[entry]
    while place >= 0:
        count += distinguishes(past, release, place // top, entry, place % top)
        place = board.after[place]
    found = np.empty(count, np.int64)
    place = board.first[entry]
    while place >= 0:
        if distinguishes(past, release, place // top, entry, place % top):
            count -= 1
            found[count] = place // top
        place = board.after[place]
    sort_short(found)
    return found


@kernel
def places_of(board: Board, entry: int) -> Offsets:
    """The items in whose lists ``entry`` stands, ascending."""
    count, place = 0, board.first[entry]
    while place >= 0:
        count += 1
        place = board.after[place]
    found = np.empty(count, np.int64)
    place = board.first[entry]
    while place >= 0:
        count -= 1
        found[count] = place // board.slots.shape[1]
        place = board.after[place]
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
