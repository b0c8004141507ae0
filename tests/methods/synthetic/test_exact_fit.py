"""The fit without noise: what is taken out of it because few people make it by chance."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.methods.synthetic._exact_fit import tastes_for, without_chance


def test_directions_that_are_chance_are_taken_out() -> None:
    rng = np.random.default_rng(0)
    supports = rng.integers(10, 400, 2_000).astype(np.float64)
    noise = rng.standard_normal((2_000, 1)) * np.sqrt(2.0 / supports)[:, None]
    kept = without_chance(noise, supports)
    assert np.square(kept).sum() < 0.02 * np.square(noise).sum()


def test_of_real_directions_items_with_many_ratings_keep_nearly_all() -> None:
    rng = np.random.default_rng(1)
    supports = np.repeat([10.0, 100.0, 4_000.0], 500)
    true = rng.standard_normal((1_500, 2))
    found = true + rng.standard_normal((1_500, 2)) * np.sqrt(2.0 / supports)[:, None]
    kept = without_chance(found, supports)
    ratio = (kept / found).reshape(3, 500, 2).mean(axis=(1, 2))
    assert ratio == pytest.approx([1 / 1.2, 1 / 1.02, 1.0], abs=0.03)
    assert np.square(kept - true).sum() < np.square(found - true).sum()


def test_more_people_tell_more_tastes_apart() -> None:
    assert [tastes_for(people) for people in (1, 850, 5_400, 480_000)] == [1, 2, 6, 24]
