from __future__ import annotations

import numpy as np
import pytest

from recloak.core.randomness import Randomness
from recloak.evaluation.context import AuditContext, match_items
from recloak.measures import information_change, measure
from recloak.testing import MeasureContract, context_of, from_rows, random_ratings
from tests.attacks.test_profile_inversion import by_hand
from tests.support.split_by_item import SplitByItem


class TestInformationChange(MeasureContract):
    name = "information-change"
    needs_rehearsal = False
    exact = ("fake_ratio",)


def figures(context: AuditContext) -> dict[str, float]:
    found = measure("information-change").run(context)
    return {one.name: one.value for one in found.figures}


def test_by_hand() -> None:
    original = from_rows({"u": {"a": 5, "b": 2}, "v": {"a": 3}, "w": {"c": 1, "d": 4}})
    profiles = {"g": {"a": 4, "b": 2}, "h": {"c": 1.5}}
    group_of = {"u": "g", "v": "g", "w": "h"}
    context = by_hand(original, group_of, profiles, {"g": 2, "h": 1}, None)
    assert figures(context) == {
        "label_rmse": pytest.approx(np.sqrt((1 + 0 + 1 + 0.25) / 4)),
        "fake_ratio": pytest.approx(1 / 4),  # v never rated b
        "hidden": pytest.approx(1 / 5),  # d
    }


def test_of_very_many_ratings_those_of_some_people_are_looked_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    context = context_of(random_ratings(400, 30, 0.4), "fragmentation", fragments=3)
    whole = figures(context)
    monkeypatch.setattr(information_change, "MOST_RATINGS", context.original.n_ratings // 4)
    found = measure("information-change").run(context)
    assert "100 people, drawn at random" in found.notes[-1]
    assert 0 < found.sample < context.original.n_ratings / 3
    assert measure("information-change").run(context, seed=1).sample != found.sample, "drawn"
    assert {one.name: one.value for one in found.figures} == pytest.approx(whole, abs=0.05)
    noisy = context_of(random_ratings(400, 30, 0.4), "gaussian-noise", sigma=1.0)
    (error,) = (one for one in measure("information-change").run(noisy).figures[:1])
    assert error.value == pytest.approx(0.85, abs=0.1), "what is looked up is the person's own"


def test_new_names_change_nothing() -> None:
    assert figures(context_of(random_ratings())) == {"label_rmse": 0, "fake_ratio": 0, "hidden": 0}


def test_noise_is_what_labels_are_off_by() -> None:
    original = random_ratings(150, 40, 0.3)
    context = context_of(original, "gaussian-noise", sigma=1.0)
    assert figures(context)["label_rmse"] == pytest.approx(0.85, abs=0.2)
    assert figures(context)["hidden"] == 0


def test_ratings_are_found_in_any_of_a_persons_rows() -> None:
    original = random_ratings(50)
    applied = SplitByItem(3).apply(original, Randomness.from_seed(1))
    rows = applied.release.as_ratings()
    linkage = applied.secret.linkage(original, rows)
    context = AuditContext(
        original, rows, linkage, match_items(original, rows), release=applied.release
    )
    assert figures(context) == {"label_rmse": 0, "fake_ratio": 0, "hidden": 0}
