"""Splitting: which fragment each rating goes to, and rows made of fragments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from recloak.kernels.capped import assign_capped
from recloak.kernels.fragments import assign, gather_fragments
from recloak.methods.centroids import RATINGS_PER_BLOCK, Candidates
from recloak.methods.features import Features
from recloak.progress import Progress
from recloak.ratings import Ratings
from recloak.threads import in_threads, row_blocks


def owners_of(starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Whose each fragment is, by where everyone's fragments start."""
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def nearest_centroids(
    candidates: Candidates,
    counts: NDArray[np.int64],
    features: Features,
    share: float | None,
    progress: Progress,
) -> NDArray[np.int32]:
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


def gathered(
    ratings: Ratings, fragment: NDArray[np.int32], starts: NDArray[np.int64], progress: Progress
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
