"""V-MDAV equals its plain twin, and grows groups as its gain factor says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.clustering import Points
from recloak.clustering.variable import Variable
from recloak.core.ratings import Ratings
from tests.clustering import plain
from tests.clustering.contract import ClusteringContract
from tests.clustering.samples import hard_cases


class TestVariable(ClusteringContract):
    clustering = Variable
    refused = ({"gain_factor": -0.1},)


@pytest.mark.parametrize("dense_share", [0.0, 2.0], ids=["dense", "sparse"])
@given(case=hard_cases(), gain=st.sampled_from([0.0, 0.2, 0.7, 1.0, 1.1, 5.0]))
@settings(max_examples=200, deadline=None)
def test_same_partition_as_the_plain_way(
    dense_share: float, case: tuple[Ratings, int], gain: float
) -> None:
    ratings, k = case
    points = Points.of(ratings, dense_share=dense_share)
    labels = Variable(gain_factor=gain).partition(points, k)
    assert labels.tolist() == plain.variable(plain.table_of(points), k, gain)


def test_groups_grow_only_when_asked_to(small: Ratings) -> None:
    points = Points.of(small)
    fixed = np.bincount(Variable(gain_factor=0).partition(points, 3))
    grown = np.bincount(Variable(gain_factor=5).partition(points, 3))
    assert (fixed == 3).all()
    assert grown.max() == 5
