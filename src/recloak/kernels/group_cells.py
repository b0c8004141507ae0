"""Kernels on the cells of groups: carry them over to a larger support."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import kernel
from recloak.kernels.layout import Codes, Offsets


@kernel
def carry_over(
    offsets: Offsets,
    items: Codes,
    values: NDArray[np.float32],
    told: NDArray[np.bool_],
    new_offsets: Offsets,
    new_items: Codes,
    new_values: NDArray[np.float32],
    new_told: NDArray[np.bool_],
) -> None:
    """Put each cell where its item stands in the new row; cells that are new are not told.

    Items ascend in both, and every new row holds all items of the old one.
    """
    for row in range(len(offsets) - 1):
        at, end = offsets[row], offsets[row + 1]
        for to in range(new_offsets[row], new_offsets[row + 1]):
            same = at < end and items[at] == new_items[to]
            new_values[to] = values[at] if same else np.float32(0)
            new_told[to] = told[at] if same else False
            at += same
