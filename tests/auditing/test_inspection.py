from __future__ import annotations

import numpy as np
import pytest

from recloak.auditing.inspection import inspect
from recloak.core.ratings import Ratings
from recloak.testing import Recorder, empty_ratings, from_rows, random_ratings


def test_tells_the_shape(small: Ratings) -> None:
    found = inspect(small)
    assert (found.users, found.items, found.ratings) == (60, 40, len(small))
    assert sum(found.histogram.values()) == len(small)
    assert list(found.histogram) == ["1", "2", "3", "4", "5"]
    assert found.user_tail.most == small.user_counts.max()
    assert found.item_tail.mean == pytest.approx(small.item_support.mean())
    assert found.to_dict()["users"] == 60


def test_counts_who_is_alone() -> None:
    found = inspect(
        from_rows(
            {"u": {"a": 1, "b": 2}, "v": {"a": 1, "b": 2}, "w": {"a": 1, "b": 5}, "x": {"c": 1}}
        )
    )
    assert found.alone_in_items == 0.25
    assert found.alone_in_ratings == 0.5
    by_known = {step.known: step for step in found.singled_out}
    assert by_known[2].items.value == 0.25
    assert by_known[2].values.value == 0.5
    assert by_known[4].values.value == 0.5


def test_the_rarest_items_tell_more() -> None:
    found = inspect(random_ratings(300, 60, 0.2))
    for step in found.singled_out:
        assert step.rarest_items.value >= step.items.value
        assert step.values.value >= step.items.value


def test_even_counts_have_no_inequality_and_one_owner_has_all() -> None:
    even = Ratings.from_columns(np.repeat(np.arange(10), 5), np.tile(np.arange(5), 10), [3] * 50)
    assert inspect(even).user_tail.gini == pytest.approx(0)
    skewed = Ratings.from_columns(
        [0] * 91 + list(range(1, 10)), list(range(91)) + [0] * 9, [2] * 100
    )
    assert inspect(skewed).user_tail.top_tenth_share == pytest.approx(0.91)
    assert inspect(skewed).user_tail.gini > 0.7


def test_continuous_scales_are_shown_in_ten_parts() -> None:
    values = np.random.default_rng(0).uniform(-10, 10, 100)
    ratings = Ratings.from_columns(
        np.arange(100), np.zeros(100), values, scale="-10..10 continuous"
    )
    assert len(inspect(ratings).histogram) == 10


def test_times_and_repeatability() -> None:
    timed = random_ratings(times=True)
    found = inspect(timed, seed=4)
    assert timed.times is not None
    assert found.times == (timed.times.min(), timed.times.max())
    assert found == inspect(timed, seed=4)
    assert "singled out" in repr(found)


def test_empty_data_and_progress() -> None:
    assert inspect(empty_ratings()).users == 0
    recorder = Recorder()
    inspect(random_ratings(), progress=recorder)
    assert recorder.steps > 0
