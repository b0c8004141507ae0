"""Excess: members less outsiders, with an interval that is neither too narrow nor empty."""

from __future__ import annotations

import numpy as np

from recloak.attacks._figures import excess_figure, ratio_excess_figure
from recloak.evaluation.findings import Figure


def ends(figure: Figure) -> tuple[float, float]:
    assert figure.low is not None
    assert figure.high is not None
    return figure.low, figure.high


def test_people_who_do_not_differ_have_an_interval_around_none() -> None:
    around = 0
    for seed in range(20):
        drawn = np.random.default_rng(seed).random((2, 150)) < 0.4
        low, high = ends(excess_figure("excess", *drawn.astype(float), "people"))
        around += low <= 0 <= high
    assert around >= 18


def test_a_difference_is_seen() -> None:
    rng = np.random.default_rng(1)
    members, outsiders = (rng.random(150) < share for share in (0.8, 0.4))
    figure = excess_figure("excess", members.astype(float), outsiders.astype(float), "people")
    low, high = ends(figure)
    assert 0.2 < low < figure.value < high < 0.6


def test_a_few_who_all_end_alike_prove_little() -> None:
    low, high = ends(excess_figure("excess", np.ones(5), np.ones(5), "people"))
    assert low < -0.3
    assert high > 0.3
    low, high = ends(excess_figure("excess", np.ones(5), np.zeros(5), "people"))
    assert low < 0.6
    assert high == 1


def test_people_of_whom_more_is_guessed_weigh_more() -> None:
    members = (np.array([0.0, 9.0]), np.array([1.0, 9.0]))
    outsiders = (np.array([1.0, 0.0]), np.array([1.0, 9.0]))
    assert np.isclose(ratio_excess_figure("excess", members, outsiders, "guesses").value, 0.8)
