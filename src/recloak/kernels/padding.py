"""Kernels of padding: what a factorisation says of cells that nobody rated, never stored whole."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import inner_kernel, kernel
from recloak.kernels.layout import Codes, Offsets

Vector = NDArray[np.float32]
Matrix = NDArray[np.float32]

FACTORS_AT_ONCE = 4


class Padded(NamedTuple):
    """Ratings by row, and the factorisation that fills the other cells of the table.

    ``columns`` are the item factors, factor by factor, and ``item_base`` the mean with each item's
    bias. The number of factors is a multiple of `FACTORS_AT_ONCE`.
    """

    offsets: Offsets
    items: Codes
    values: Vector
    user_bias: Vector
    user_factors: Matrix
    item_base: Vector
    columns: Matrix
    low: float
    high: float


@kernel
def padded_means(
    first: int,
    end: int,
    starts: Offsets,
    members: Offsets,
    cell_offsets: Offsets,
    cell_items: Codes,
    padded: Padded,
    means: Vector,
) -> None:
    """The mean padded rating of the groups first..end in the cells listed for each of them."""
    n_items = len(padded.item_base)
    place = np.full(n_items, -1, np.int64)
    columns = np.empty(padded.columns.shape, np.float32)
    base, row = np.empty(n_items, np.float32), np.empty(n_items, np.float32)
    sums = np.empty(n_items, np.float64)
    for group in range(first, end):
        wanted = cell_items[cell_offsets[group] : cell_offsets[group + 1]]
        count = len(wanted)
        if count == 0:
            continue
        _gather(wanted, padded, columns, base, place)
        sums[:count] = 0.0
        for member in range(starts[group], starts[group + 1]):
            _pad_row(members[member], padded, columns, base, place, row[:count])
            for at in range(count):
                sums[at] += row[at]
        size = starts[group + 1] - starts[group]
        for at in range(count):
            means[cell_offsets[group] + at] = sums[at] / size
            place[wanted[at]] = -1


@inner_kernel
def _gather(wanted: Codes, padded: Padded, columns: Matrix, base: Vector, place: Offsets) -> None:
    """Bring what is known of the wanted items side by side; ``place`` tells where each one is."""
    for at in range(len(wanted)):
        base[at] = padded.item_base[wanted[at]]
        place[wanted[at]] = at
    for factor in range(len(columns)):
        source, target = padded.columns[factor], columns[factor]
        for at in range(len(wanted)):
            target[at] = source[wanted[at]]


@inner_kernel
def _pad_row(
    user: int, padded: Padded, columns: Matrix, base: Vector, place: Offsets, row: Vector
) -> None:
    """The predictions for a user, clipped to the scale; what the user rated stays as it is."""
    factors = padded.user_factors[user]
    for at in range(len(row)):
        row[at] = base[at] + padded.user_bias[user]
    for factor in range(0, len(factors), FACTORS_AT_ONCE):
        a, b, c, d = columns[factor], columns[factor + 1], columns[factor + 2], columns[factor + 3]
        w, x, y, z = factors[factor], factors[factor + 1], factors[factor + 2], factors[factor + 3]
        for at in range(len(row)):
            row[at] += (w * a[at] + x * b[at]) + (y * c[at] + z * d[at])
    low, high = np.float32(padded.low), np.float32(padded.high)
    for at in range(len(row)):
        row[at] = min(max(row[at], low), high)
    for cell in range(padded.offsets[user], padded.offsets[user + 1]):
        at = place[padded.items[cell]]
        if at >= 0:
            row[at] = padded.values[cell]


@kernel
def add_corrections(
    first: int, end: int, padded: Padded, axes: NDArray[np.float64], rows: Matrix
) -> None:
    """Add to the rows first..end what the ratings differ by from their predictions, along ``axes``.

    ``axes`` is items × dimensions.
    """
    for user in range(first, end):
        here, factors = rows[user], padded.user_factors[user]
        for cell in range(padded.offsets[user], padded.offsets[user + 1]):
            item = padded.items[cell]
            predicted = np.float64(padded.item_base[item]) + padded.user_bias[user]
            for factor in range(len(factors)):
                predicted += factors[factor] * padded.columns[factor, item]
            gap = padded.values[cell] - predicted
            for axis in range(axes.shape[1]):
                here[axis] += np.float32(gap * axes[item, axis])
