"""Noise on a grid: the discrete Gaussian, from a cryptographic stream.

Floating-point noise gives itself away: the last bits of a sum of two such numbers tell which pairs
can have made it (Mironov, CCS 2012). Here every person's part of an answer is a whole number of
grid steps, sums are exact whole numbers, and so is the noise: what comes out can have come from
any neighbouring data. Whole-number noise with deviation σ far above a step is, entry by entry,
within a factor of 1 ± 10⁻¹⁴ of normal noise that was rounded to the grid, and rounding what a
Gaussian mechanism gives costs no privacy; `budget.SLACK` pays for the factor.

Canonne, Kamath, Steinke: The discrete Gaussian for differential privacy. NeurIPS 2020.
"""

from __future__ import annotations

import math

import numpy as np

from recloak.core.arrays import Integers
from recloak.core.randomness import Stream
from recloak.methods.synthetic._noise_kernels import fill_discrete_gaussian

LEAST_SIGMA = float(1 << 20)  # in grid steps: below it, rounded and discrete noise part
WORDS_EACH = 12  # about twice what an entry takes
_PER_BLOCK = 1 << 18


def discrete_gaussian(stream: Stream, sigma: float, count: int) -> Integers:
    """``count`` whole numbers k with chances proportional to exp(−k² / 2σ²)."""
    if not LEAST_SIGMA <= sigma < 2.0**50:
        raise ValueError(f"the grid is too coarse or too fine for noise of {sigma:g} steps")
    bits = math.floor(math.log2(sigma))
    drawn = np.empty(count, np.int64)
    done = 0
    while done < count:
        block = drawn[done : done + _PER_BLOCK]
        words = stream.words(WORDS_EACH * len(block) + 1000)
        done += int(fill_discrete_gaussian(words, bits, float(sigma), block))
    return drawn
