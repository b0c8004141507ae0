"""Kernels that count which items stand in one row, and say where another would stand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import inner_kernel, kernel
from recloak.kernels.postings import Codes, Offsets, Rows

Counts = NDArray[np.uint16]
Chances = NDArray[np.uint8]

FULL = 255.0
WITNESSES = 8  # items of a row that are asked where another item would stand
_MOST = np.uint16(65_535)


@kernel
def count_pairs(
    first: int, end: int, offsets: Offsets, items: Codes, place: Codes, out: Counts
) -> None:
    """Count for each pair of places how many of the rows ``first`` to ``end`` hold both."""
    for row in range(first, end):
        for one in range(offsets[row], offsets[row + 1]):
            here = place[items[one]]
            if here < 0:
                continue
            for other in range(offsets[row], offsets[row + 1]):
                there = place[items[other]]
                if there >= 0 and out[here, there] < _MOST:
                    out[here, there] += np.uint16(1)


@inner_kernel
def expected(rows: Rows, row: int, item: int, place: Codes, chances: Chances) -> float:
    """How likely an item of the row's person stands in this row, by some of the row's items."""
    total, asked = 0.0, 0
    start, end = rows.offsets[row], rows.offsets[row + 1]
    step = max((end - start) // WITNESSES, 1)
    for at in range(start, end, step):
        other = rows.items[at]
        if other != item and place[other] >= 0:
            total += chances[place[item], place[other]]
            asked += 1
    return total / (FULL * asked) if asked else 0.5
