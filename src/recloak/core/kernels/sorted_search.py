"""A kernel that finds a place in what is sorted."""

from __future__ import annotations

from recloak.core.arrays import Codes, Offsets
from recloak.core.kernels import kernel


@kernel
def first_at_least(values: Codes | Offsets, start: int, end: int, wanted: int) -> int:
    """The first place in the ascending ``values[start:end]`` that is not below ``wanted``.

    It is ``end`` if there is none.
    """
    while start < end:
        middle = (start + end) // 2
        if values[middle] < wanted:
            start = middle + 1
        else:
            end = middle
    return start
