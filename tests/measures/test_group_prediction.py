from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.core.ratings import Ratings
from recloak.measures import measure
from recloak.measures.group_prediction import (
    PredictionProfiles,
    Probe,
    label_errors,
    mean_errors,
    means_over_raters,
    random_groups,
    trained_errors,
)
from recloak.recommenders.item_mean import ItemMean
from recloak.testing import MeasureContract, context_of, from_rows, random_ratings, with_rehearsal


class TestGroupPrediction(MeasureContract):
    name = "group-prediction"
    parameters = {"recommender": "item-mean"}


def two_tastes(people: int = 120, items: int = 40) -> Ratings:
    """Half of the people like the first half of the items, the others the second half."""
    rng = np.random.default_rng(2)
    users, rated = np.nonzero(rng.random((people, items)) < 0.5)
    likes = (users % 2 == 0) == (rated < items // 2)
    values = np.where(likes, rng.integers(4, 6, len(users)), rng.integers(1, 3, len(users)))
    return Ratings.from_columns(users, rated, values, scale="1..5")


def test_groups_of_like_people_predict_and_random_ones_do_not() -> None:
    recipe = ("microaggregation", {"k": 5, "clustering": "mdav"})
    original = two_tastes()
    context = with_rehearsal(context_of(original, recipe[0], **recipe[1]), recipe[0], **recipe[1])
    found = {
        one.name: one.value
        for one in measure("group-prediction:recommender=factorization").run(context).figures
    }
    assert found["rmse_original"] < found["rmse"] < 1.1
    assert found["rmse_label"] < found["rmse_item_mean"] - 0.2
    assert found["rmse_random"] > 1.3
    assert found["rmse_item_mean"] == pytest.approx(1.6, abs=0.15)


@settings(max_examples=20)
@given(seed=st.integers(0, 500), groups=st.integers(1, 5))
def test_means_are_over_those_who_rated(seed: int, groups: int) -> None:
    known = random_ratings(15, 8, 0.4, seed)
    group_of = np.random.default_rng(seed).integers(-1, groups, known.n_users)
    made = means_over_raters(known, group_of, groups)
    for group in range(groups):
        values_of: dict[int, list[float]] = {}
        for user in np.flatnonzero(group_of == group):
            for item, value in zip(*known.row(int(user)), strict=True):
                values_of.setdefault(int(item), []).append(float(value))
        items, values = made.row(group)
        assert items.tolist() == sorted(values_of)
        assert values.tolist() == pytest.approx(
            [np.mean(values_of[item]) for item in sorted(values_of)]
        )


def test_a_label_predicts_for_members_and_the_mean_where_there_is_none() -> None:
    profiles = from_rows({"g": {"a": 5, "b": 2}, "h": {"a": 3}}, "1..5 continuous")
    profiled = PredictionProfiles(profiles, np.array([0, 1, -1]), np.array([0, 1, -1]))
    probe = Probe(np.array([0, 1, 2, 0]), np.array([0, 1, 0, 2]), np.zeros(4))
    assert label_errors(profiled, probe).tolist() == pytest.approx([5, 2, 4, 10 / 3])
    trained_rows = trained_errors(profiled, probe, ItemMean(), seed=0)
    assert trained_rows.tolist() == pytest.approx([4, 2, 4, 10 / 3])
    assert mean_errors(profiles, Probe(*np.zeros((2, 4), int), np.zeros(4))).tolist() == [4] * 4


def test_random_groups_have_the_same_sizes() -> None:
    known, group_of = random_ratings(30, 10, 0.4), np.repeat(np.arange(5), 6)
    group_of[7] = -1
    mixed = random_groups(group_of, known, np.random.default_rng(0)).group_of
    assert np.array_equal(np.sort(mixed), np.sort(group_of))
    assert mixed[7] == -1
    assert not np.array_equal(mixed, group_of)
