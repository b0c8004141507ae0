"""Tree chances: as sums tell how likely examples are true, so do trees, learnt on the other half.

What one sign means may depend on another, which no weighted sum can express.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import isotonic_regression

from recloak.attacks._trees import tree_shares
from recloak.core.arrays import Floats, Indices, Integers, Mask, Values
from recloak.core.progress import SILENT

TREES = 60
MOST_TAUGHT = 30_000


def crossed_by_trees(
    features: Values, truth: Mask, quarter: Integers, rng: np.random.Generator
) -> Floats:
    """Chances of all examples, each from those of the other half of the people.

    How often a share of the leaves comes true is seen on examples on which trees did not grow.
    """
    found = np.zeros(len(truth))
    for asked in (quarter < 2, quarter >= 2):
        taught = _some(np.flatnonzero(~asked))
        if len(taught) == 0 or not asked.any():
            continue
        with SILENT.task("") as task:
            told = tree_shares(features[taught], truth[taught], features[asked], rng, task, TREES)
        shares, which, counts = np.unique(told.examples, return_inverse=True, return_counts=True)
        true = np.bincount(which, truth[taught]) / counts
        calibrated = isotonic_regression(true, weights=counts.astype(np.float64)).x
        found[asked] = np.interp(told.asked, shares, calibrated)
    return found


def _some(places: Indices) -> Indices:
    """All of them, or every n-th if they are many."""
    return places[:: 1 + len(places) // MOST_TAUGHT]
