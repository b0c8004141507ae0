"""Sketches: records in a few dimensions, good enough to tell which groups lie near."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.clusterings.points import CELLS_PER_BLOCK, Points
from recloak.kernels.microaggregation_sketch import (
    nearest_columns,
    orthonormalise,
    project,
    project_back,
    sum_by_label,
)
from recloak.progress import SILENT, Progress
from recloak.threads import in_threads, row_blocks

Sketch = NDArray[np.float32]
ROWS_PER_BLOCK = 1024
_KEY = 20150618  # nothing drawn here is secret; the same axes every time keep groups the same


def sketch(points: Points, dimensions: int, progress: Progress = SILENT) -> Sketch:
    """The records in the directions in which they differ most, roughly.

    One step of a randomised singular value decomposition: the records in random directions, back
    into the space of items, orthogonal, and the records in these directions. ``dimensions`` is a
    multiple of four.
    """
    generator = np.random.Generator(np.random.Philox(_KEY))
    axes = generator.standard_normal((points.n_items, dimensions), dtype=np.float32)
    cells = (points.offsets, points.items, points.values)
    out = np.empty((points.n_records, dimensions), np.float32)
    blocks = row_blocks(points.offsets, CELLS_PER_BLOCK)
    with progress.task("Sketching users", 3 * len(blocks)) as task:
        in_threads(lambda a, b: project(a, b, *cells, axes, out), blocks, task)
        parts = in_threads(
            lambda a, b: project_back(a, b, *cells, out, points.n_items), blocks, task
        )
        back = np.sum(parts, axis=0) if parts else axes.astype(np.float64)
        orthonormalise(back)
        axes = back.astype(np.float32)
        in_threads(lambda a, b: project(a, b, *cells, axes, out), blocks, task)
    return out


def means(rows: Sketch, labels: NDArray[np.int64], count: int) -> Sketch:
    """The mean row of each label."""
    sums = np.zeros((count, rows.shape[1]))
    sum_by_label(rows, labels, sums)
    return (sums / np.bincount(labels, minlength=count)[:, None]).astype(np.float32)


def nearest_centres(
    rows: Sketch, centres: Sketch, wanted: int, progress: Progress = SILENT
) -> NDArray[np.int32]:
    """For each row the centres nearest to it, nearest first."""
    found = np.empty((len(rows), min(wanted, len(centres))), np.int32)
    norms = np.square(centres).sum(axis=1)
    columns = np.ascontiguousarray(centres.T)
    starts = range(0, len(rows), ROWS_PER_BLOCK)
    blocks = [(first, min(first + ROWS_PER_BLOCK, len(rows))) for first in starts]
    with progress.task("Looking for near groups", len(blocks)) as task:
        in_threads(lambda a, b: nearest_columns(a, b, rows, columns, norms, found), blocks, task)
    return found
