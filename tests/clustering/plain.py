"""Clusterings as one would write them down: dense, slow, and the measure of what is right."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.clustering import Points

Table = NDArray[np.float64]


def table_of(points: Points) -> Table:
    """All cells, implied ones too."""
    table = np.zeros((points.n_records, points.n_items))
    for row in range(points.n_records):
        here = slice(points.offsets[row], points.offsets[row + 1])
        table[row, points.items[here]] = points.values[here]
    return table


def squared(one: Table, other: Table) -> float:
    """The squared distance, item after item in 64 bits."""
    return float(np.add.accumulate(np.append(0.0, (one - other) ** 2))[-1])


def total_of(table: Table, rows: list[int]) -> Table:
    total = np.zeros(table.shape[1])
    for row in rows:
        total = total + table[row]
    return total


def farthest(table: Table, free: list[int], point: Table) -> int:
    return max(free, key=lambda row: (squared(table[row], point), -row))


def nearest(table: Table, free: list[int], point: Table, count: int) -> list[int]:
    return sorted(free, key=lambda row: (squared(table[row], point), row))[:count]


def nearest_group(table: Table, groups: list[list[int]], row: int) -> tuple[float, int]:
    """How near the nearest group mean is, and whose it is."""
    means = [total_of(table, sorted(group)) / len(group) for group in groups]
    return min((squared(table[row], mean), at) for at, mean in enumerate(means))


def labels_of(groups: list[list[int]], count: int) -> list[int]:
    labels = [-1] * count
    for label, group in enumerate(groups):
        for row in group:
            labels[row] = label
    return labels


def mdav(table: Table, k: int) -> list[int]:
    free = list(range(len(table)))
    total = total_of(table, free)
    groups: list[list[int]] = []

    def take(pivot: int) -> None:
        nonlocal total
        others = [row for row in free if row != pivot]
        group = [pivot, *nearest(table, others, table[pivot], k - 1)]
        for row in group:
            free.remove(row)
            total = total - table[row]
        groups.append(group)

    while len(free) >= 3 * k:
        pivot = farthest(table, free, total / len(free))
        take(pivot)
        take(farthest(table, free, table[pivot]))
    if len(free) >= 2 * k:
        take(farthest(table, free, total / len(free)))
    if groups:
        found = [nearest_group(table, groups, row) for row in free]
        mean = total / len(free)
        own = [squared(table[row], mean) for row in free]
        staying = sum(mine < theirs for mine, (theirs, _) in zip(own, found, strict=True))
        if 2 * staying <= len(free):
            for row, (_, label) in zip(free, found, strict=True):
                groups[label].append(row)
            return labels_of(groups, len(table))
    return labels_of([*groups, free], len(table))


def variable(table: Table, k: int, gain: float) -> list[int]:
    free = list(range(len(table)))
    mean = total_of(table, free) / len(free)
    groups: list[list[int]] = []
    while len(free) >= k:
        pivot = farthest(table, free, mean)
        free.remove(pivot)
        group = [pivot, *nearest(table, free, table[pivot], k - 1)]
        free = [row for row in free if row not in group]
        while free and gain > 0 and len(group) < 2 * k - 1:
            inside, row = min(
                (squared(table[row], table[member]), row) for row in free for member in group
            )
            others = [squared(table[row], table[other]) for other in free if other != row]
            if not inside < gain * gain * min(others, default=float("inf")):
                break
            group.append(row)
            free.remove(row)
        groups.append(group)
    joined = [(row, nearest_group(table, groups, row)[1]) for row in free]
    for row, label in joined:
        groups[label].append(row)
    return labels_of(groups, len(table))


def loss(table: Table, labels: NDArray[np.int64]) -> float:
    """The sum of squared distances to the mean of one's group."""
    means = np.array([table[labels == label].mean(axis=0) for label in range(labels.max() + 1)])
    return float(((table - means[labels]) ** 2).sum())
