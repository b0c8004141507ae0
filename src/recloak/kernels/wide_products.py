"""Kernels that compare products of four whole numbers exactly, in 256 bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import inner_kernel, kernel

Limbs = NDArray[np.uint64]

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_N_LIMBS = 8


@inner_kernel
def times_half(limbs: Limbs, half: np.uint64, shift: int, product: Limbs) -> None:
    """Add ``limbs`` × ``half``, moved up by ``shift`` limbs, to ``product``."""
    carry = np.uint64(0)
    for at in range(shift, _N_LIMBS):
        grown = limbs[at - shift] * half + product[at] + carry
        product[at] = grown & _LOW
        carry = grown >> _HALF


@inner_kernel
def product_of_four(one: int, two: int, three: int, four: int) -> Limbs:
    """The product of four numbers from 0 to 2^63 − 1 in limbs of 32 bits, the lowest first."""
    product = np.zeros(_N_LIMBS, np.uint64)
    product[0] = np.uint64(1)
    for factor in (one, two, three, four):
        grown = np.zeros(_N_LIMBS, np.uint64)
        times_half(product, np.uint64(factor) & _LOW, 0, grown)
        times_half(product, np.uint64(factor) >> _HALF, 1, grown)
        product = grown
    return product


@kernel
def compare_shares(num: int, one: int, two: int, num_2: int, one_2: int, two_2: int) -> int:
    """The sign of num²/(one·two) − num_2²/(one_2·two_2); nothing is rounded."""
    mine = product_of_four(num, num, one_2, two_2)
    theirs = product_of_four(num_2, num_2, one, two)
    for at in range(_N_LIMBS - 1, -1, -1):
        if mine[at] != theirs[at]:
            return 1 if mine[at] > theirs[at] else -1
    return 0
