"""Bins: many records parted into neighbourhoods of bounded size by virtual centres."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.clusterings.sketch import Sketch, means, nearest_centres
from recloak.progress import SILENT, Progress

ITERATIONS = 8
SAMPLE_PER_CENTRE = 100
_KEY = 20210901  # nothing drawn here is secret; the same centres every time keep bins the same

Bins = list[NDArray[np.int64]]


def make_bins(rows: Sketch, size: int, progress: Progress = SILENT) -> Bins:
    """Records near each other in the sketch, about ``size`` in each bin.

    Every record goes to the nearest of a few virtual centres (k-means on a sample). A bin of
    fewer than a quarter of ``size`` gives its records to the other centres, one of more than
    one and a half times ``size`` is cut in halves across its longest side.
    """
    count = round(len(rows) / size)
    if count < 2:
        return [np.arange(len(rows))]
    centres = _virtual_centres(rows, count)
    home = nearest_centres(rows, centres, 1, progress)[:, 0]
    kept = np.bincount(home, minlength=len(centres)) >= size / 4
    if not kept.all():
        home = nearest_centres(rows, centres[kept], 1, progress)[:, 0]
    bins: Bins = []
    for bin_ in np.unique(home):
        bins.extend(_halved(rows, np.flatnonzero(home == bin_), 3 * size // 2))
    return bins


def _virtual_centres(rows: Sketch, count: int) -> Sketch:
    """Means of the records nearest to them, on a sample."""
    generator = np.random.Generator(np.random.Philox(_KEY))
    wanted = min(len(rows), SAMPLE_PER_CENTRE * count)
    sample = rows[generator.choice(len(rows), wanted, replace=False)]
    centres = sample[:count].copy()
    for _ in range(ITERATIONS):
        nearest = nearest_centres(sample, centres, 1)[:, 0].astype(np.int64)
        used, labels = np.unique(nearest, return_inverse=True)
        centres[used] = means(sample, labels, len(used))
    return centres


def _halved(rows: Sketch, records: NDArray[np.int64], most: int) -> Bins:
    """Cut across the side along which the records differ most, until no part is too large."""
    if len(records) <= most:
        return [records]
    here = rows[records]
    side = int(here.var(axis=0, dtype=np.float64).argmax())
    order = np.argsort(here[:, side], kind="stable")
    middle = len(order) // 2
    low, high = np.sort(records[order[:middle]]), np.sort(records[order[middle:]])
    return _halved(rows, low, most) + _halved(rows, high, most)
