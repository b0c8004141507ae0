"""Random numbers within kernels beside published ones of SplitMix64."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Floats, Words
from recloak.core.kernels import draws, kernel

OF_1234567 = (6457827717110365317, 3203168211198807973, 9817491932198370423)


@kernel
def drawn(state: Words, found: Floats) -> None:
    found[0] = draws.below(state, 1000)
    found[1] = draws.between(state, -1.0, 3.0)
    found[2] = draws.below(state, 7)


def test_numbers_are_those_of_splitmix64() -> None:
    found = np.zeros(3)
    drawn(np.array([1234567], np.uint64), found)
    first, second, third = OF_1234567
    assert found.tolist() == [first % 1000, -1 + 4 * ((second >> 11) / 2**53), third % 7]
