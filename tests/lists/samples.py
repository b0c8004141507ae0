"""Data for tests of lists: the paper's figure 1, and small random histories."""

from __future__ import annotations

import numpy as np

from recloak.core.ratings import Ratings

FIGURE_1 = """
- 2 - 5 1 - - -
3 - 4 - - - - 1
1 - - 1 3 - - -
- 1 - - - 2 - 3
- 3 4 - 2 5 5 5
2 2 1 - 2 1 3 3
- 2 - - 2 - - 1
- 1 5 - - 3 - -
"""
NEW = {(1, 5), (4, 8), (5, 6), (7, 2)}
N_BEFORE, N_AFTER = 27, 31


def figure_1() -> Ratings:
    """The matrix of figure 1; what was rated between T1 and T2 has the later time."""
    cells = [
        (user, item, float(value), 2 if (user, item) in NEW else 1)
        for user, line in enumerate(FIGURE_1.split("\n")[1:-1], 1)
        for item, value in enumerate(line.split(), 1)
        if value != "-"
    ]
    users, items, values, times = (np.array(column) for column in zip(*cells, strict=True))
    return Ratings.from_columns(users, items, values, times, scale="1..5")


def timed_ratings(seed: int, n_users: int = 24, n_items: int = 9, density: float = 0.4) -> Ratings:
    """Small random ratings in random order; popular items first, so that supports differ."""
    rng = np.random.default_rng(seed)
    liking = density * 2 * np.linspace(1, 0.2, n_items)
    rated = rng.random((n_users, n_items)) < liking
    rated[0] = True
    users, items = np.nonzero(rated)
    values, times = rng.integers(1, 6, len(users)), rng.permutation(len(users))
    return Ratings.from_columns(users + 1, items + 1, values, times, scale="1..5")
