"""Random numbers within kernels, by SplitMix64; ``state`` is one word, which moves on.

NumPy's generators take half a minute to compile into a kernel.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from recloak.core.arrays import Words
from recloak.core.kernels import inner_kernel

_UNIT = 2.0**-53


@inner_kernel
def _next_word(state: Words) -> Any:
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    drawn = state[0]
    drawn = (drawn ^ (drawn >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    drawn = (drawn ^ (drawn >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return drawn ^ (drawn >> np.uint64(31))


@inner_kernel
def below(state: Words, count: int) -> int:
    """A random number below ``count``."""
    return int(_next_word(state) % np.uint64(count))


@inner_kernel
def between(state: Words, low: float, high: float) -> float:
    """A random number from ``low`` on and below ``high``."""
    return low + float(_next_word(state) >> np.uint64(11)) * _UNIT * (high - low)
