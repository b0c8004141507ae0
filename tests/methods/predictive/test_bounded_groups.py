"""Bounded clustering: sizes, bins, and centres."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.methods.predictive.bounded_groups import (
    Centres,
    bounded_bins,
    bounded_groups,
    bounded_means,
)


def drawn(rows: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, 8)).astype(np.float32)


def shuffled(rows: int, seed: int = 0) -> np.ndarray:
    return np.random.Generator(np.random.Philox(seed)).permutation(rows)


@settings(max_examples=40)
@given(
    seed=st.integers(0, 1000),
    rows=st.integers(2, 400),
    k=st.integers(2, 30),
    centres=st.sampled_from(["virtual", "real"]),
    alike=st.booleans(),
)
def test_groups_have_k_to_twice_k_less_one(
    seed: int, rows: int, k: int, centres: Centres, alike: bool
) -> None:
    points = np.ones((rows, 8), np.float32) if alike else drawn(rows, seed)
    k = min(k, rows)
    labels = bounded_groups(points, k, shuffled(rows, seed), centres)
    sizes = np.bincount(labels)
    assert k <= sizes.min()
    assert sizes.max() <= 2 * k - 1
    assert len(labels) == rows


def test_the_same_draw_gives_the_same_groups() -> None:
    points = drawn(500)
    one, two, other = (bounded_groups(points, 5, shuffled(500, seed)) for seed in (1, 1, 2))
    assert (one == two).all()
    assert (one != other).any()


def test_rows_that_lie_together_stay_together() -> None:
    middles = 50 * drawn(20)
    points = np.repeat(middles, 6, axis=0) + drawn(120)
    labels = bounded_groups(points, 6, shuffled(120))
    mixed = sum(len(np.unique(labels[6 * at : 6 * at + 6])) > 1 for at in range(20))
    assert mixed <= 4


def test_bins_hold_several_groups_and_none_is_too_small() -> None:
    bins = np.bincount(bounded_bins(drawn(3000), 5, shuffled(3000)))
    assert 30 <= len(bins) <= 55  # about √3000
    assert bins.min() >= 5
    assert bins.max() <= 300


def test_no_centre_takes_far_more_than_the_others() -> None:
    """Where half of all rows lie in one spot, unbounded centres would leave them to one."""
    points = drawn(2000)
    points[:1000] *= 0.01
    found = bounded_means(points, 40, shuffled(len(points)))
    inside = (np.linalg.norm(found, axis=1) < 0.3).sum()
    assert inside >= 10  # of 40; each may take one and a half times its share


def test_real_centres_are_rows() -> None:
    points = drawn(300)
    found = bounded_means(points, 10, shuffled(len(points)), "real")
    assert all((points == centre).all(axis=1).any() for centre in found)
    virtual = bounded_means(points, 10, shuffled(len(points)))
    assert not any((points == centre).all(axis=1).any() for centre in virtual)


@pytest.mark.parametrize("rows", [3, 5])
def test_too_few_for_two_groups_make_one(rows: int) -> None:
    assert bounded_groups(drawn(rows), 3, shuffled(rows)).tolist() == [0] * rows
