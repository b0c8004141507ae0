"""Points: the standardised space, by hand and against dense NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from recloak.clustering import Groups, Points
from recloak.clustering._points import Imputation
from recloak.core.errors import MachineError
from recloak.core.ratings import Ratings
from recloak.testing import random_ratings
from tests.clustering import plain
from tests.clustering.samples import hard_ratings

IMPUTATIONS: list[Imputation] = [
    "midpoint",
    "item-mean",
    "item-median",
    "global-mean",
    "user-mean",
]


def imputed(ratings: Ratings, imputation: Imputation) -> NDArray[np.float64]:
    """The complete table in rating units, as one would fill it by hand."""
    table = np.full((ratings.n_users, ratings.n_items), np.nan)
    table[ratings.user_codes(), ratings.items] = ratings.values
    known = ~np.isnan(table)
    overall = float(np.nanmean(table))
    for user, item in np.argwhere(~known):
        column, row = table[known[:, item], item], table[user, known[user]]
        choices = {
            "midpoint": ratings.scale.middle,
            "global-mean": overall,
            "item-mean": column.mean() if len(column) else overall,
            "item-median": np.median(column) if len(column) else overall,
            "user-mean": row.mean() if len(row) else ratings.scale.middle,
        }
        table[user, item] = choices[imputation]
    return table


@pytest.mark.parametrize("imputation", IMPUTATIONS)
@pytest.mark.parametrize("seed", [1, 3])
def test_differences_are_those_of_the_z_scores(imputation: Imputation, seed: int) -> None:
    ratings = hard_ratings(40, 9, 0.4, 5, seed)
    table = imputed(ratings, imputation)
    spread = table.std(axis=0)
    spread[spread < 1e-9] = 1
    points = Points.of(ratings, imputation)
    assert points.spread == pytest.approx(spread)
    expected = (table - table[0]) / spread
    mine = plain.table_of(points)
    assert mine - mine[0] == pytest.approx(expected, abs=1e-6)
    assert points.norms == pytest.approx((mine**2).sum(axis=1))
    assert points.total == pytest.approx(((table - table.mean(axis=0)) ** 2).sum())


@pytest.mark.parametrize("imputation", IMPUTATIONS)
def test_loss_and_profiles_of_groups(imputation: Imputation) -> None:
    ratings = hard_ratings(40, 9, 0.4, 5, seed=1)
    table, points = imputed(ratings, imputation), Points.of(ratings, imputation)
    labels = np.random.default_rng(2).permutation(np.arange(40) % 7)
    groups = Groups.of(labels)
    means = np.array([table[labels == group].mean(axis=0) for group in range(7)])
    gaps = (table - means[labels]) ** 2
    known = np.zeros(table.shape, bool)
    known[ratings.user_codes(), ratings.items] = True
    loss = groups.loss(points)
    assert loss.ratings == pytest.approx(gaps.sum(), rel=1e-5)
    assert loss.known == pytest.approx(gaps[known].sum(), rel=1e-5)
    assert loss.standardised == pytest.approx((gaps / points.spread**2).sum(), rel=1e-5)
    assert loss.share == pytest.approx(loss.ratings / points.total)
    profiles = groups.profiles(points)
    complete = np.tile(points.base, (7, 1))
    raters = np.zeros((7, 9), int)
    for group in range(7):
        here = slice(profiles.offsets[group], profiles.offsets[group + 1])
        assert (np.diff(profiles.items[here]) > 0).all()
        complete[group, profiles.items[here]] = profiles.values[here]
        raters[group, profiles.items[here]] = profiles.raters[here]
    assert complete == pytest.approx(means, abs=1e-5)
    assert raters.tolist() == [known[labels == group].sum(axis=0).tolist() for group in range(7)]


def test_profiles_by_blocks_are_the_same(small: Ratings) -> None:
    points, groups = Points.of(small), Groups.of(np.arange(60) // 4)
    whole, part = groups.profiles(points), groups.profiles(points, 5, 9)
    here = slice(whole.offsets[5], whole.offsets[9])
    assert part.values.tolist() == whole.values[here].tolist()
    assert part.items.tolist() == whole.items[here].tolist()
    assert np.diff(part.offsets).tolist() == np.diff(whole.offsets)[5:9].tolist()


def test_some_records_in_the_same_space(small: Ratings) -> None:
    for imputation in IMPUTATIONS:
        points = Points.of(small, imputation)
        some = np.array([7, 3, 11])
        assert np.array_equal(plain.table_of(points.take(some)), plain.table_of(points)[some])
        assert len(points.take(some).known) in (0, 3 * small.n_items)


def test_nobody_and_nothing_rated() -> None:
    nothing = Ratings.from_columns([], [], [], scale="1..5")
    assert Points.of(nothing).n_records == 0
    assert not Points.of(nothing).dense


def test_nearly_full_data_are_stored_densely() -> None:
    assert Points.of(random_ratings(density=0.5)).dense
    assert not Points.of(random_ratings(500, 200, density=0.05)).dense


def test_user_means_that_do_not_fit_into_memory_are_refused(
    monkeypatch: pytest.MonkeyPatch, small: Ratings
) -> None:
    monkeypatch.setenv("RECLOAK_MEMORY_GB", "0.00001")
    with pytest.raises(MachineError, match="user-mean") as refusal:
        Points.of(small, "user-mean")
    assert "other imputation" in str(refusal.value.hint)
    assert Points.of(small, "item-mean").n_records == 60
