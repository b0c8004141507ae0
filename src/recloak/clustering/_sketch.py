"""Sketches: records in a few dimensions, good enough to tell which groups lie near."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.clustering._points import CELLS_PER_BLOCK, Points
from recloak.core.arrays import Codes, Floats, Integers, Offsets, Values
from recloak.core.kernels import kernel
from recloak.core.kernels.layout import put
from recloak.core.parallel import in_threads, row_blocks
from recloak.core.progress import SILENT, Progress


@kernel
def project(
    first: int,
    end: int,
    offsets: Offsets,
    items: Codes,
    values: Floats,
    axes: Values,
    out: Values,
) -> None:
    """The rows first..end in the space of ``axes`` (items × dimensions)."""
    for row in range(first, end):
        here = out[row]
        here[:] = 0
        for at in range(offsets[row], offsets[row + 1]):
            weight = np.float32(values[at])
            axis = axes[items[at]]
            for column in range(len(here)):
                here[column] += weight * axis[column]


@kernel
def project_back(
    first: int,
    end: int,
    offsets: Offsets,
    items: Codes,
    values: Floats,
    projected: Values,
    n_items: int,
) -> Floats:
    """The transpose of `project` on the rows first..end: items × dimensions."""
    axes = np.zeros((n_items, projected.shape[1]))
    for row in range(first, end):
        here = projected[row]
        for at in range(offsets[row], offsets[row + 1]):
            axis = axes[items[at]]
            for column in range(len(here)):
                axis[column] += values[at] * here[column]
    return axes


@kernel
def orthonormalise(axes: Floats) -> None:
    """Make the columns orthogonal and of length 1, in place; one that depends on others is 0."""
    for column in range(axes.shape[1]):
        here = axes[:, column]
        before = np.sqrt((here * here).sum())
        for _ in range(2):  # once more, for what rounding left over
            for earlier in range(column):
                there = axes[:, earlier]
                here -= (here * there).sum() * there
        length = np.sqrt((here * here).sum())
        here /= length if length > 1e-9 * before else np.inf


@kernel
def nearest_columns(
    first: int,
    end: int,
    rows: Values,
    centres: Values,
    norms: Values,
    found: Codes,
) -> None:
    """For the rows first..end the nearest centres (dimensions × centres), nearest first.

    As many as ``found`` has columns; ties go to the first centre. The dimensions, a multiple of
    four, are summed one after the other, so the result does not depend on the machine.
    """
    scores = np.empty(centres.shape[1], np.float32)
    kept = np.empty(found.shape[1], np.float32)
    for row in range(first, end):
        put(norms, scores)
        for axis in range(0, rows.shape[1], 4):
            _add_products(rows[row], centres, axis, scores)
        _least(scores, kept, found[row])


@kernel
def _add_products(row: Values, centres: Values, axis: int, scores: Values) -> None:
    """Subtract twice the product along four axes: the machine adds eight centres at once."""
    a, b, c, d = centres[axis], centres[axis + 1], centres[axis + 2], centres[axis + 3]
    w, x = np.float32(-2 * row[axis]), np.float32(-2 * row[axis + 1])
    y, z = np.float32(-2 * row[axis + 2]), np.float32(-2 * row[axis + 3])
    for centre in range(len(scores)):
        scores[centre] += (w * a[centre] + x * b[centre]) + (y * c[centre] + z * d[centre])


@kernel
def _least(scores: Values, kept: Values, found: Codes) -> None:
    last = len(kept) - 1
    kept[:] = np.inf
    for column in range(len(scores)):
        score = scores[column]
        if score < kept[last]:
            at = last
            while at > 0 and kept[at - 1] > score:
                kept[at] = kept[at - 1]
                found[at] = found[at - 1]
                at -= 1
            kept[at] = score
            found[at] = column


@kernel
def sum_by_label(rows: Values, labels: Integers, sums: Floats) -> None:
    """Add each row to the sum of its label."""
    for row in range(len(rows)):
        here = sums[labels[row]]
        for column in range(len(here)):
            here[column] += rows[row, column]


Sketch = NDArray[np.float32]
ROWS_PER_BLOCK = 1024
_KEY = 20150618  # nothing drawn here is secret; the same axes every time keep groups the same


def sketch(points: Points, dimensions: int, progress: Progress = SILENT) -> Sketch:
    """The records in the directions in which they differ most, roughly.

    One step of a randomised singular value decomposition: the records in random directions, back
    into the space of items, orthogonal, and the records in these directions. ``dimensions`` is a
    multiple of four.
    """
    return projected(points, axes_of(points, dimensions, progress), progress)


def axes_of(points: Points, dimensions: int, progress: Progress = SILENT) -> Values:
    """The directions of a sketch."""
    generator = np.random.Generator(np.random.Philox(_KEY))
    axes = generator.standard_normal((points.n_items, dimensions), dtype=np.float32)
    cells = (points.offsets, points.items, points.values)
    rows = projected(points, axes, progress)
    blocks = row_blocks(points.offsets, CELLS_PER_BLOCK)
    with progress.task("Seeking directions", len(blocks)) as task:
        parts = in_threads(
            lambda a, b: project_back(a, b, *cells, rows, points.n_items), blocks, task
        )
    back = np.sum(parts, axis=0) if parts else axes.astype(np.float64)
    orthonormalise(back)
    return back.astype(np.float32)


def projected(points: Points, axes: Values, progress: Progress = SILENT) -> Sketch:
    """The records in these directions."""
    cells = (points.offsets, points.items, points.values)
    out = np.empty((points.n_records, axes.shape[1]), np.float32)
    blocks = row_blocks(points.offsets, CELLS_PER_BLOCK)
    with progress.task("Sketching users", len(blocks)) as task:
        in_threads(lambda a, b: project(a, b, *cells, axes, out), blocks, task)
    return out


def means(rows: Sketch, labels: Integers, count: int) -> Sketch:
    """The mean row of each label."""
    sums = np.zeros((count, rows.shape[1]))
    sum_by_label(rows, labels, sums)
    return (sums / np.bincount(labels, minlength=count)[:, None]).astype(np.float32)


def nearest_centres(
    rows: Sketch, centres: Sketch, wanted: int, progress: Progress = SILENT
) -> Codes:
    """For each row the centres nearest to it, nearest first."""
    found = np.empty((len(rows), min(wanted, len(centres))), np.int32)
    norms = np.square(centres).sum(axis=1)
    columns = np.ascontiguousarray(centres.T)
    starts = range(0, len(rows), ROWS_PER_BLOCK)
    blocks = [(first, min(first + ROWS_PER_BLOCK, len(rows))) for first in starts]
    with progress.task("Looking for near groups", len(blocks)) as task:
        in_threads(lambda a, b: nearest_columns(a, b, rows, columns, norms, found), blocks, task)
    return found
