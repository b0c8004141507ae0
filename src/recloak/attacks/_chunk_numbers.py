"""A number for each chunk of a disassociated release, from 0 over all clusters."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Integers
from recloak.releases.disassociated import TERM, Clusters


def numbered_chunks(placed: Clusters) -> Integers:
    """For each row the number of its chunk, from 0; every listed term has one of its own."""
    term = placed.kind == TERM
    place = np.where(term, np.arange(len(placed.kind)), placed.chunk).astype(np.int64)
    places, groups = int(place.max(initial=0)) + 1, int(placed.group.max(initial=0)) + 1
    key = (placed.kind.astype(np.int64) * groups + placed.group) * places + place
    return np.asarray(np.unique(key, return_inverse=True)[1], dtype=np.int64)
