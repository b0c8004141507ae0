"""Kernel of the item-item regression: which items stand in rows together."""

from __future__ import annotations

from recloak.core.arrays import Codes, Offsets, Values
from recloak.core.kernels import kernel


@kernel
def count_pairs(
    start: int, end: int, offsets: Offsets, ranks: Codes, weights: Values, together: Values
) -> None:
    """Add up in how many rows each item of rank ``start`` to ``end`` stands with each other one.

    A row counts with its weight; a rank of -1 is an item that does not take part.
    """
    for row in range(len(offsets) - 1):
        weight = weights[row]
        for one in range(offsets[row], offsets[row + 1]):
            if not start <= ranks[one] < end:
                continue
            mine = together[ranks[one]]
            for two in range(offsets[row], offsets[row + 1]):
                if ranks[two] >= 0:
                    mine[ranks[two]] += weight
