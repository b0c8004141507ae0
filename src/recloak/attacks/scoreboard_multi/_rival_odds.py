"""Kernel that compares rows with their rivals: rows which claim the same known ratings."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Floats, Offsets, Words
from recloak.core.kernels import inner_kernel, kernel

RIVAL_FEATURES = 3
_NO_RIVAL = -12.0
_CERTAIN = 30.0


@inner_kernel
def share_bits(one: Words, other: Words) -> bool:
    """Have two masks a bit in common?"""
    word = 0
    while word < len(one) and one[word] & other[word] == np.uint64(0):
        word += 1
    return word < len(one)


@kernel
def rival_odds(
    start: int, end: int, picked: Offsets, masks: Words, odds: Floats, features: Floats
) -> None:
    """The log-odds of the best rival, of all rivals summed, and of the best other candidate.

    Only one of the rows that claim the same known rating can be right.
    """
    weights = np.empty(picked.shape[1], np.float64)
    for attempt in range(start, end):
        found = int((picked[attempt] >= 0).sum())
        for at in range(found):
            weights[at] = np.exp(min(odds[attempt, at], _CERTAIN))
        for at in range(found):
            best, total, top = _NO_RIVAL, np.exp(_NO_RIVAL), _NO_RIVAL
            for other in range(found):
                if other == at:
                    continue
                top = max(top, odds[attempt, other])
                if share_bits(masks[attempt, at], masks[attempt, other]):
                    best = max(best, odds[attempt, other])
                    total += weights[other]
            line = features[attempt, at]
            line[0], line[1], line[2] = best, np.log(total), top
