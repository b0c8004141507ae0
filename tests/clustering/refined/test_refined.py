"""Refinement only ever lowers the error, and keeps every group at k or more."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from recloak.clustering import Groups, Points
from recloak.clustering.mdav import mdav
from recloak.clustering.refined import Refined, refine
from recloak.core.ratings import Ratings
from recloak.testing import Recorder, random_ratings
from tests.clustering import plain
from tests.clustering.contract import ClusteringContract
from tests.clustering.samples import hard_cases


class TestRefined(ClusteringContract):
    clustering = Refined
    refused = ({"near_users": 0}, {"passes": -1})


@pytest.mark.parametrize("dense_share", [0.0, 2.0], ids=["dense", "sparse"])
@given(case=hard_cases())
@settings(max_examples=150, deadline=None)
def test_never_loses_more_than_mdav(dense_share: float, case: tuple[Ratings, int]) -> None:
    ratings, k = case
    points = Points.of(ratings, dense_share=dense_share)
    before, after = mdav(points, k), Refined().partition(points, k)
    table = plain.table_of(points)
    assert plain.loss(table, after) <= plain.loss(table, before) * (1 + 1e-9) + 1e-9
    assert np.bincount(after).max() <= max(2 * k - 1, np.bincount(before).max())


def test_no_single_move_or_swap_is_left_that_would_gain() -> None:
    points = Points.of(random_ratings(24, 12, 0.4, seed=3))
    labels = Refined(passes=1000).partition(points, 3)
    table, reached = plain.table_of(points), 0.0
    reached = plain.loss(table, labels)
    for one in range(24):
        for other in range(one):
            swapped = labels.copy()
            swapped[[one, other]] = labels[[other, one]]
            assert plain.loss(table, swapped) >= reached - 1e-6
        for group in range(labels.max() + 1):
            moved = labels.copy()
            moved[one] = group
            sizes = np.bincount(moved, minlength=labels.max() + 1)
            if sizes.min() >= 3 and sizes.max() <= 5:
                assert plain.loss(table, moved) >= reached - 1e-6


def test_finds_its_way_from_a_random_partition(small: Ratings) -> None:
    points = Points.of(small)
    shuffled = np.random.default_rng(1).permutation(np.arange(60) // 3)
    after = refine(points, shuffled, 3, near_groups=20, passes=20)
    start, end = (Groups.of(labels).loss(points).standardised for labels in (shuffled, after))
    assert end < 0.9 * start
    assert np.bincount(after).min() == 3


def test_no_pass_leaves_mdav(small: Ratings) -> None:
    points = Points.of(small)
    assert Refined(passes=0).partition(points, 4).tolist() == mdav(points, 4).tolist()


def test_very_many_are_refined_in_bins_at_less_loss_than_mdav(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    points = Points.of(random_ratings(1200, 40, 0.3, seed=8))
    whole = Refined().partition(points, 4)
    monkeypatch.setattr("recloak.clustering.refined.MOST_TOGETHER", 1199)
    monkeypatch.setattr("recloak.clustering.refined.BIN_SIZE", 100)
    seen = Recorder()
    binned = Refined().partition(points, 4, seen)
    assert "Grouping users in bins" in seen.labels
    losses = [Groups.of(one).loss(points).ratings for one in (whole, binned, mdav(points, 4))]
    assert losses[0] < losses[1] < losses[2]
