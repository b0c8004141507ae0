"""Few names to draw from, so that many are drawn twice: in the place of `as_pseudonyms`."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Integers, Words
from recloak.core.randomness import PSEUDONYM_LOW


def few_names(words: Words) -> Integers:
    """Numbers of fifteen digits, as those are, but 899 of them at most."""
    return PSEUDONYM_LOW + (words % np.uint64(899)).astype(np.int64) * 10**12
