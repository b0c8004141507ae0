"""Splitting: which fragment each rating goes to, and rows made of fragments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from recloak.core.arrays import Codes, Integers, Offsets, Values
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.parallel import in_threads, row_blocks
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.methods.fragmentation._centroids import RATINGS_PER_BLOCK, CentroidCandidates
from recloak.methods.fragmentation._fragment_kernels import assign, gather_fragments
from recloak.methods.fragmentation.item_features import Features


@inner_kernel
def gaps_to(features: Values, items: Codes, centroids: Codes) -> Values:
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
def nearest_gaps(gaps: Values) -> Values:
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
    features: Values,
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


def owners_of(starts: Offsets) -> Integers:
    """Whose each fragment is, by where everyone's fragments start."""
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def nearest_centroids(
    candidates: CentroidCandidates,
    counts: Integers,
    features: Features,
    share: float | None,
    progress: Progress,
) -> Codes:
    """The fragment of each rating within its row: that of the nearest centroid (with room)."""
    ratings, around = candidates.ratings, candidates.offsets
    fragment = np.empty(ratings.n_ratings, dtype=np.int32)
    rows, ranks, of_rank = (
        (ratings.offsets, ratings.items),
        candidates.ranks,
        candidates.item_of_rank,
    )

    def split(first: int, end: int) -> None:
        rank = candidates.rank
        if share is None:
            given = (first, end, *rows, rank, of_rank, around, ranks, counts, features)
            assign(*given, fragment)
        else:
            capped = (first, end, *rows, of_rank, around, ranks, counts, features, share)
            assign_capped(*capped, fragment)

    blocks = row_blocks(ratings.offsets, RATINGS_PER_BLOCK)
    with progress.task("Splitting rows into fragments", len(blocks)) as task:
        in_threads(split, blocks, task)
    return fragment


def rows_of_fragments(
    ratings: Ratings, fragment: Codes, starts: Offsets, progress: Progress
) -> Ratings:
    """The ratings with a row for each fragment, people in their order."""
    sizes = np.zeros(starts[-1] + 1, dtype=np.int64)
    order = np.empty(ratings.n_ratings, dtype=np.int64)
    given = (ratings.offsets, fragment, starts, sizes, order)
    blocks = row_blocks(ratings.offsets, RATINGS_PER_BLOCK)
    with progress.task("Gathering fragments", len(blocks)) as task:
        in_threads(lambda first, end: gather_fragments(first, end, *given), blocks, task)
    return replace(
        ratings,
        offsets=np.cumsum(sizes),
        items=ratings.items[order],
        values=ratings.values[order],
        times=None if ratings.times is None else ratings.times[order],
        user_labels=np.arange(starts[-1]),
    )
