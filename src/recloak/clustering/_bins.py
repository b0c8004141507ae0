"""Bins: parts of the records that lie near each other and can be grouped on their own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from recloak.clustering._points import Points
from recloak.clustering._sketch import Sketch, means, nearest_centres, sketch
from recloak.clustering.base import LabelOfRecord
from recloak.core.arrays import Codes, Indices, Integers
from recloak.core.parallel import at_most_threads, in_threads
from recloak.core.progress import SILENT, Progress

DIMENSIONS = 32
GROUPS_PER_BIN = 10  # at least: k may be large
ITERATIONS = 8
SAMPLE_PER_CENTRE = 100
_BINS_KEY = 20210901  # nothing drawn here is secret; the same centres every time keep bins the same

Bins = list[Integers]


def bins_for(points: Points, k: int, size: int, progress: Progress = SILENT) -> Bins:
    """Bins of about ``size`` records, or more where some groups of k would find no room."""
    return make_bins(sketch(points, DIMENSIONS, progress), size_for(k, size), progress)


def size_for(k: int, size: int) -> int:
    """How many records a bin has, so that some groups of k find room."""
    return max(size, GROUPS_PER_BIN * k)


def make_bins(rows: Sketch, size: int, progress: Progress = SILENT) -> Bins:
    """Records near each other in the sketch, about ``size`` in each bin.

    Every record goes to the nearest of a few virtual centres (k-means on a sample). A bin of
    fewer than a quarter of ``size`` gives its records to the other centres, one of more than
    one and a half times ``size`` is cut in halves across its longest side.
    """
    centres = bin_centres(rows, len(rows), size, progress)
    return bins_of(rows, homes_of(rows, centres, progress), size)


def bin_centres(
    rows: Sketch,
    n_records: int,
    size: int,
    progress: Progress = SILENT,
    order: Indices | None = None,
) -> Sketch:
    """The centres of bins for so many records, of which ``rows`` are a sample, or all.

    Looked at are the first in ``order``, a random one of the rows; without it, some by place.
    """
    count = round(n_records / size)
    if count < 2:
        return rows[:0]
    centres = _virtual_centres(rows, count, order)
    home = nearest_centres(rows, centres, 1, progress)[:, 0]
    least = size / 4 * len(rows) / n_records
    return centres[np.bincount(home, minlength=len(centres)) >= least]


def homes_of(rows: Sketch, centres: Sketch, progress: Progress = SILENT) -> Codes:
    """The nearest centre of each record; 0 for all if there is none."""
    if len(centres) == 0:
        return np.zeros(len(rows), np.int32)
    return nearest_centres(rows, centres, 1, progress)[:, 0]


def bins_of(rows: Sketch, home: Codes, size: int) -> Bins:
    """The bins of records, each with its home; those of a home hang on no other."""
    bins: Bins = []
    for bin_ in np.unique(home):
        bins.extend(_halved(rows, np.flatnonzero(home == bin_), 3 * size // 2))
    return bins


def _virtual_centres(rows: Sketch, count: int, order: Indices | None) -> Sketch:
    """Means of the records nearest to them, on a sample."""
    wanted = min(len(rows), SAMPLE_PER_CENTRE * count)
    if order is None:
        generator = np.random.Generator(np.random.Philox(_BINS_KEY))
        order = generator.choice(len(rows), wanted, replace=False)
    sample = rows[order[:wanted]]
    centres = sample[:count].copy()
    for _ in range(ITERATIONS):
        nearest = nearest_centres(sample, centres, 1)[:, 0].astype(np.int64)
        used, labels = np.unique(nearest, return_inverse=True)
        centres[used] = means(sample, labels, len(used))
    return centres


def _halved(rows: Sketch, records: Integers, most: int) -> Bins:
    """Cut across the side along which the records differ most, until no part is too large."""
    if len(records) <= most:
        return [records]
    here = rows[records]
    side = int(here.var(axis=0, dtype=np.float64).argmax())
    order = np.argsort(here[:, side], kind="stable")
    middle = len(order) // 2
    low, high = np.sort(records[order[:middle]]), np.sort(records[order[middle:]])
    return _halved(rows, low, most) + _halved(rows, high, most)


def in_bins(
    points: Points, bins: Bins, grouped: Callable[[Points], LabelOfRecord], progress: Progress
) -> LabelOfRecord:
    """Group the records of each bin among themselves; labels count on from bin to bin."""

    def one_bin(first: int, end: int) -> LabelOfRecord:
        with at_most_threads(1):  # the others work on other bins
            return grouped(points.take(bins[first]))

    with progress.task("Grouping users in bins", len(bins)) as task:
        found = in_threads(one_bin, [(at, at + 1) for at in range(len(bins))], task)
    labels, groups = np.empty(points.n_records, np.int64), 0
    for records, inside in zip(bins, found, strict=True):
        labels[records] = groups + inside
        groups += int(inside.max()) + 1
    return labels
