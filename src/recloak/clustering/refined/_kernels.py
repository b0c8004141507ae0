"""Kernel that moves and swaps single records between groups while the squared error falls.

With S the sum of a group of n records, the error of a partition is Σ|x|² − Σ|S|²/n. So what a
move or a swap gains follows from a few dot products: x·S of the records with their own groups
and with each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.clustering._record_kernels import RecordArrays, add_record
from recloak.core.arrays import Codes, Floats, Integers
from recloak.core.kernels import kernel

LEAST_GAIN = 1e-9


class Partition(NamedTuple):
    """Groups under change: ``members[g, :sizes[g]]``.

    ``squares`` is |S|² of each group, ``own`` the product of each record with its group's sum,
    ``changed`` and ``looked`` when a group last changed and a record last looked around.
    """

    labels: Integers
    members: Integers
    sizes: Integers
    squares: Floats
    own: Floats
    changed: Integers
    looked: Integers
    clock: Integers


@kernel
def dots(records: RecordArrays, one: int, point: Floats, other: Floats) -> tuple[float, float]:
    """The products of a record with two points of the space."""
    first, second = 0.0, 0.0
    if records.matrix.shape[0] == 0:
        for at in range(records.offsets[one], records.offsets[one + 1]):
            first += records.values[at] * point[records.items[at]]
            second += records.values[at] * other[records.items[at]]
        return first, second
    row = records.matrix[one]
    a, b, c, d = 0.0, 0.0, 0.0, 0.0  # several sums at once: additions need not wait
    e, f, g, h = 0.0, 0.0, 0.0, 0.0
    whole = len(row) // 4 * 4
    for at in range(0, whole, 4):
        a += row[at] * point[at]
        b += row[at + 1] * point[at + 1]
        c += row[at + 2] * point[at + 2]
        d += row[at + 3] * point[at + 3]
        e += row[at] * other[at]
        f += row[at + 1] * other[at + 1]
        g += row[at + 2] * other[at + 2]
        h += row[at + 3] * other[at + 3]
    for at in range(whole, len(row)):
        first += row[at] * point[at]
        second += row[at] * other[at]
    return first + ((a + b) + (c + d)), second + ((e + f) + (g + h))


@kernel
def measure_group(records: RecordArrays, partition: Partition, group: int, point: Floats) -> None:
    """Bring ``squares`` and ``own`` of a group up to date; ``point`` is 0 before and after."""
    size = partition.sizes[group]
    for at in range(size):
        add_record(records, partition.members[group, at], 1.0, point)
    partition.squares[group] = 0.0
    for at in range(size):
        one = partition.members[group, at]
        partition.own[one] = dots(records, one, point, point)[0]
        partition.squares[group] += partition.own[one]
    _clear(records, partition, group, point)
    partition.changed[group] = partition.clock[0]


@kernel
def _clear(records: RecordArrays, partition: Partition, group: int, point: Floats) -> None:
    for at in range(partition.sizes[group]):
        one = partition.members[group, at]
        for cell in range(records.offsets[one], records.offsets[one + 1]):
            point[records.items[cell]] = 0.0


@kernel
def measure_all(records: RecordArrays, partition: Partition) -> None:
    """Bring the bookkeeping of all groups up to date."""
    point = np.zeros(records.n_items)
    for group in range(len(partition.sizes)):
        measure_group(records, partition, group, point)


@kernel
def improve(
    records: RecordArrays,
    partition: Partition,
    k: int,
    first: int,
    end: int,
    candidates: Codes,
) -> float:
    """Let the records first..end each make their best move or swap; by how much the error fell.

    A record looks at the groups in its row of ``candidates``, unless nothing changed there since.
    """
    record, group = np.zeros(records.n_items), np.zeros(records.n_items)
    gained = 0.0
    for one in range(first, end):
        home = partition.labels[one]
        if not _changed_since(partition, one, home, candidates[one]):
            continue
        add_record(records, one, 1.0, record)
        for at in range(partition.sizes[home]):
            add_record(records, partition.members[home, at], 1.0, group)
        gain, target, partner = _best(records, partition, k, one, candidates[one], record, group)
        _clear(records, partition, home, group)
        _clear(records, partition, home, record)  # the record is one of its members
        partition.clock[0] += 1
        partition.looked[one] = partition.clock[0]
        if target >= 0:
            _exchange(partition, one, home, target, partner)
            partition.clock[0] += 1
            measure_group(records, partition, home, group)
            measure_group(records, partition, target, group)
            gained += gain
    return gained


@kernel
def _changed_since(partition: Partition, one: int, home: int, candidates: Codes) -> bool:
    since = partition.looked[one]
    if partition.changed[home] >= since:
        return True
    for at in range(len(candidates)):
        if candidates[at] >= 0 and partition.changed[candidates[at]] >= since:
            return True
    return False


@kernel
def _best(
    records: RecordArrays,
    partition: Partition,
    k: int,
    one: int,
    candidates: Codes,
    record: Floats,
    group: Floats,
) -> tuple[float, int, int]:
    """The gain, group and partner of the best exchange; partner −1 is a move, group −1 none."""
    home, since = partition.labels[one], partition.looked[one]
    all_new = partition.changed[home] >= since
    products = np.empty((2, partition.members.shape[1]))
    best, target, partner = 0.0, -1, -1
    for candidate in candidates:
        if candidate < 0 or candidate == home:
            continue
        if not (all_new or partition.changed[candidate] >= since):
            continue
        for at in range(partition.sizes[candidate]):
            other = partition.members[candidate, at]
            products[0, at], products[1, at] = dots(records, other, record, group)
        gain, member = _best_in_group(records, partition, k, one, candidate, products)
        if gain > best:
            best, target, partner = gain, candidate, member
    return best, target, partner


@kernel
def _best_in_group(
    records: RecordArrays,
    partition: Partition,
    k: int,
    one: int,
    target: int,
    products: Floats,
) -> tuple[float, int]:
    home = partition.labels[one]
    n, m = partition.sizes[home], partition.sizes[target]
    here, there = partition.squares[home], partition.squares[target]
    norm, with_target = records.norms[one], products[0, :m].sum()
    best, partner = LEAST_GAIN * (norm + here / n + there / m), -2
    if n > k and m < partition.members.shape[1]:
        left = (here - 2 * partition.own[one] + norm) / (n - 1)
        joined = (there + 2 * with_target + norm) / (m + 1)
        gain = left + joined - here / n - there / m
        if gain > best:
            best, partner = gain, -1
    for at in range(m):
        other = partition.members[target, at]
        apart = norm + records.norms[other] - 2 * products[0, at]
        change_here = 2 * (products[1, at] - partition.own[one]) + apart
        change_there = 2 * (with_target - partition.own[other]) + apart
        gain = change_here / n + change_there / m
        if gain > best:
            best, partner = gain, at
    return (best if partner > -2 else 0.0), partner


@kernel
def _exchange(partition: Partition, one: int, home: int, target: int, partner: int) -> None:
    """Move a record to another group, and its partner there to where it came from."""
    here = 0
    while partition.members[home, here] != one:
        here += 1
    partition.labels[one] = target
    if partner >= 0:
        other = partition.members[target, partner]
        partition.members[home, here], partition.members[target, partner] = other, one
        partition.labels[other] = home
        return
    partition.sizes[home] -= 1
    partition.members[home, here] = partition.members[home, partition.sizes[home]]
    partition.members[target, partition.sizes[target]] = one
    partition.sizes[target] += 1
