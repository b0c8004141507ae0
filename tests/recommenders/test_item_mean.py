"""The item mean, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.core.ratings import Ratings
from recloak.recommenders.item_mean import ItemMean
from recloak.testing import RecommenderContract

FILMS = Ratings.from_columns([1, 2, 3, 1], [10, 10, 10, 20], [5, 4, 3, 2], scale="1..5")


class TestItemMean(RecommenderContract):
    component = ItemMean
    refused = ({"damping": -1},)


def test_mean_of_each_item_and_of_all_for_the_unknown() -> None:
    fitted = ItemMean().fit(FILMS)
    predicted = fitted.predict(np.array([0, -1, 2, 0]), np.array([0, 0, 1, -1]))
    assert predicted.tolist() == [4.0, 4.0, 2.0, 3.5]
    assert fitted.item_means.tolist() == [4.0, 2.0]


def test_damping_pulls_to_the_overall_mean() -> None:
    fitted = ItemMean(damping=2).fit(FILMS)
    assert fitted.item_means == pytest.approx([(12 + 2 * 3.5) / 5, (2 + 2 * 3.5) / 3])
