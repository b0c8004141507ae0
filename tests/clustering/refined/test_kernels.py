"""What a pass of moves and swaps says it gained is what the loss fell by."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.clustering import Points
from recloak.clustering.refined import starting_from
from recloak.clustering.refined._kernels import dots, improve, measure_all
from tests.clustering import plain
from tests.clustering.samples import hard_ratings

STORED = pytest.mark.parametrize("dense_share", [0.0, 2.0], ids=["dense", "sparse"])


@pytest.fixture
def points(dense_share: float) -> Points:
    return Points.of(hard_ratings(40, 11, 0.5, 1000, seed=4), dense_share=dense_share)


@STORED
def test_two_products_at_once(points: Points) -> None:
    one, other = np.random.default_rng(0).normal(size=(2, 11))
    row = plain.table_of(points)[7]
    assert dots(points.records, 7, one, other) == pytest.approx((row @ one, row @ other))


@STORED
def test_gain_is_what_the_loss_fell_by_and_books_stay_right(points: Points) -> None:
    labels = np.random.default_rng(1).permutation(np.arange(40) % 9)
    partition, table = starting_from(labels, 4), plain.table_of(points)
    measure_all(points.records, partition)
    near = np.tile(np.arange(9, dtype=np.int32), (40, 1))
    gained = improve(points.records, partition, 4, 0, 40, near)
    assert gained > 0
    after = partition.labels
    assert plain.loss(table, labels) - plain.loss(table, after) == pytest.approx(gained)
    for group in range(9):
        members = partition.members[group, : partition.sizes[group]]
        assert sorted(members) == np.flatnonzero(after == group).tolist()
        total = table[members].sum(axis=0)
        assert partition.squares[group] == pytest.approx(total @ total)
        assert partition.own[members] == pytest.approx(table[members] @ total)


@STORED
def test_only_candidates_are_looked_at(points: Points) -> None:
    labels = np.arange(40) % 9
    partition = starting_from(labels, 4)
    measure_all(points.records, partition)
    near = np.full((40, 2), -1, np.int32)
    assert improve(points.records, partition, 4, 0, 40, near) == 0
    assert partition.labels.tolist() == labels.tolist()
