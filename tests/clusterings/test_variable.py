"""V-MDAV equals its plain twin, and grows groups as its gain factor says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recloak.clusterings import Points
from recloak.clusterings.variable import Variable
from recloak.ratings import Ratings

from . import plain
from .contract import ClusteringContract
from .samples import hard_cases


class TestVariable(ClusteringContract):
    clustering = Variable
    refused = ({"gain_factor": -0.1},)


@pytest.mark.parametrize("dense_share", [0.0, 2.0], ids=["dense", "sparse"])
@given(case=hard_cases(), gain=st.sampled_from([0.0, 0.2, 0.7, 1.0, 1.1, 5.0]))
@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_same_partition_as_the_plain_way(
    dense_share: float, monkeypatch: pytest.MonkeyPatch, case: tuple[Ratings, int], gain: float
) -> None:
    monkeypatch.setattr("recloak.clusterings.points.DENSE_SHARE", dense_share)
    ratings, k = case
    points = Points.of(ratings)
    labels = Variable(gain_factor=gain).partition(points, k)
    assert labels.tolist() == plain.variable(plain.table_of(points), k, gain)


def test_groups_grow_only_when_asked_to(small: Ratings) -> None:
    points = Points.of(small)
    fixed = np.bincount(Variable(gain_factor=0).partition(points, 3))
    grown = np.bincount(Variable(gain_factor=5).partition(points, 3))
    assert (fixed == 3).all()
    assert grown.max() == 5
