"""Kernels that compute the traits of each row by which pairs of rows are compared.

Tests compare them with plain loops in tests/attacks/test_row_pair_kernels.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.attacks._postings import RowArrays
from recloak.core.arrays import Codes, Floats, Offsets, Values
from recloak.core.kernels import inner_kernel, kernel

_SHRINK = 3.0
_FEW = 10.0
_SECONDS = 86_400.0


class Traits(NamedTuple):
    """What is compared: of each row its numbers (see `row_traits`), rarest item and direction.

    ``factors`` are the publisher's features of the items; none has any if they are not known. Then
    ``gaps`` tells how far each item lies from each of a sample, ``region_weights`` how much each of
    the sample counts among what a row around the item would hold; without them they are empty too.
    """

    numbers: Floats
    rarest: Codes
    directions: Values
    times: Offsets
    factors: Values
    gaps: Values
    region_weights: Values


@kernel
def row_traits(
    rows: RowArrays, values: Values, support: Offsets, means: Floats, vectors: Values
) -> tuple[Floats, Codes, Values, Offsets]:
    """Of each row: log size, bias, how common its items are, how common the rarest and the
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
        least, second, features = np.inf, np.inf, numbers[row]
        for at in range(start, end):
            item = rows.items[at]
            common = np.log(support[item])
            liked = np.float32(values[at] - means[item])
            features[1] += liked / (end - start + _SHRINK)
            features[2] += common / (end - start)
            if common < least:
                rarest[row], least, second = item, common, least
            elif common < second:
                second = common
            for dimension in range(width):
                places[row, dimension] += vectors[item, dimension]
                places[row, width + dimension] += liked * vectors[item, dimension]
        features[0], features[3], features[4] = np.log(max(end - start, 1)), least, second
        places[row] /= np.float32(end - start + _FEW)
        if len(rows.times) and end > start:
            times[start:end].sort()
            features[5] = times[start:end].mean() / _SECONDS
    return numbers, rarest, places, times


@inner_kernel
def distance(factors: Values, one: int, other: int) -> float:
    """The squared distance of two items' features."""
    total = np.float32(0)
    for dimension in range(factors.shape[1]):
        gap = factors[one, dimension] - factors[other, dimension]
        total += gap * gap
    return float(total)


@kernel
def gaps_to(factors: Values, sample: Codes, out: Values) -> None:
    """How far each item lies from each of a sample."""
    for item in range(len(factors)):
        for at in range(len(sample)):
            out[item, at] = distance(factors, item, sample[at])


@inner_kernel
def lost_share(gaps: Values, region_weights: Values, mine: int, theirs: int) -> float:
    """Of what a row around ``mine`` would hold, the share that lies nearer to ``theirs``."""
    lost = np.float32(0)
    for at in range(gaps.shape[1]):
        if gaps[theirs, at] < gaps[mine, at]:
            lost += region_weights[mine, at]
    return float(lost)
