from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from recloak.evaluation.intervals import (
    clustered_mean,
    mean_figure,
    ratio_figure,
    share_figure,
    wilson,
)


@given(trials=st.integers(1, 500), data=st.data())
def test_wilson_is_that_of_scipy(trials: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, trials))
    expected = stats.binomtest(hits, trials).proportion_ci(method="wilson")
    assert wilson(hits, trials) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_no_trials_say_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


def test_figures_hold_their_mean() -> None:
    outcomes = np.array([0.0, 1.0, 1.0, 0.5])
    share = share_figure("x", outcomes, "")
    assert share.value == 0.625
    (mean,) = mean_figure("x", outcomes, "count", "")
    assert mean.low is not None
    assert mean.low < 0.625 < (mean.high or 0)
    assert mean_figure("x", np.array([2.0]), "count", "") == []


def test_people_not_ratings_are_the_units() -> None:
    """A hundred copies of ten people's outcomes are no more certain than the ten."""
    rng = np.random.default_rng(0)
    ten = rng.normal(size=10)
    people = np.repeat(np.arange(10), 100)
    mean, error = clustered_mean(np.repeat(ten, 100), people)
    assert mean == pytest.approx(ten.mean())
    assert error == pytest.approx(ten.std(ddof=1) / np.sqrt(10))
    assert clustered_mean(np.empty(0), np.empty(0, np.int64)) == (0.0, 0.0)


def test_a_ratio_over_groups_is_of_sums_and_knows_that_groups_differ() -> None:
    wholes = np.array([10.0, 30.0, 60.0, 0.0])
    alike = ratio_figure("x", 0.2 * wholes, wholes, "")
    assert (alike.value, alike.low, alike.high) == pytest.approx((0.2, 0.2, 0.2))
    apart = ratio_figure("x", np.array([10.0, 0.0, 30.0, 0.0]), wholes, "")
    assert apart.value == pytest.approx(0.4)
    assert apart.low is not None
    assert apart.high is not None
    assert 0 <= apart.low < 0.2
    assert 0.6 < apart.high <= 1
    assert ratio_figure("x", np.zeros(2), np.zeros(2), "").value == 0


def test_the_interval_of_a_ratio_holds_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(300):
        wholes = rng.integers(5, 50, 80).astype(float)
        parts = wholes * rng.beta(2, 3, 80)
        figure = ratio_figure("x", parts, wholes, "")
        held += (figure.low or 0) <= 0.4 <= (figure.high or 0)
    assert 270 <= held <= 297
