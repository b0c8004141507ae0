"""Chunks of a disassociated release, by number."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Integers
from recloak.releases.disassociated import TERM, Clusters


def numbered_chunks(placed: Clusters) -> Integers:
    """For each row the number of its chunk, from 0; every listed term has one of its own."""
    term = placed.kind == TERM
    place = np.where(term, np.arange(len(placed.kind)), placed.chunk)
    _, number = np.unique(np.stack([placed.kind, placed.group, place]), axis=1, return_inverse=True)
    return np.asarray(number.reshape(-1), dtype=np.int64)
