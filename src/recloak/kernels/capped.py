"""Kernel of fragmentation with a cap: no fragment takes more than its share of a row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import inner_kernel, kernel
from recloak.kernels.fragments import Codes, Matrix, Offsets


@inner_kernel
def gaps_to(features: Matrix, items: Codes, centroids: Codes) -> Matrix:
    """Squared distances of items (rows) and centroids (columns); below 0 for a centroid itself."""
    gaps = np.zeros((len(items), len(centroids)), np.float32)
    for at in range(len(items)):
        for other in range(len(centroids)):
            total = np.float32(0)
            for dimension in range(features.shape[1]):
                gap = features[items[at], dimension] - features[centroids[other], dimension]
                total += gap * gap
            gaps[at, other] = np.float32(-1) if items[at] == centroids[other] else total
    return gaps


@inner_kernel
def nearest_gaps(gaps: Matrix) -> NDArray[np.float32]:
    """The least distance of each item."""
    least = gaps[:, 0].copy()
    for at in range(gaps.shape[0]):
        for other in range(1, gaps.shape[1]):
            least[at] = min(least[at], gaps[at, other])
    return least


@kernel
def assign_capped(
    first: int,
    end: int,
    offsets: Offsets,
    items: Codes,
    item_of_rank: Codes,
    candidate_offsets: Offsets,
    candidates: Codes,
    centroid_counts: Offsets,
    features: Matrix,
    share: float,
    out: Codes,
) -> None:
    """The fragment of each rating within its row: that of the nearest centroid with room left.

    Each of c fragments of a row of n takes ``share`` · n / c ratings at most. Those that lie
    nearest to a centroid choose first, centroids themselves before all.
    """
    for row in range(first, end):
        count, size = centroid_counts[row], offsets[row + 1] - offsets[row]
        if count <= 1:
            out[offsets[row] : offsets[row + 1]] = 0
            continue
        start = candidate_offsets[row]
        centroids = item_of_rank[candidates[start : start + count]]
        gaps = gaps_to(features, items[offsets[row] : offsets[row + 1]], centroids)
        room = np.full(count, int(np.ceil(share * size / count)), np.int64)
        for at in np.argsort(nearest_gaps(gaps), kind="mergesort"):
            best = -1
            for other in range(count):
                if room[other] > 0 and (best < 0 or gaps[at, other] < gaps[at, best]):
                    best = other
            out[offsets[row] + at] = best
            room[best] -= 1
