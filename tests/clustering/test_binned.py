"""Bins: bounded, near, complete; groups within them keep k and lose little."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.clustering import Groups, Points
from recloak.clustering._bins import bin_centres, in_bins, make_bins, size_for
from recloak.clustering._sketch import sketch
from recloak.clustering.binned import Binned
from recloak.clustering.mdav import mdav
from recloak.clustering.refined import Refined
from recloak.core.progress import SILENT
from recloak.testing import Recorder, random_ratings
from tests.clustering.contract import ClusteringContract


class TestBinned(ClusteringContract):
    clustering = Binned
    refused = ({"near_users": 0}, {"passes": -1}, {"bin_size": 1})


@pytest.fixture(scope="module")
def many() -> Points:
    return Points.of(random_ratings(1200, 40, 0.3, seed=8))


def test_bins_hold_everyone_once_and_are_neither_small_nor_large(many: Points) -> None:
    bins = make_bins(sketch(many, 32), 100)
    assert np.array_equal(np.sort(np.concatenate(bins)), np.arange(1200))
    sizes = [len(bin_) for bin_ in bins]
    assert min(sizes) >= 25
    assert max(sizes) <= 150


def test_people_who_are_alike_are_binned_by_halves() -> None:
    bins = make_bins(np.ones((1000, 4), np.float32), 100)
    assert {len(bin_) for bin_ in bins} == {125}


def test_groups_stay_within_bins_and_keep_k(many: Points) -> None:
    seen = Recorder()
    labels = Binned(bin_size=100).partition(many, 4, seen)
    assert np.bincount(labels).min() >= 4
    assert "Grouping users in bins" in seen.labels
    for bin_ in make_bins(sketch(many, 32), 100):
        assert not np.isin(labels[bin_], labels[np.setdiff1d(np.arange(1200), bin_)]).any()


def test_centres_follow_from_the_order_and_not_from_places(many: Points) -> None:
    """Who is looked at hangs on what people draw: others among them move nobody."""
    rows, rng = sketch(many, 32), np.random.default_rng(1)
    order = rng.permutation(len(rows))
    moved = rng.permutation(len(rows))  # the record that stands at each new place
    place = np.argsort(moved)
    centres = bin_centres(rows, 40_000, 4000, order=order)
    again = bin_centres(rows[moved], 40_000, 4000, order=place[order])
    assert len(centres) > 2
    assert np.array_equal(centres, again)
    other = bin_centres(rows, 40_000, 4000, order=order[::-1])
    assert not np.array_equal(centres, other)


def test_few_users_are_grouped_as_a_whole(many: Points) -> None:
    same = Refined(near_users=36, passes=4)
    assert np.array_equal(Binned().partition(many, 3), same.partition(many, 3))


def test_a_large_k_makes_larger_bins(many: Points) -> None:
    assert size_for(50, 16) == 500
    assert np.bincount(Binned(bin_size=16).partition(many, 50)).min() >= 50


def test_bins_lose_little(many: Points) -> None:
    bins = make_bins(sketch(many, 32), 100)
    binned = in_bins(many, bins, lambda part: mdav(part, 3), SILENT)
    whole = Groups.of(mdav(many, 3)).loss(many).ratings
    assert len(bins) >= 8
    assert 0 < Groups.of(binned).loss(many).ratings / whole - 1 < 0.2


def test_one_bin_loses_nothing(many: Points) -> None:
    bins = make_bins(sketch(many, 32), 5000)
    assert np.array_equal(in_bins(many, bins, lambda part: mdav(part, 3), SILENT), mdav(many, 3))
