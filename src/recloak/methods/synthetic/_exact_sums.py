"""Sums of fractions that are exact, and so the same in any order and by any blocks.

What is added is rounded to a grid first, so coarse that a float holds the sum of all of it to the
last step. Adding a large number and taking it away again rounds: floats of that size are as far
apart as the steps of the grid.
"""

from __future__ import annotations

import numpy as np

from recloak.core.kernels import inner_kernel

_STEPS = 52  # bits: a sum is at most so many steps, as a fraction of a float has bits
_ROUNDING = 1.5 * 2.0**_STEPS  # in steps; a little more or less of it has the same exponent
_FEWEST = 4.0  # addends: so few are as well added up on the grid of these


def rounding_for(most: float, count: float) -> float:
    """What `rounded` takes for ``count`` addends of at most ``most`` each, plus or minus."""
    total = max(most, 1e-200) * max(count, _FEWEST)
    return float(_ROUNDING * 2.0 ** (np.ceil(np.log2(total)) - _STEPS))


@inner_kernel
def rounded(value: float, rounding: float) -> float:
    """The value on the grid that belongs to ``rounding``."""
    return (value + rounding) - rounding
