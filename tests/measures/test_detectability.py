from __future__ import annotations

from dataclasses import replace

import pytest
from scipy import stats

from recloak.core.randomness import Randomness
from recloak.measures import measure
from recloak.testing import MeasureContract, context_of, from_rows, random_ratings
from tests.support.split_by_item import SplitByItem


class TestDetectability(MeasureContract):
    name = "detectability"
    needs_rehearsal = False
    exact = (
        "ks",
        "singletons",
        "singletons_original",
        "median_row",
        "median_row_original",
        "rows_per_person",
    )


def test_new_names_do_not_show() -> None:
    found = {
        one.name: one.value
        for one in measure("detectability").run(context_of(random_ratings())).figures
    }
    assert found["ks"] == 0
    assert found["rows_per_person"] == 1
    assert found["median_row"] == found["median_row_original"]


def test_torn_rows_do() -> None:
    original = random_ratings(200)
    rows = SplitByItem(3).apply(original, Randomness.from_seed(1)).release.as_ratings()
    found = measure("detectability").run(replace(context_of(original), rows=rows))
    figures = {one.name: one.value for one in found.figures}
    assert figures["ks"] == pytest.approx(
        stats.ks_2samp(original.user_counts, rows.user_counts).statistic
    )
    assert figures["rows_per_person"] == rows.n_users / 200
    assert figures["singletons"] > figures["singletons_original"]


def test_by_hand() -> None:
    original = from_rows({"a": {"x": 1, "y": 1, "z": 1}, "b": {"x": 1}})
    rows = from_rows({"p": {"x": 1}, "q": {"y": 1, "z": 1}, "r": {"x": 1}})
    found = measure("detectability").run(replace(context_of(original), rows=rows))
    assert {one.name: one.value for one in found.figures} == {
        "ks": 0.5,
        "singletons": pytest.approx(2 / 3),
        "singletons_original": 0.5,
        "median_row": 1,
        "median_row_original": 2,
        "rows_per_person": 1.5,
    }
