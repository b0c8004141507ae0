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
def choose_witnesses(rows: Rows, row: int, place: Codes, witnesses: Codes) -> int:
    """The places of some items of a row, evenly spread over it; how many."""
    start, end = rows.offsets[row], rows.offsets[row + 1]
    step, count = (end - start + WITNESSES - 1) // WITNESSES, 0
    for at in range(start, end, step):
        witnesses[count] = place[rows.items[at]]
        count += witnesses[count] >= 0
    return count


@inner_kernel
def expected(here: int, witnesses: Codes, count: int, chances: Chances) -> float:
    """How likely an item of a row's person stands in that row, by the row's witnesses."""
    total, asked = 0, 0
    line = chances[here]
    for at in range(count):
        if witnesses[at] != here:
            total += line[witnesses[at]]
            asked += 1
    return total / (FULL * asked) if asked else 0.5
