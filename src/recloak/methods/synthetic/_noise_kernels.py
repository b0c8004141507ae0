"""Kernel of the discrete Gaussian: rejection from a discrete Laplace, by uniform words."""

from __future__ import annotations

import math

import numpy as np

from recloak.core.arrays import Integers, Words
from recloak.core.kernels import inner_kernel, kernel

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
