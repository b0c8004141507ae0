"""Distances to the bit, and screens that never change who wins."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.clustering import Points
from recloak.clustering._centre_kernels import farthest_from_centre
from recloak.clustering._foresight import front_of
from recloak.clustering._free_records import all_free
from recloak.clustering._record_kernels import (
    add_record,
    distance,
    distance_to_point,
    farthest,
    nearest,
    remove,
    sweep,
)
from recloak.clustering.mdav import nearest_groups
from tests.clustering import plain
from tests.clustering.samples import hard_ratings

STORED = pytest.mark.parametrize("dense_share", [0.0, 2.0], ids=["dense", "sparse"])


@pytest.fixture
def points(dense_share: float) -> Points:
    return Points.of(hard_ratings(150, 21, 0.4, 1000, seed=4), dense_share=dense_share)


@STORED
def test_distances_have_the_same_bits_however_stored(points: Points) -> None:
    table, rng = plain.table_of(points), np.random.default_rng(1)
    place = rng.normal(size=21)
    for one, other in rng.integers(0, 150, (200, 2)):
        assert distance(points.records, one, other) == plain.squared(table[one], table[other])
        assert distance_to_point(points.records, one, place) == plain.squared(table[one], place)


@STORED
def test_estimates_are_as_near_as_they_claim(points: Points) -> None:
    free_records, table = all_free(points), plain.table_of(points)
    for pivot in (0, 70, 149):
        error = sweep(points.records, free_records, pivot)
        exact = np.linalg.norm(table - table[pivot], axis=1)
        off = np.abs(np.sqrt(free_records.estimate) - exact)
        assert free_records.estimate[pivot] == np.inf
        assert np.delete(off, pivot).max() <= error
        assert error < 0.2 * np.delete(exact, pivot).mean()


@STORED
def test_nearest_and_farthest_of_those_still_free(points: Points) -> None:
    free_records, table = all_free(points), plain.table_of(points)
    free = list(range(150))
    found, gaps = np.empty(4, np.int64), np.empty(4)
    for pivot in np.random.default_rng(2).permutation(150)[:120].tolist():
        error = sweep(points.records, free_records, pivot)
        filled = nearest(points.records, free_records, pivot, error, found, gaps)
        others = [row for row in free if row != pivot]
        wanted = plain.nearest(table, others, table[pivot], 4)
        assert found[:filled].tolist() == wanted
        assert gaps.tolist() == [plain.squared(table[row], table[pivot]) for row in wanted]
        far = plain.farthest(table, others, table[pivot])
        assert farthest(points.records, free_records, pivot, error) == far
        remove(points.records, free_records, pivot)
        free.remove(pivot)
        assert sorted(free_records.ids[: free_records.n_free[0]]) == free


@STORED
def test_farthest_from_a_moving_centre(points: Points) -> None:
    free_records, table = all_free(points), plain.table_of(points)
    free, total = list(range(150)), plain.total_of(table, list(range(150)))
    front = front_of(free_records, 20)
    while free:
        if front.level[0] == np.inf or len(free) % 40 == 0:
            front = front_of(free_records, 20)
        mine = farthest_from_centre(points.records, free_records, front)
        assert mine == plain.farthest(table, free, total / len(free))
        gone = free[len(free) // 3]
        remove(points.records, free_records, gone)
        free.remove(gone)
        total = total - table[gone]


@STORED
def test_nearest_group_of_some_records(points: Points) -> None:
    members = np.random.default_rng(3).permutation(140)
    starts = np.array([0, 50, 51, 100, 140])
    asked = np.arange(140, 150)
    found, gaps = np.empty(10, np.int64), np.empty(10)
    groups = [sorted(members[starts[at] : starts[at + 1]].tolist()) for at in range(4)]
    ordered = np.concatenate(groups)
    nearest_groups(points.records, starts, ordered, asked, found, gaps)
    table = plain.table_of(points)
    wanted = [plain.nearest_group(table, groups, row) for row in asked.tolist()]
    assert list(zip(gaps.tolist(), found.tolist(), strict=True)) == wanted


@STORED
def test_adding_a_record_twice_and_taking_it_back(points: Points) -> None:
    place = np.zeros(21)
    add_record(points.records, 5, 2.0, place)
    assert place.tolist() == (2 * plain.table_of(points)[5]).tolist()
    add_record(points.records, 5, -2.0, place)
    assert not place.any()
