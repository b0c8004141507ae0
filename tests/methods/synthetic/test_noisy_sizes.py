"""Ratings per person from noisy bins: about right under loud noise, exact without."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.core.scale import Scale
from recloak.methods.synthetic._noisy_sizes import sizes_from
from recloak.methods.synthetic._public import PublicFacts

EDGES = PublicFacts(1682, Scale(1, 5)).size_edges
PEOPLE = 850


def held(seed: int) -> np.ndarray:
    """People by number of ratings: two humps, which no curve of ours has."""
    rng = np.random.default_rng(seed)
    few, many = rng.normal(3.3, 0.3, PEOPLE), rng.normal(5, 0.5, PEOPLE)
    logs = np.where(rng.random(PEOPLE) < 0.6, few, many)
    return np.histogram(np.exp(logs), EDGES)[0].astype(float)


@pytest.mark.parametrize("seed", range(8))
def test_loud_noise_leaves_about_the_right_sizes(seed: int) -> None:
    """With ε = 0.5 and 850 people a bin of about 20 people has a noise of 66."""
    rng = np.random.default_rng(seed)
    noisy = held(seed) + 66 * rng.standard_normal(len(EDGES) - 1)
    sizes = sizes_from(EDGES, noisy, PEOPLE, 66)
    drawn = sizes.spread(1000)
    assert 15 < np.median(drawn) < 250  # 38 in truth
    assert drawn.mean() < 500  # 86 in truth; most of 1,682 items would be nobody's size
    assert sizes.share.sum() == pytest.approx(1)
    assert (sizes.share > 0).all()


def test_without_noise_to_speak_of_the_bins_are_kept() -> None:
    bins = held(1)
    sizes = sizes_from(EDGES, bins, PEOPLE, 0.01)
    share = np.zeros(len(bins))
    share[np.searchsorted(EDGES[:-1], sizes.low)] = sizes.share
    assert share == pytest.approx(bins / PEOPLE, abs=0.004)


def test_one_range_alone() -> None:
    sizes = sizes_from(np.array([6, 7]), np.array([-40.0]), 1.0, 50.0)
    assert sizes.spread(5).tolist() == [6] * 5
