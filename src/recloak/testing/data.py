"""Ratings for tests: at random, written out, none."""

from __future__ import annotations

import numpy as np

from recloak.core.ratings import Ratings


def random_ratings(
    n_users: int = 60, n_items: int = 40, density: float = 0.2, seed: int = 0, times: bool = False
) -> Ratings:
    """Small random ratings on 1..5; every user has at least one."""
    rng = np.random.default_rng(seed)
    rated = rng.random((n_users, n_items)) < density
    rated[np.arange(n_users), rng.integers(0, n_items, n_users)] = True
    users, items = np.nonzero(rated)
    values = rng.integers(1, 6, len(users))
    moments = rng.integers(900_000_000, 1_000_000_000, len(users)) if times else None
    return Ratings.from_columns(users + 100, items + 1, values, moments, scale="1..5")


def from_rows(rows: dict[str, dict[str, float]], scale: str = "1..5") -> Ratings:
    """Ratings written out: person to item to value."""
    cells = [(user, item, value) for user, row in rows.items() for item, value in row.items()]
    users, items, values = zip(*cells, strict=True)
    return Ratings.from_columns(users, items, values, scale=scale)


def empty_ratings() -> Ratings:
    """Nobody rated anything."""
    return Ratings.from_columns(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
