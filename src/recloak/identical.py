"""Groups of identical rows, shared by guarantees, attacks and inspection."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.kernels.rows import identical_rows, row_hashes
from recloak.ratings import Ratings


def identical_groups(
    ratings: Ratings, *, values: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each row the number of its group, and for each group its size.

    Rows are identical when they hold the same items, and with ``values`` the same ratings too.
    """
    unsigned_zero = ratings.values + np.float32(0)  # so that -0.0 and 0.0 hash alike
    arrays = (ratings.offsets, ratings.items, unsigned_zero)
    hashes = row_hashes(*arrays, values)
    order = np.argsort(hashes, kind="stable")
    first = identical_rows(*arrays, hashes, order, values)
    _, group, sizes = np.unique(first, return_inverse=True, return_counts=True)
    return group, sizes
