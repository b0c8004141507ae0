"""Kernels that tell how far the answers of a row are from what is known of a person."""

from __future__ import annotations

from recloak.core.arrays import Levels
from recloak.core.kernels import inner_kernel

UNKNOWN = -2  # nothing is known of this issue; -1 is known to be no answer


@inner_kernel
def distance(wanted: Levels, known: Levels, row: int, apart: int, most: int) -> int:
    """The total over what is asked; more than ``most`` need not be summed to the end."""
    total = 0
    for issue in range(len(wanted)):
        if wanted[issue] != UNKNOWN:
            total += between(wanted[issue], known[row, issue], apart)
            if total > most:
                break
    return total


@inner_kernel
def between(one: int, other: int, apart: int) -> int:
    """How far two answers are; an answer and none are ``apart``."""
    if (one < 0) != (other < 0):
        return apart
    return abs(int(one) - int(other))
