"""The records that are still free while a clustering takes group after group."""

from __future__ import annotations

import numpy as np

from recloak.clustering._points import Points
from recloak.clustering._record_kernels import FreeRecords, sum_records
from recloak.core.arrays import Floats, Levels

_LEVELS = 127  # of an 8-bit number, on each side of 0
_ROUNDING = 1e-9  # far more than the last bits of a sum of such levels


def all_free(points: Points) -> FreeRecords:
    """Every record free, its bounds unknown; with rows of 8 bits if the records are dense."""
    count = points.n_records
    rows, step, errors = _in_8_bits(points)
    total = np.zeros(points.n_items)
    sum_records(points.records, total)
    return FreeRecords(
        ids=np.arange(count),
        place=np.arange(count),
        rows=rows,
        squares=np.square(rows, dtype=np.int32).sum(axis=1, dtype=np.int32),
        errors=errors,
        reach=np.full(count, np.inf),
        estimate=np.empty(count),
        scattered=np.zeros(points.n_items),
        total=total,
        centre=np.zeros(points.n_items),
        n_free=np.array([count]),
        drift=np.zeros(1),
        step=step,
        worst_error=float(errors.max(initial=0.0)),
        worst_norm=float(points.norms.max(initial=0.0)),
        longest=int(np.diff(points.offsets).max(initial=0)),
    )


def _in_8_bits(points: Points) -> tuple[Levels, float, Floats]:
    """The records rounded to whole steps, what a step is worth, and how far off each record is."""
    matrix = points.records.matrix
    if not points.dense:
        return np.empty((0, 0), np.int8), 1.0, np.zeros(points.n_records)
    centres = (matrix.max(axis=0) + matrix.min(axis=0)) / 2  # a shift of all leaves distances
    step = float((matrix.max(axis=0) - centres).max()) / _LEVELS or 1.0
    rows = np.empty(matrix.shape, np.int8)
    errors = np.empty(points.n_records)
    for first in range(0, points.n_records, 4096):
        block = slice(first, first + 4096)
        shifted = (matrix[block] - centres) / step
        rows[block] = np.clip(np.rint(shifted), -_LEVELS, _LEVELS)
        off = np.linalg.norm(shifted - rows[block], axis=1)
        errors[block] = step * (off + _ROUNDING)
    return rows, step, errors
