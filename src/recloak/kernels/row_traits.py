"""Kernels that say of each row what it is compared by with others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import inner_kernel, kernel
from recloak.kernels.postings import Codes, Floats, Offsets, Rows

_SHRINK = 3.0
_FEW = 10.0
_SECONDS = 86_400.0

Matrix = NDArray[np.float32]


class Traits(NamedTuple):
    """What is compared: of each row its numbers (see `row_traits`), rarest item and direction.

    ``factors`` are the publisher's features of the items; none has any if they are not known.
    ``choosy`` says of each row how unlikely it is that none of its items lies nearer to the rarest
    item of a row taken at random (see `row_choosiness`).
    """

    numbers: NDArray[np.float64]
    rarest: Codes
    directions: Matrix
    times: Offsets
    factors: Matrix
    choosy: Floats


@kernel
def row_traits(
    rows: Rows, values: NDArray[np.float32], support: Offsets, means: Floats, vectors: Matrix
) -> tuple[NDArray[np.float64], Codes, Matrix, Offsets]:
    """Of each row: log size, kindness, how common its items are, how common the rarest and the
    second rarest, and its mean time in days; its rarest item; where it lies; and all times, which
    ascend within a row.

    A row lies where its items do on average, and, beside that, where those do that it rates higher
    than others.
    """
    n_rows = len(rows.offsets) - 1
    numbers = np.zeros((n_rows, 6), np.float64)
    times = rows.times.copy()
    rarest = np.full(n_rows, -1, np.int32)
    width = vectors.shape[1]
    places = np.zeros((n_rows, 2 * width), np.float32)
    for row in range(n_rows):
        start, end = rows.offsets[row], rows.offsets[row + 1]
        least, second, told = np.inf, np.inf, numbers[row]
        for at in range(start, end):
            item = rows.items[at]
            common = np.log(support[item])
            liked = np.float32(values[at] - means[item])
            told[1] += liked / (end - start + _SHRINK)
            told[2] += common / (end - start)
            if common < least:
                rarest[row], least, second = item, common, least
            elif common < second:
                second = common
            for dimension in range(width):
                places[row, dimension] += vectors[item, dimension]
                places[row, width + dimension] += liked * vectors[item, dimension]
        told[0], told[3], told[4] = np.log(max(end - start, 1)), least, second
        places[row] /= np.float32(end - start + _FEW)
        if len(rows.times) and end > start:
            times[start:end].sort()
            told[5] = times[start:end].mean() / _SECONDS
    return numbers, rarest, places, times


@inner_kernel
def distance(factors: Matrix, one: int, other: int) -> float:
    """The squared distance of two items' features."""
    total = np.float32(0)
    for dimension in range(factors.shape[1]):
        gap = factors[one, dimension] - factors[other, dimension]
        total += gap * gap
    return float(total)


@kernel
def row_choosiness(
    first: int, end: int, rows: Rows, rarest: Codes, factors: Matrix, sample: Codes, out: Floats
) -> None:
    """For each row the logarithm of how unlikely it fits with a row of somebody else.

    Of each item it is counted how many rarest items of a ``sample`` of rows lie nearer than the
    row's own; two rows of one person fit always.
    """
    for row in range(first, end):
        for at in range(rows.offsets[row], rows.offsets[row + 1]):
            item, nearer = rows.items[at], 0
            if item == rarest[row]:
                continue
            own = distance(factors, item, rarest[row])
            for other in sample:
                nearer += distance(factors, item, other) < own
            out[row] -= np.log(1 - nearer / (len(sample) + 1))
