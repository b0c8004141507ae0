"""Shared fixtures."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from recloak.ratings import Ratings


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with the real data sets; tests that need it skip when it is not there."""
    folder = os.environ.get("RECLOAK_DATA")
    if not folder:
        pytest.skip("RECLOAK_DATA is not set: the real data sets are not on this machine")
    if not Path(folder).is_dir():
        pytest.skip(f"RECLOAK_DATA points to {folder}, which is no folder")
    return Path(folder)


def random_ratings(
    n_users: int = 60, n_items: int = 40, density: float = 0.2, seed: int = 0
) -> Ratings:
    """Small random ratings on 1..5; every user has at least one."""
    rng = np.random.default_rng(seed)
    rated = rng.random((n_users, n_items)) < density
    rated[np.arange(n_users), rng.integers(0, n_items, n_users)] = True
    users, items = np.nonzero(rated)
    values = rng.integers(1, 6, len(users))
    return Ratings.from_columns(users + 100, items + 1, values, scale="1..5")


@pytest.fixture
def small() -> Ratings:
    return random_ratings()
