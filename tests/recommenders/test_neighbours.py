"""The item neighbours: tastes by similarity, in blocks, on threads."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.core.errors import Cancelled
from recloak.core.ratings import Ratings
from recloak.recommenders import neighbours
from recloak.recommenders.item_mean import ItemMean
from recloak.recommenders.neighbours import Neighbours
from recloak.testing import RecommenderContract, Recorder, Stopper
from recloak.testing.recommenders import all_cells
from tests.recommenders.conftest import Split


class TestNeighbours(RecommenderContract):
    component = Neighbours
    refused = ({"neighbours": 0}, {"shrinkage": -1}, {"user_damping": -1}, {"item_damping": -1})


def test_finds_the_tastes_that_the_item_mean_cannot(low_rank: Split) -> None:
    assert low_rank.rmse(Neighbours()) < 0.75 * low_rank.rmse(ItemMean())


def test_follows_the_like_minded() -> None:
    """Two camps; the asked user sided with the first on all items but the one asked for."""
    camps = np.array([[5, 5, 5, 1, 1, 1], [1, 1, 1, 5, 5, 5]]).repeat(6, axis=0)
    users, items = np.nonzero(np.ones_like(camps))
    rated = Ratings.from_columns(users, items, camps[users, items], scale="1..5")
    without = rated.keep(~((rated.user_codes() == 0) & (rated.items == 2)))
    fitted = Neighbours(shrinkage=0).fit(without)
    liked, disliked = fitted.predict(np.array([0, 11]), np.array([2, 2]))
    assert liked > 4.5
    assert disliked < 1.5


def test_a_rated_cell_is_predicted_without_itself() -> None:
    """Nobody shares an item with anybody: the only neighbour would be the item itself."""
    rated = Ratings.from_columns([1, 2, 3], [1, 2, 3], [1, 3, 5], scale="1..5")
    fitted = Neighbours(user_damping=0, item_damping=1e6).fit(rated)
    baseline = fitted.mean + fitted.user_bias + fitted.item_bias
    assert fitted.predict(np.arange(3), np.arange(3)) == pytest.approx(np.clip(baseline, 1, 5))


class InSmallBlocks(Neighbours):
    work_per_block = 500


def test_blocks_and_threads_change_nothing(small: Ratings) -> None:
    whole = Neighbours().fit(small).predict(*all_cells(small))
    seen = Recorder()
    assert np.array_equal(InSmallBlocks().fit(small).predict(*all_cells(small), seen), whole)
    assert seen.done["Asking the neighbours"] == seen.totals["Asking the neighbours"] > 5


def test_predicting_stops_on_request(small: Ratings) -> None:
    fitted = Neighbours().fit(small)
    with pytest.raises(Cancelled):
        fitted.predict(*all_cells(small), Stopper())


@pytest.mark.parametrize("work", [[], [0, 0], [3], [0, 3, 0, 9, 1, 0], [20, 0, 1, 1, 30, 5]])
def test_blocks_hold_all_work_once(work: list[int]) -> None:
    covered = [
        item
        for start, end in neighbours._blocks(np.array(work, dtype=np.int64), 5)
        for item in range(start, end)
    ]
    assert len(covered) == len(set(covered))
    assert {item for item, amount in enumerate(work) if amount} <= set(covered)
