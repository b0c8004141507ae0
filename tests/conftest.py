"""Shared fixtures."""

from __future__ import annotations

import os
from pathlib import Path

# before NumPy is loaded: threads of BLAS wait by spinning, which with several tests at once on a
# few cores takes longer than all else; an audit sees to that itself
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings

from recloak.core.ratings import Ratings
from recloak.testing import random_ratings

# The first example of a test may pay for compiling a kernel, so single times mean nothing.
settings.register_profile("recloak", deadline=None)
settings.load_profile("recloak")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with the real data sets; tests that need it skip when nothing names one."""
    folder = os.environ.get("RECLOAK_DATA")
    if not folder:
        pytest.skip("RECLOAK_DATA is not set: set it to the real data sets and run make test-real")
    if not Path(folder).is_dir():
        pytest.fail(f"RECLOAK_DATA points to {folder}, which is no folder")
    return Path(folder)


@pytest.fixture
def small() -> Ratings:
    return random_ratings()
