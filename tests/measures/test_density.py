from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from recloak.measures import measure
from recloak.measures.density import Degrees
from recloak.testing import MeasureContract, context_of, random_ratings


class TestDensity(MeasureContract):
    name = "density"
    needs_rehearsal = False
    exact = (
        "density",
        "density_original",
        "user_degree",
        "user_degree_original",
        "item_degree",
        "item_degree_original",
        "user_ks",
        "item_ks",
    )


def test_new_names_change_nothing() -> None:
    original = random_ratings()
    found = {one.name: one.value for one in measure("density").run(context_of(original)).figures}
    assert found["density"] == found["density_original"] == pytest.approx(original.density)
    assert found["user_ks"] == found["item_ks"] == 0


def test_groups_are_counted_as_if_their_rows_were_written_out() -> None:
    original = random_ratings(60, 40, 0.2)
    context = context_of(original, "microaggregation", k=4, clustering="mdav")
    found = {one.name: one.value for one in measure("density").run(context).figures}
    rows = context.rows
    for counted, expected in zip(Degrees.after(context), Degrees.of(rows), strict=True):
        assert np.array_equal(counted, expected)
    assert found["user_degree"] == pytest.approx(rows.user_counts.mean())
    assert found["density"] > 2 * found["density_original"]
    moved = stats.ks_2samp(original.item_support, rows.item_support).statistic
    assert found["item_ks"] == pytest.approx(moved)
