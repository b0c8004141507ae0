"""Kernel that holds rows against their rivals: those which claim the same known ratings."""

from __future__ import annotations

import numpy as np

from recloak.kernels import inner_kernel, kernel
from recloak.kernels.many_rows import Masks, Tensor
from recloak.kernels.postings import Floats, Offsets

RIVALRY = 3
_NOBODY = -12.0
_CERTAIN = 30.0


@inner_kernel
def share_bits(one: Masks, other: Masks) -> bool:
    """Have two masks a bit in common?"""
    word = 0
    while word < len(one) and one[word] & other[word] == np.uint64(0):
        word += 1
    return word < len(one)


@kernel
def rivalry(
    start: int, end: int, picked: Offsets, masks: Masks, odds: Floats, features: Tensor
) -> None:
    """Only one of those that claim the same known rating can hold it: the odds of the best rival,
    of all rivals together, and the best odds of all others.
    """
    weights = np.empty(picked.shape[1], np.float64)
    for attempt in range(start, end):
        found = int((picked[attempt] >= 0).sum())
        for at in range(found):
            weights[at] = np.exp(min(odds[attempt, at], _CERTAIN))
        for at in range(found):
            best, total, top = _NOBODY, np.exp(_NOBODY), _NOBODY
            for other in range(found):
                if other == at:
                    continue
                top = max(top, odds[attempt, other])
                if share_bits(masks[attempt, at], masks[attempt, other]):
                    best = max(best, odds[attempt, other])
                    total += weights[other]
            told = features[attempt, at]
            told[0], told[1], told[2] = best, np.log(total), top
