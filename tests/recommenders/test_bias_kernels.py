"""The baseline's kernels beside their plain twins."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.core.ratings import Ratings
from recloak.recommenders._bias_kernels import fit_item_bias, fit_user_bias, residuals_of

MEAN = 3.1


@pytest.fixture
def gappy(small: Ratings) -> Ratings:
    """A user and an item have lost their ratings."""
    return small.keep((small.user_codes() != 2) & (small.items != 5))


@pytest.mark.parametrize("damping", [0.0, 4.0])
def test_item_bias(gappy: Ratings, damping: float) -> None:
    user_bias = np.random.default_rng(1).normal(size=gappy.n_users)
    distances = gappy.values.astype(float) - MEAN - user_bias[gappy.user_codes()]
    expected = [
        distances[gappy.items == item].sum() / max((gappy.items == item).sum() + damping, 1)
        for item in range(gappy.n_items)
    ]
    found = fit_item_bias(
        gappy.offsets, gappy.items, gappy.values, MEAN, user_bias, gappy.n_items, damping
    )
    assert found == pytest.approx(expected)
    assert found[5] == 0


@pytest.mark.parametrize("damping", [0.0, 4.0])
def test_user_bias(gappy: Ratings, damping: float) -> None:
    item_bias = np.random.default_rng(1).normal(size=gappy.n_items)
    expected = [
        (values.astype(float) - MEAN - item_bias[items]).sum() / max(len(items) + damping, 1)
        for items, values in map(gappy.row, range(gappy.n_users))
    ]
    found = fit_user_bias(gappy.offsets, gappy.items, gappy.values, MEAN, item_bias, damping)
    assert found == pytest.approx(expected)
    assert found[2] == 0


def test_residuals(gappy: Ratings) -> None:
    rng = np.random.default_rng(1)
    user_bias, item_bias = rng.normal(size=gappy.n_users), rng.normal(size=gappy.n_items)
    expected = gappy.values - MEAN - user_bias[gappy.user_codes()] - item_bias[gappy.items]
    found = residuals_of(gappy.offsets, gappy.items, gappy.values, MEAN, user_bias, item_bias)
    assert found.dtype == np.float32
    assert found == pytest.approx(expected, abs=1e-5)
