"""Kernels that give labels their codes and carry columns into a new order."""

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
def codes_by_table(numbers: Numbers, low: int, high: int) -> tuple[Codes, Numbers]:
    """Codes of numbers that span few values, and the numbers in ascending order."""
    code_of = np.zeros(high - low + 1, np.int32)
    for number in numbers:
        code_of[number - low] = 1
    distinct = 0
    for place in range(len(code_of)):
        distinct += code_of[place]
        code_of[place] = distinct - 1
    labels = np.empty(distinct, np.int64)
    codes = np.empty(len(numbers), np.int32)
    for at in range(len(numbers)):
        codes[at] = code_of[numbers[at] - low]
        labels[codes[at]] = numbers[at]
    return codes, labels


@kernel
def sorted_further(order: Offsets, codes: Codes, count: int) -> Offsets:
    """``order`` sorted by the codes of what it points to; equal codes keep its order."""
    place = offsets_of(codes, count)
    out = np.empty(len(order), np.int64)
    for position in order:
        out[place[codes[position]]] = position
        place[codes[position]] += 1
    return out


@kernel
def taken(column: NDArray[N], order: Offsets) -> NDArray[N]:
    """The column in another order."""
    out = np.empty(len(order), column.dtype)
    for at in range(len(order)):
        out[at] = column[order[at]]
    return out
