"""Kernels that give numbers their codes and carry columns into a new order.

They fill arrays that NumPy made: large ones lie on huge pages then, which saves most of the time.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import kernel
from recloak.kernels.layout import Codes, Offsets, offsets_of

Numbers = NDArray[np.int64]
N = TypeVar("N", np.int32, np.int64, np.float32)


@kernel
def ends_of(numbers: Numbers) -> tuple[int, int]:
    """The lowest and the highest of some numbers."""
    low = high = numbers[0]
    for number in numbers:
        low = min(low, number)
        high = max(high, number)
    return low, high


@kernel
def number_codes(numbers: Numbers, low: int, code_of: Codes, codes: Codes) -> int:
    """Fill ``codes`` in the order of the numbers; ``code_of`` is zero from ``low`` to the highest.

    Returns how many distinct numbers there are.
    """
    for number in numbers:
        code_of[number - low] = 1
    distinct = 0
    for place in range(len(code_of)):
        distinct += code_of[place]
        code_of[place] = distinct - 1
    for at in range(len(numbers)):
        codes[at] = code_of[numbers[at] - low]
    return distinct


@kernel
def sort_further(order: Offsets, codes: Codes, count: int, out: Offsets) -> None:
    """``order`` sorted by the codes of what it points to; equal codes keep its order."""
    place = offsets_of(codes, count)
    for position in order:
        out[place[codes[position]]] = position
        place[codes[position]] += 1


@kernel
def take(column: NDArray[N], order: Offsets, out: NDArray[N]) -> None:
    """The column in another order."""
    for at in range(len(order)):
        out[at] = column[order[at]]
