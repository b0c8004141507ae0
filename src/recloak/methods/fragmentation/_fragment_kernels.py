"""Kernels of record fragmentation: who is a centroid, and which centroid lies nearest."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Floats, Offsets, Values
from recloak.core.kernels import kernel
from recloak.core.kernels.sorting import sort_ascending

LANES = 8


@kernel
def count_candidates(
    first: int, end: int, offsets: Offsets, items: Codes, rank: Codes, safe: int, out: Offsets
) -> None:
    """How many items of each row are rare enough (their rank is below ``safe``)."""
    for row in range(first, end):
        found = 0
        for at in range(offsets[row], offsets[row + 1]):
            if rank[items[at]] < safe:
                found += 1
        out[row + 1] = found


@kernel
def sort_candidates(
    first: int,
    end: int,
    offsets: Offsets,
    items: Codes,
    rank: Codes,
    safe: int,
    candidate_offsets: Offsets,
    out: Codes,
) -> None:
    """The ranks of each row's rare items, rarest first."""
    for row in range(first, end):
        place = candidate_offsets[row]
        for at in range(offsets[row], offsets[row + 1]):
            if rank[items[at]] < safe:
                out[place] = rank[items[at]]
                place += 1
        sort_ascending(out[candidate_offsets[row] : place])


@kernel
def strengths_needed(
    first: int,
    end: int,
    candidate_offsets: Offsets,
    candidates: Codes,
    support: Offsets,
    room: Floats,
    out: Floats,
) -> None:
    """The strength (tc · p1) from which on each candidate is a centroid.

    ``support`` is by rank, ``room`` is ln(1 + |u| / p2) of each row. The rarest candidate is
    always one: 0. A later one needs its own strength and that of all before it.
    """
    for row in range(first, end):
        needed = 0.0
        start = candidate_offsets[row]
        for at in range(start, candidate_offsets[row + 1]):
            needed = max(needed, support[candidates[at]] * (at - start) / room[row])
            out[at] = needed


@kernel
def count_centroids(
    first: int,
    end: int,
    candidate_offsets: Offsets,
    candidates: Codes,
    support: Offsets,
    room: Floats,
    strength: float,
    out: Offsets,
) -> None:
    """How many centroids each row has: the item at place x while supp ≤ strength · room / x."""
    for row in range(first, end):
        start, stop = candidate_offsets[row], candidate_offsets[row + 1]
        at = start
        while at < stop and (
            at == start or support[candidates[at]] * (at - start) <= strength * room[row]
        ):
            at += 1
        out[row] = at - start


@kernel
def nearest_of(feature: Values, centroids: Values, count: int, gaps: Values) -> int:
    """The nearest of ``count`` centroids, which stand in columns; the first of equally near ones.

    Sums run side by side over the centroids, each in the fixed order of the features.
    """
    width = (count + LANES - 1) // LANES * LANES
    row = gaps[0]
    row[:width] = 0
    for dimension in range(len(feature)):
        here = feature[dimension]
        line = centroids[dimension]
        for at in range(width):
            gap = line[at] - here
            row[at] += gap * gap
    best = 0
    for at in range(1, count):
        if row[at] < row[best]:
            best = at
    return best


@kernel
def assign(
    first: int,
    end: int,
    offsets: Offsets,
    items: Codes,
    rank: Codes,
    item_of_rank: Codes,
    candidate_offsets: Offsets,
    candidates: Codes,
    centroid_counts: Offsets,
    features: Values,
    out: Codes,
) -> None:
    """The fragment of each rating within its row: that of the nearest centroid, its own if it is
    one; 0 where a row has at most one centroid.
    """
    most = 1
    for row in range(first, end):
        most = max(most, centroid_counts[row])
    width = (most + LANES - 1) // LANES * LANES
    centroids = np.zeros((features.shape[1], width), np.float32)
    gaps = np.zeros((1, width), np.float32)
    own = np.full(len(rank), -1, np.int32)
    for row in range(first, end):
        count = centroid_counts[row]
        if count <= 1:
            out[offsets[row] : offsets[row + 1]] = 0
            continue
        start = candidate_offsets[row]
        for at in range(count):
            item = item_of_rank[candidates[start + at]]
            own[item] = at
            for dimension in range(features.shape[1]):
                centroids[dimension, at] = features[item, dimension]
        for at in range(offsets[row], offsets[row + 1]):
            item = items[at]
            out[at] = own[item]
            if own[item] < 0:
                out[at] = nearest_of(features[item], centroids, count, gaps)
        for at in range(count):
            own[item_of_rank[candidates[start + at]]] = -1


@kernel
def gather_fragments(
    first: int,
    end: int,
    offsets: Offsets,
    fragment: Codes,
    fragment_starts: Offsets,
    sizes: Offsets,
    order: Offsets,
) -> None:
    """Sizes of the rows' fragments, and the ratings in the order of their fragments.

    ``sizes[f + 1]`` becomes the size of fragment f; within a fragment ratings keep their order.
    """
    for row in range(first, end):
        start = fragment_starts[row]
        count = fragment_starts[row + 1] - start
        if count == 0:
            continue
        place = np.zeros(count + 1, np.int64)
        for at in range(offsets[row], offsets[row + 1]):
            place[fragment[at] + 1] += 1
        for at in range(count):
            sizes[start + at + 1] = place[at + 1]
            place[at + 1] += place[at]
        for at in range(offsets[row], offsets[row + 1]):
            order[offsets[row] + place[fragment[at]]] = at
            place[fragment[at]] += 1


@kernel
def nearest_fragment(
    users: Offsets,
    items: Offsets,
    candidate_offsets: Offsets,
    candidates: Codes,
    item_of_rank: Codes,
    centroid_counts: Offsets,
    fragment_starts: Offsets,
    features: Values,
) -> Offsets:
    """The fragment that predicts for each cell; the first for an unknown item, -1 for an empty
    row.
    """
    found = np.empty(len(users), np.int64)
    for cell in range(len(users)):
        user, item = users[cell], items[cell]
        start = fragment_starts[user]
        found[cell] = start if fragment_starts[user + 1] > start else -1
        if item < 0 or centroid_counts[user] <= 1:
            continue
        least = np.float32(np.inf)
        for at in range(centroid_counts[user]):
            centroid = item_of_rank[candidates[candidate_offsets[user] + at]]
            gap = np.float32(0)
            for dimension in range(features.shape[1]):
                difference = features[centroid, dimension] - features[item, dimension]
                gap += difference * difference
            if centroid == item:
                gap = np.float32(-1)
            if gap < least:
                least = gap
                found[cell] = start + at
    return found
