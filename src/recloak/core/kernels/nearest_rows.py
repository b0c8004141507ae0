"""Kernels that find the nearest rows to what someone knows, through an item → rows index."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Codes, Floats, Indices, Integers, Mask, Offsets, Values
from recloak.core.kernels import kernel

CLOSE = 1e-9


class RowIndex(NamedTuple):
    """Which rows have an item, and with what value: ``rows[offsets[i]:offsets[i + 1]]``."""

    offsets: Offsets
    rows: Codes
    values: Values


class RowCosts(NamedTuple):
    """What a row's items cost that are not known.

    Each costs ``extra``; where there is a ``base`` and they cost anything, the squared distance
    from that. ``surplus`` is what all items of a row cost if none is known. ``with_values`` says
    whether values are compared at all.
    """

    surplus: Floats
    base: Floats
    extra: float
    with_values: bool


@kernel
def distances(
    known_items: Codes,
    known_values: Values,
    misses: Floats,
    index: RowIndex,
    costs: RowCosts,
    out: Floats,
) -> None:
    """Squared distance of every row to the known items.

    A known item that the row lacks costs as ``misses`` says, one that both have costs the squared
    difference of the values, and all others of the row as ``costs`` says. Only the postings of the
    known items are touched; -1 marks an item that no row has.
    """
    offsets, rows, values = index.offsets, index.rows, index.values
    base, extra = costs.base, costs.extra
    nothing_found = misses.sum()
    for row in range(len(out)):
        out[row] = nothing_found + costs.surplus[row]
    for step in range(len(known_items)):
        item = known_items[step]
        if item < 0:
            continue
        for at in range(offsets[item], offsets[item + 1]):
            gap = known_values[step] - values[at] if costs.with_values else np.float32(0)
            spared = extra
            if extra > 0 and len(base) > 0:
                spared = (values[at] - base[item]) ** 2
            out[rows[at]] += np.float64(gap) * np.float64(gap) - misses[step] - spared


@kernel
def nearest(
    target_offsets: Offsets,
    known_items: Codes,
    known_values: Values,
    misses: Floats,
    own_offsets: Offsets,
    own_rows: Integers,
    row_group: Integers,
    index_offsets: Offsets,
    index_rows: Codes,
    index_values: Values,
    surplus: Floats,
    base: Floats,
    extra: float,
    with_values: bool,
) -> Integers:
    """For each target: nearest rows, own ones among them, those like own ones, one such, one other.

    Rows look alike when they are in the same ``row_group``; -1 where there is no example.
    """
    index = RowIndex(index_offsets, index_rows, index_values)
    costs = RowCosts(surplus, base, extra, with_values)
    count = len(target_offsets) - 1
    found = np.zeros((5, count), np.int64)
    ties, own, alike, example, other = found
    example[:] = -1
    other[:] = -1
    distance = np.empty(len(surplus), np.float64)
    for target in range(count):
        here = slice(target_offsets[target], target_offsets[target + 1])
        distances(known_items[here], known_values[here], misses[here], index, costs, distance)
        mine = own_rows[own_offsets[target] : own_offsets[target + 1]]
        limit = distance.min() + CLOSE * (1.0 + misses[here].sum())
        for row in range(len(distance)):
            if distance[row] > limit:
                continue
            ties[target] += 1
            looks_mine = False
            for my_row in mine:
                if row == my_row:
                    own[target] += 1
                if row_group[row] == row_group[my_row]:
                    looks_mine = True
            if looks_mine:
                alike[target] += 1
                if example[target] < 0:
                    example[target] = row
            elif other[target] < 0:
                other[target] = row
    return found


@kernel
def best_owner(
    offsets: Offsets,
    items: Codes,
    values: Values,
    rows: Indices,
    index: RowIndex,
    user_lengths: Integers,
    miss: float,
    held: float,
    taken: Mask,
) -> tuple[Integers, Mask]:
    """For each of ``rows`` the person whose ratings hold it best, and whether they hold it all.

    ``index`` is that of people, who stand in it as rows.
    Best is the smallest distance with what the person has beyond the row costing nothing; among
    equals the one with the fewest further ratings, and of those one that is not ``taken`` yet.
    -1 if even that one lacks more than a share of 1 - ``held`` of the row's items.
    """
    owner = np.full(len(rows), -1, np.int64)
    whole = np.zeros(len(rows), np.bool_)
    distance = np.empty(len(user_lengths), np.float64)
    costs = RowCosts(np.zeros(len(user_lengths)), np.empty(0), 0.0, True)
    for step in range(len(rows)):
        here = slice(offsets[rows[step]], offsets[rows[step] + 1])
        length = offsets[rows[step] + 1] - offsets[rows[step]]
        distances(items[here], values[here], np.full(length, miss), index, costs, distance)
        limit = distance.min() + CLOSE * (1.0 + miss)
        if length == 0 or limit >= miss * (length - np.ceil(held * length) + 1):
            continue
        best = -1
        for user in range(len(distance)):
            if distance[user] > limit:
                continue
            if best < 0 or user_lengths[user] < user_lengths[best]:
                best = user
                continue
            as_small = user_lengths[user] == user_lengths[best]
            if as_small and taken[best] and not taken[user]:
                best = user
        owner[step] = best
        whole[step] = distance[best] < miss - CLOSE
        taken[best] = True
    return owner, whole
