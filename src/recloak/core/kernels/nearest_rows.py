"""Kernels that find the nearest rows to what someone knows, through an item → rows index."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Floats, Indices, Integers, Mask, Offsets, Values
from recloak.core.kernels import kernel

CLOSE = 1e-9


@kernel
def distances(
    known_items: Codes,
    known_values: Values,
    misses: Floats,
    index_offsets: Offsets,
    index_rows: Codes,
    index_values: Values,
    surplus: Floats,
    base: Floats,
    extra: float,
    with_values: bool,
    out: Floats,
) -> None:
    """Squared distance of every row to the known items.

    A known item that the row lacks costs as ``misses`` says, a row's item that is not known costs
    ``extra``, and one that both have costs the squared difference of the values. Where there is a
    ``base`` and an extra item costs anything, it costs the squared distance from that.
    ``surplus`` is what all items of a row cost if none is known. Only the postings of the known
    items are touched; -1 marks an item that no row has.
    """
    nothing_found = misses.sum()
    for row in range(len(out)):
        out[row] = nothing_found + surplus[row]
    for step in range(len(known_items)):
        item = known_items[step]
        if item < 0:
            continue
        for at in range(index_offsets[item], index_offsets[item + 1]):
            gap = known_values[step] - index_values[at] if with_values else np.float32(0)
            spared = extra
            if extra > 0 and len(base) > 0:
                spared = (index_values[at] - base[item]) ** 2
            out[index_rows[at]] += np.float64(gap) * np.float64(gap) - misses[step] - spared


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
    count = len(target_offsets) - 1
    found = np.zeros((5, count), np.int64)
    ties, own, alike, example, other = found
    example[:] = -1
    other[:] = -1
    distance = np.empty(len(surplus), np.float64)
    for target in range(count):
        here = slice(target_offsets[target], target_offsets[target + 1])
        distances(
            known_items[here],
            known_values[here],
            misses[here],
            index_offsets,
            index_rows,
            index_values,
            surplus,
            base,
            extra,
            with_values,
            distance,
        )
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
    index_offsets: Offsets,
    index_users: Codes,
    index_values: Values,
    user_lengths: Integers,
    miss: float,
    held: float,
    taken: Mask,
) -> tuple[Integers, Mask]:
    """For each of ``rows`` the person whose ratings hold it best, and whether they hold it all.

    Best is the smallest distance with what the person has beyond the row costing nothing; among
    equals the one with the fewest further ratings, and of those one that is not ``taken`` yet.
    -1 if even that one lacks more than a share of 1 - ``held`` of the row's items.
    """
    owner = np.full(len(rows), -1, np.int64)
    whole = np.zeros(len(rows), np.bool_)
    distance = np.empty(len(user_lengths), np.float64)
    no_surplus, no_base = np.zeros(len(user_lengths), np.float64), np.empty(0, np.float64)
    for step in range(len(rows)):
        here = slice(offsets[rows[step]], offsets[rows[step] + 1])
        length = offsets[rows[step] + 1] - offsets[rows[step]]
        distances(
            items[here],
            values[here],
            np.full(length, miss),
            index_offsets,
            index_users,
            index_values,
            no_surplus,
            no_base,
            0.0,
            True,
            distance,
        )
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
