from __future__ import annotations

import numpy as np
import pytest

from recloak.core.ratings import Ratings
from recloak.measures import measure
from recloak.measures.fidelity import Fidelity
from recloak.simulation import synthesize
from recloak.testing import MeasureContract, context_of, random_ratings


class TestFidelity(MeasureContract):
    name = "fidelity"
    needs_rehearsal = False
    exact = tuple(figure.name for figure in Fidelity.figures)


def found(original: Ratings, method: str, **parameters: object) -> dict[str, float]:
    context = context_of(original, method, **parameters)
    return {one.name: one.value for one in measure("fidelity").run(context).figures}


@pytest.fixture(scope="module")
def people() -> Ratings:
    return synthesize("ml-100k", users=500, items=200, ratings=20_000, seed=1)


def test_real_rows_look_as_real_as_a_fresh_sample(people: Ratings) -> None:
    figures = found(people, "pseudonymize")
    assert len(figures) == 10
    for name in ("popularity", "lift", "item_means"):
        assert figures[name] >= figures[f"{name}_sample"] - 0.01
    for name in ("row_sizes", "levels"):
        assert figures[name] <= figures[f"{name}_sample"] + 0.01


def test_values_that_were_changed_show_in_levels_alone(people: Ratings) -> None:
    plain = found(people, "pseudonymize")
    noisy = found(people, "gaussian-noise", sigma=1.5, rounding="step")
    assert noisy["levels"] > plain["levels"] + 0.05
    assert noisy["item_means"] < plain["item_means"]
    for name in ("popularity", "row_sizes", "lift"):
        assert noisy[name] == plain[name]


def test_items_rated_apart_show_in_lift_alone() -> None:
    rng = np.random.default_rng(1)
    kind = rng.integers(0, 2, 600)
    chance = np.where((np.arange(60) % 2)[None, :] == kind[:, None], 0.5, 0.1)
    users, items = np.nonzero(rng.random((600, 60)) < chance)
    original = Ratings.from_columns(users, items, rng.integers(1, 6, len(users)), scale="1..5")
    independent = np.nonzero(rng.random((600, 60)) < 0.3)
    apart = Ratings.from_columns(
        independent[0], independent[1], rng.integers(1, 6, len(independent[0])), scale="1..5"
    )
    context = context_of(original)
    context = type(context)(original, apart, context.linkage, np.arange(60))
    figures = {one.name: one.value for one in measure("fidelity").run(context).figures}
    assert figures["lift_sample"] > 0.8
    assert abs(figures["lift"]) < 0.2


def test_implicit_data_have_no_levels() -> None:
    some = random_ratings()
    bought = Ratings.from_columns(some.user_codes(), some.items, scale="implicit")
    assert set(found(bought, "pseudonymize")) == {
        "popularity",
        "popularity_sample",
        "row_sizes",
        "row_sizes_sample",
        "lift",
        "lift_sample",
    }
