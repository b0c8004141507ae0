"""Kernels that list, for many records at once, who is nearest to them and who is farthest away.

A list is made of estimates and comes with a bound on the squared distance of everybody who is not
in it. As records are only taken away, it stays right, and whoever is found in it within the bound
is who a look at all records would find. One look at the records makes many lists, on all cores.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.clustering._record_kernels import (
    EPSILON,
    FreeRecords,
    RecordArrays,
    distance,
    put_by_distance,
)
from recloak.core.arrays import Codes, Floats, Indices, Integers, Values
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.kernels.layout import put

SINGLE = 6e-8  # the relative error of one operation in single precision


class Lists(NamedTuple):
    """Who is near and far, by slot; ``slot`` of a record is −1 where there is no list of it.

    A record of ``near`` is at least ``near_bounds`` away (squared), which ascend, and who is not in
    it at least the last of them; one of ``far`` is at most ``far_bounds`` away, which descend. −1
    and infinity fill up a list that holds everybody.
    """

    slot: Indices
    owner: Integers
    near: Codes
    near_bounds: Floats
    far: Codes
    far_bounds: Floats
    next_slot: Integers


class Tiles(NamedTuple):
    """Dense records in single precision, in tiles: dimensions × records; −1 fills up the last.

    ``rows`` holds all records, ``squares`` their squared norms, ``longest`` the largest of these.
    """

    cells: Values
    norms: Values
    ids: Codes
    rows: Values
    squares: Floats
    longest: float


@kernel
def assign_slots(lists: Lists, wanted: Integers) -> Integers:
    """A slot for each record that has no list yet; the oldest lists make room."""
    given = np.empty(len(wanted), np.int64)
    count = 0
    for one in wanted:
        if lists.slot[one] >= 0:
            continue
        here = lists.next_slot[0]
        lists.next_slot[0] = (here + 1) % len(lists.owner)
        if lists.owner[here] >= 0:
            lists.slot[lists.owner[here]] = -1
        lists.owner[here], lists.slot[one] = one, here
        given[count] = here
        count += 1
    return given[:count]


@kernel
def list_from_tiles(
    first: int, end: int, slots: Integers, free: FreeRecords, tiles: Tiles, lists: Lists
) -> None:
    """Fill the lists first..end of ``slots`` from dense records, four at a time."""
    room = lists.near.shape[1]
    near, far = np.full((end - first, room), np.inf), np.full((end - first, room), -np.inf)
    scores = np.empty((4, tiles.norms.shape[1]), np.float32)
    for tile in range(len(tiles.norms)):
        for at in range(first, end, 4):
            _score(tiles, tile, lists.owner, slots[at : min(at + 4, end)], scores)
            for one in range(at, min(at + 4, end)):
                kept = (near[one - first], far[one - first])
                _keep(tiles.ids[tile], scores[one - at], slots[one], free, lists, *kept)
    for at in range(first, end):
        norm = tiles.squares[lists.owner[slots[at]]]
        error = 2 * SINGLE * (tiles.rows.shape[1] // 4 + 16) * (norm + tiles.longest)
        _finish(slots[at], lists, near[at - first], far[at - first], norm, error)


@inner_kernel
def _score(tiles: Tiles, tile: int, owner: Integers, slots: Integers, scores: Values) -> None:
    """The squared distances of a tile to four records, less the squared norms of these.

    Four at once, along four axes: what is loaded from the tile is used sixteen times.
    """
    last = len(slots) - 1
    p, q = tiles.rows[owner[slots[0]]], tiles.rows[owner[slots[min(1, last)]]]
    r, s = tiles.rows[owner[slots[min(2, last)]]], tiles.rows[owner[slots[last]]]
    for at in range(4):
        put(tiles.norms[tile], scores[at])
    for axis in range(0, tiles.rows.shape[1], 4):
        along = tiles.cells[tile, axis : axis + 4]
        four = slice(axis, axis + 4)
        _subtract_products(along, p[four], q[four], r[four], s[four], scores)


@inner_kernel
def _subtract_products(
    along: Values, p: Values, q: Values, r: Values, s: Values, scores: Values
) -> None:
    """Subtract twice the products of four records along four axes."""
    of_p, of_q, of_r, of_s = scores[0], scores[1], scores[2], scores[3]
    p0, p1, p2, p3 = p[0] + p[0], p[1] + p[1], p[2] + p[2], p[3] + p[3]
    q0, q1, q2, q3 = q[0] + q[0], q[1] + q[1], q[2] + q[2], q[3] + q[3]
    r0, r1, r2, r3 = r[0] + r[0], r[1] + r[1], r[2] + r[2], r[3] + r[3]
    s0, s1, s2, s3 = s[0] + s[0], s[1] + s[1], s[2] + s[2], s[3] + s[3]
    one, two, three, four = along[0], along[1], along[2], along[3]
    for at in range(len(of_p)):
        a, b, c, d = one[at], two[at], three[at], four[at]
        of_p[at] -= (p0 * a + p1 * b) + (p2 * c + p3 * d)
        of_q[at] -= (q0 * a + q1 * b) + (q2 * c + q3 * d)
        of_r[at] -= (r0 * a + r1 * b) + (r2 * c + r3 * d)
        of_s[at] -= (s0 * a + s1 * b) + (s2 * c + s3 * d)


@inner_kernel
def _keep(
    ids: Codes,
    scores: Values,
    slot: int,
    free: FreeRecords,
    lists: Lists,
    near: Floats,
    far: Floats,
) -> None:
    """Take those of a tile that are near or far enough into the lists of a slot."""
    last = len(near) - 1
    for start in range(0, len(scores), 64):
        some = scores[start : start + 64]
        low, high = np.float32(near[last]), np.float32(far[last])
        found = np.int32(0)
        for at in range(64):  # without a branch, so that the machine takes many at once
            found += np.int32(some[at] < low) | np.int32(some[at] > high)
        if found == 0:
            continue
        for at in range(len(some)):
            score = np.float64(some[at])
            if not (score < near[last] or score > far[last]):
                continue
            one = ids[start + at]
            if free.place[one] >= free.n_free[0] or one == lists.owner[slot]:
                continue
            if score < near[last]:
                _enter(lists.near[slot], near, one, score, 1.0)
            if score > far[last]:
                _enter(lists.far[slot], far, one, score, -1.0)


@inner_kernel
def _enter(ids: Codes, scores: Floats, one: int, score: float, sign: float) -> None:
    at = len(scores) - 1
    while at > 0 and sign * scores[at - 1] > sign * score:
        scores[at], ids[at] = scores[at - 1], ids[at - 1]
        at -= 1
    scores[at], ids[at] = score, one


@inner_kernel
def _finish(slot: int, lists: Lists, near: Floats, far: Floats, norm: float, error: float) -> None:
    """Turn scores into bounds."""
    for at in range(len(near)):
        if near[at] == np.inf:
            lists.near[slot, at] = -1
        if far[at] == -np.inf:
            lists.far[slot, at] = -1
        lists.near_bounds[slot, at] = near[at] + norm - error
        lists.far_bounds[slot, at] = far[at] + norm + error


@kernel
def list_from_cells(
    first: int, end: int, slots: Integers, records: RecordArrays, free: FreeRecords, lists: Lists
) -> None:
    """Fill the lists first..end of ``slots`` from sparse records."""
    room, count = lists.near.shape[1], end - first
    near, far = np.full((count, room), np.inf), np.full((count, room), -np.inf)
    here, products = np.zeros((records.n_items, count)), np.empty(count)
    for at in range(count):
        one = lists.owner[slots[first + at]]
        for cell in range(records.offsets[one], records.offsets[one + 1]):
            here[records.items[cell], at] = records.values[cell]
    for place in range(free.n_free[0]):
        one = free.ids[place]
        products[:] = 0.0
        for cell in range(records.offsets[one], records.offsets[one + 1]):
            value, of_item = records.values[cell], here[records.items[cell]]
            for at in range(count):
                products[at] += value * of_item[at]
        for at in range(count):
            score, slot = records.norms[one] - 2 * products[at], slots[first + at]
            if score < near[at, room - 1] and one != lists.owner[slot]:
                _enter(lists.near[slot], near[at], one, score, 1.0)
            if score > far[at, room - 1] and one != lists.owner[slot]:
                _enter(lists.far[slot], far[at], one, score, -1.0)
    for at in range(count):
        norm = records.norms[lists.owner[slots[first + at]]]
        error = 8 * EPSILON * (free.longest + 16) * (free.worst_norm + norm)
        _finish(slots[first + at], lists, near[at], far[at], norm, error)


@kernel
def nearest_listed(
    records: RecordArrays,
    free: FreeRecords,
    lists: Lists,
    pivot: int,
    found: Integers,
    distances: Floats,
) -> bool:
    """The free records nearest to ``pivot``, nearest first, if its list is enough to know them."""
    slot, filled = lists.slot[pivot], 0
    if slot < 0:
        return False
    bounds, wanted = lists.near_bounds[slot], len(found)
    for at in range(len(bounds)):
        one = lists.near[slot, at]
        if filled == wanted and distances[wanted - 1] < bounds[at]:
            return True
        if one >= 0 and free.place[one] < free.n_free[0]:
            gap = distance(records, pivot, one)
            filled = put_by_distance(found, distances, filled, one, gap)
    return filled == wanted and distances[wanted - 1] < bounds[len(bounds) - 1]


@kernel
def farthest_listed(
    records: RecordArrays, free: FreeRecords, lists: Lists, pivot: int, taken: Integers
) -> int:
    """The free record farthest from ``pivot`` and not ``taken``; −1 if its list does not tell."""
    slot, best, most = lists.slot[pivot], -1, -1.0
    bounds = lists.far_bounds[slot]
    for at in range(len(bounds)):
        one = lists.far[slot, at]
        if most > bounds[at]:
            return best
        if one < 0 or free.place[one] >= free.n_free[0] or (taken == one).any():
            continue
        gap = distance(records, pivot, one)
        if gap > most or (gap == most and one < best):
            best, most = one, gap
    return best if most > bounds[len(bounds) - 1] else -1


@kernel
def likely_opposites(
    free: FreeRecords, lists: Lists, pivots: Integers, k: int, gone: Indices, turn: int
) -> Integers:
    """Who is farthest from each of the pivots if groups are taken around them in this order.

    ``gone`` holds ``turn`` for who is taken on the way.
    """
    found, count = np.empty(len(pivots), np.int64), 0
    for pivot in pivots:
        slot = lists.slot[pivot]
        if slot < 0 or gone[pivot] == turn:
            continue
        gone[pivot], members = turn, 1
        for one in lists.near[slot]:
            if one >= 0 and members < k and gone[one] != turn and free.place[one] < free.n_free[0]:
                gone[one], members = turn, members + 1
        for one in lists.far[slot]:
            if one >= 0 and gone[one] != turn and free.place[one] < free.n_free[0]:
                gone[one], found[count] = turn, one
                count += 1
                break
    return found[:count]
