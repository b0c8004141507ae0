"""Noise on a grid: the discrete Gaussian, by rejection from a discrete Laplace, from a stream.

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

from recloak.core.arrays import Integers, Words
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.randomness import Stream

_INVERSE = 2.0**-64
_AT_MOST = 400  # words that one try can take: with chance e⁻¹⁰⁰ it needs more


@inner_kernel
def _happens(word: np.uint64, exponent: float) -> bool:
    """With chance exp(−exponent), which is at least 1/e: the error is within 2⁻⁵² of it."""
    return (float(word) + 0.5) * _INVERSE < math.exp(-exponent)


@kernel
def fill_discrete_gaussian(words: Words, bits: int, sigma: float, drawn: Integers) -> int:
    """Fill ``drawn`` from the front; returns how many were drawn before the words ran out.

    The proposal is k = ±(u + t·v) with t = 2^bits, u uniform below t, kept with chance
    exp(−u/t), and v geometric. It is accepted with chance exp(−(|k| − σ²/t)² / 2σ²), made of
    factors of at least 1/e, so that far tails are as exact as the middle.
    """
    scale = 1 << bits
    mask = np.uint64(scale - 1)
    shift = sigma * sigma / scale
    at, filled = 0, 0
    while filled < len(drawn) and at + _AT_MOST < len(words):
        low = np.int64(words[at] & mask)
        negative = (words[at] >> np.uint64(63)) == np.uint64(1)
        at += 1
        kept = _happens(words[at], low / scale)
        at += 1
        if not kept:
            continue
        high = 0
        while high < 100 and _happens(words[at], 1.0):
            high += 1
            at += 1
        at += 1
        size = low + scale * high
        if negative and size == 0:
            continue
        distance = (float(size) - shift) / sigma
        exponent = distance * distance / 2
        accepted = True
        while accepted and exponent > 1.0:
            accepted = _happens(words[at], 1.0)
            at += 1
            exponent -= 1.0
            if exponent > 200.0:
                accepted = False
        if accepted:
            accepted = _happens(words[at], exponent)
            at += 1
        if accepted:
            drawn[filled] = -size if negative else size
            filled += 1
    return filled


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
