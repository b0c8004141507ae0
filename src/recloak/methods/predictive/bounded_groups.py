"""Bounded clustering: bins of like rows first, groups of k to 2k − 1 in each; in O(m^1.5)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from recloak.clustering import Sketch, means, nearest_centres
from recloak.core.arrays import (
    Codes,
    Indices,
    Integers,
    Values,
    offsets_from,
)
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.parallel import in_threads
from recloak.core.progress import SILENT, Progress


@inner_kernel
def _apart(one: Values, other: Values) -> np.float32:
    total = np.float32(0)
    for axis in range(len(one)):
        gap = one[axis] - other[axis]
        total += gap * gap
    return total


@kernel
def assign_with_room(
    rows: Values, centres: Values, near: Codes, most: int, labels: Integers
) -> None:
    """Put each row, one after the other, to the nearest centre with fewer than ``most``.

    ``near`` lists a few centres for each row, nearest first; where all of these are full, every
    centre is looked at.
    """
    held = np.zeros(len(centres), np.int64)
    for row in range(len(rows)):
        chosen = -1
        for centre in near[row]:
            if held[centre] < most:
                chosen = centre
                break
        if chosen < 0:
            least = np.float32(np.inf)
            for centre in range(len(centres)):
                if held[centre] < most:
                    gap = _apart(rows[row], centres[centre])
                    if gap < least:
                        chosen, least = centre, gap
        labels[row] = chosen
        held[chosen] += 1


@kernel
def distances_between(rows: Values, centres: Values) -> Values:
    """The squared distance of every row to every centre."""
    found = np.empty((len(rows), len(centres)), np.float32)
    for row in range(len(rows)):
        for centre in range(len(centres)):
            found[row, centre] = _apart(rows[row], centres[centre])
    return found


@kernel
def fill_nearest_first(order: Indices, centres: int, most: int, labels: Integers) -> None:
    """Go through pairs (row × centres + centre) and join those where both are free.

    ``labels`` holds -1 for every row; it stays for rows that are left when all are full.
    """
    held = np.zeros(centres, np.int64)
    room = centres * most
    for pair in order:
        row, centre = pair // centres, pair % centres
        if labels[row] < 0 and held[centre] < most:
            labels[row] = centre
            held[centre] += 1
            room -= 1
            if room == 0:
                break


Centres = Literal["virtual", "real"]

ITERATIONS = 6
SAMPLE_PER_CENTRE = 20
SAMPLE_SHARE = 1 / 3
MOST = 1.5  # times the mean: how many rows of the sample a centre may take
NEAR = 8
GROUPS_PER_BIN = 10  # at least, on average: or else few bins would reach k


def bounded_groups(
    rows: Sketch,
    k: int,
    order: Indices,
    centres: Centres = "virtual",
    progress: Progress = SILENT,
) -> Indices:
    """The group of each row; every group has k to 2k − 1 of at least k rows.

    ``order`` is a random one of all rows: the first of it are the sample that centres come from.
    """
    home = bounded_bins(rows, k, order, centres, progress)
    by_bin = np.argsort(home, kind="stable")
    edges = offsets_from(np.bincount(home))
    blocks = [(int(edges[at]), int(edges[at + 1])) for at in range(len(edges) - 1)]

    def one_bin(first: int, end: int) -> Indices:
        return _filled(rows[by_bin[first:end]], k)

    with progress.task("Grouping like rows", len(blocks)) as task:
        found = in_threads(one_bin, blocks, task)
    labels, groups = np.empty(len(rows), np.int64), 0
    for (first, end), inside in zip(blocks, found, strict=True):
        labels[by_bin[first:end]] = groups + inside
        groups += int(inside.max()) + 1
    return labels


def bounded_bins(
    rows: Sketch,
    k: int,
    order: Indices,
    centres: Centres = "virtual",
    progress: Progress = SILENT,
) -> Indices:
    """The bin of each row, about √m bins; every bin has at least k of at least k rows.

    Bounded t-means on a sample finds centres, every row goes to the nearest, and the rows of bins
    that are too small go to the nearest of the others.
    """
    count = max(1, min(round(len(rows) ** 0.5), len(rows) // (GROUPS_PER_BIN * k)))
    found = bounded_means(rows, count, order, centres, progress)
    home = nearest_centres(rows, found, 1, progress)[:, 0].astype(np.int64)
    sizes = np.bincount(home, minlength=len(found))
    large = np.flatnonzero(sizes >= k)
    if len(large) == 0:
        return np.zeros(len(rows), np.int64)
    moved = np.flatnonzero(sizes[home] < k)
    home[moved] = large[nearest_centres(rows[moved], found[large], 1)[:, 0]]
    return np.unique(home, return_inverse=True)[1]


def bounded_means(
    rows: Sketch,
    count: int,
    order: Indices,
    centres: Centres = "virtual",
    progress: Progress = SILENT,
) -> Sketch:
    """``count`` centres of a sample, none of which may take far more of it than the others.

    Virtual centres are means; a real one is the row nearest to the mean.
    """
    wanted = min(len(rows), max(SAMPLE_PER_CENTRE * count, round(SAMPLE_SHARE * len(rows))))
    sample = rows[order[:wanted]]
    most = max(1, int(np.ceil(MOST * wanted / count)))
    found, labels = sample[:count].copy(), np.empty(wanted, np.int64)
    with progress.task("Looking for centres", ITERATIONS) as task:
        for _ in range(ITERATIONS):
            assign_with_room(sample, found, nearest_centres(sample, found, NEAR), most, labels)
            _move(found, sample, labels, centres)
            task.advance()
    return found


def _move(found: Sketch, sample: Sketch, labels: Indices, centres: Centres) -> None:
    """Move every centre that has rows to the middle of these."""
    used, place = np.unique(labels, return_inverse=True)
    middles = means(sample, place, len(used))
    if centres == "real":
        apart = np.square(sample - middles[place]).sum(axis=1)
        order = np.lexsort((apart, place))
        middles = sample[order[np.searchsorted(place[order], np.arange(len(used)))]]
    found[used] = middles


def _filled(rows: Sketch, k: int) -> Indices:
    """⌊n / k⌋ groups of k, filled nearest first; whoever is left joins the nearest group."""
    count = len(rows) // k
    if count < 2:
        return np.zeros(len(rows), np.int64)
    found = rows[_apart_from_each_other(rows, count)]
    labels = np.empty(len(rows), np.int64)
    for _ in range(ITERATIONS):
        gaps = distances_between(rows, found)
        labels[:] = -1
        order = np.argsort(gaps, axis=None, kind="stable")
        fill_nearest_first(order, count, k, labels)
        left = np.flatnonzero(labels < 0)
        filled = np.flatnonzero(labels >= 0)
        found = means(rows[filled], labels[filled], count)
        labels[left] = distances_between(rows[left], found).argmin(axis=1)
    return labels


def _apart_from_each_other(rows: Sketch, count: int) -> Integers:
    """Rows to start from: the one farthest from the middle, then ever the one farthest from all."""
    middle = rows.mean(axis=0, dtype=np.float64).astype(np.float32)
    chosen = np.empty(count, np.int64)
    gaps = distances_between(rows, middle[None])[:, 0]
    for at in range(count):
        chosen[at] = gaps.argmax()
        fresh = distances_between(rows, rows[chosen[at : at + 1]])[:, 0]
        gaps = fresh if at == 0 else np.minimum(gaps, fresh)
    return chosen
