"""MDAV equals its plain twin on every input, however it is stored."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.clustering import Points
from recloak.clustering.mdav import Mdav, mdav
from recloak.core.ratings import Ratings
from tests.clustering import plain
from tests.clustering.contract import ClusteringContract
from tests.clustering.samples import hard_cases, hard_ratings


class TestMdav(ClusteringContract):
    clustering = Mdav
    refused = ()


def listing_from_the_start(spare: int) -> Any:
    """Few as they are, people are listed, in short lists, and the front is small."""
    sizes = {"FEWEST_FREE": 0, "FEWEST_FREE_SPARSE": 0, "PIVOTS": 3, "FRONT": 5}
    given: dict[str, Any] = {**sizes, "SPARE": spare, "SPARE_SPARSE": spare}
    return patch.multiple("recloak.clustering._foresight", **given)


@pytest.mark.parametrize("dense_share", [0.0, 2.0], ids=["dense", "sparse"])
@given(case=hard_cases(), spare=st.sampled_from([None, 0, 2, 50]))
@settings(max_examples=300, deadline=None)
def test_same_partition_as_the_plain_way(
    dense_share: float, case: tuple[Ratings, int], spare: int | None
) -> None:
    ratings, k = case
    points = Points.of(ratings, dense_share=dense_share)
    assert points.dense == (dense_share == 0)
    with listing_from_the_start(spare) if spare is not None else nullcontext():
        assert mdav(points, k).tolist() == plain.mdav(plain.table_of(points), k)


@pytest.mark.parametrize("dense_share", [0.0, 2.0], ids=["dense", "sparse"])
@pytest.mark.parametrize(("density", "levels"), [(0.8, 1000), (0.1, 5), (0.3, 2)])
def test_same_partition_on_a_few_hundred_users(
    density: float, levels: int, dense_share: float
) -> None:
    points = Points.of(hard_ratings(200, 30, density, levels, seed=5), dense_share=dense_share)
    expected = plain.mdav(plain.table_of(points), 3)
    assert mdav(points, 3).tolist() == expected
    with listing_from_the_start(spare=4):
        assert mdav(points, 3).tolist() == expected


def line(*values: float) -> Points:
    """People on a line, one item each."""
    return Points.of(
        Ratings.from_columns(
            np.arange(len(values)), np.zeros(len(values), int), values, scale="-10..10 continuous"
        )
    )


def test_rest_that_belongs_together_stays_a_group() -> None:
    labels = mdav(line(-9, -8.5, 9, 8.5, 0, 0.5), 2)
    assert labels.tolist() == [0, 0, 1, 1, 2, 2]


def test_rest_that_lies_apart_joins_the_nearest_groups() -> None:
    """The leftover rule of the paper: here half of the rest, not more, is nearer to its mean."""
    labels = mdav(line(-10, -10, 10, 10, -9, 9), 2)
    assert labels.tolist() == [0, 0, 1, 1, 0, 1]


def test_fewer_than_two_groups_of_k_are_one_group() -> None:
    assert mdav(line(-9, 0, 9), 2).tolist() == [0, 0, 0]
