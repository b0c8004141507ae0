"""What a release and familiar people say of a rating, beside the same written out."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.attacks import attack
from recloak.attacks.membership._two_explanations import (
    VARIANCE,
    VARIANCE_OF_LIKES,
    VARIANCE_OF_USUAL,
    TwoExplanations,
)
from recloak.attacks.membership._value_model import ValueModel
from recloak.core.arrays import Floats, Indices
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.testing import controlled, random_ratings
from tests.attacks.record_linkage.test_record_linkage import value
from tests.support.control_groups import people_like_movielens


@pytest.fixture(scope="module")
def rows() -> Ratings:
    return random_ratings(60, 12, 0.5, seed=1)


@pytest.fixture(scope="module")
def both(rows: Ratings) -> TwoExplanations:
    return TwoExplanations.of(ValueModel.of(rows, 1), rows, random_ratings(25, 12, 0.5, seed=2))


def plain_tastes(model: ValueModel, people: Ratings, person: int, variance: float) -> Floats:
    """By solving for each person."""
    items, values = people.row(person)
    likes, apart = model.likes[items], values / people.scale.span - model.usual[items]
    precision = np.eye(likes.shape[1]) + likes.T @ likes / variance
    return np.asarray(np.linalg.solve(precision, likes.T @ apart / variance))


def test_tastes_are_those_of_a_normal_model(rows: Ratings) -> None:
    model = ValueModel.of(rows, 1)
    found, _ = model.tastes(rows, 0.03)
    for person in range(0, 60, 7):
        np.testing.assert_allclose(found[person], plain_tastes(model, rows, person, 0.03))


def test_the_model_by_which_values_were_made_is_found_again() -> None:
    rng = np.random.default_rng(5)
    likes, usual = rng.normal(0, 0.12, 40), rng.normal(0.5, 0.1, 40)
    taste, generous = rng.normal(size=(400, 1)), rng.normal(0, 0.3, (400, 1))
    values = usual + generous + taste * likes + rng.normal(0, 0.05, (400, 40))
    there = rng.random((400, 40)) < 0.5
    people, items = np.nonzero(there)
    rows = Ratings.from_columns(people, items, 8 * values[there], scale=Scale(-8, 16, None))
    found = ValueModel.of(rows, 1)
    third = 8 / rows.scale.span
    assert found.usual == pytest.approx(third * usual, abs=0.03)
    assert found.likes[0, 0] == pytest.approx(third * 0.3, abs=0.02)
    assert abs(np.corrcoef(found.likes[:, 1], likes)[0, 1]) > 0.97


def what_they_say(both: TwoExplanations, familiar: Ratings, item: int, without: int) -> Floats:
    """A ridge regression of what familiar people but one gave, on their tastes."""
    seen = both.model.seen(familiar, VARIANCE)
    precision = np.diag([1 / VARIANCE_OF_USUAL, 1 / VARIANCE_OF_LIKES])
    right = np.zeros(2)
    for at in np.flatnonzero(familiar.items == item):
        if familiar.user_codes()[at] != without:
            tastes = seen.tastes[familiar.user_codes()[at]]
            precision += np.outer(tastes, tastes) / VARIANCE
            right += tastes * seen.apart[at] / VARIANCE
    return np.asarray(np.linalg.solve(precision, right))


def test_familiar_people_say_what_others_of_them_gave(both: TwoExplanations) -> None:
    familiar = random_ratings(25, 12, 0.5, seed=2)
    own = np.array([3, -1, 40])
    items = familiar.items[[3, 7, 40]].astype(np.int64)
    found, _ = both.of_familiar(items, own)
    for place, item in enumerate(items):
        without = familiar.user_codes()[own[place]] if own[place] >= 0 else -1
        said = what_they_say(both, familiar, int(item), int(without))
        np.testing.assert_allclose(found[place], said)


def test_whose_ratings_the_release_explains_better(both: TwoExplanations) -> None:
    """The first figure, written out; and no figure depends on how ratings are put in blocks."""
    familiar, known = random_ratings(25, 12, 0.5, seed=2), random_ratings(8, 12, 0.5, seed=3)
    nobody = np.full(len(known), -1)
    found = both.compared(known, nobody)
    seen = both.model.seen(known, VARIANCE)
    for person in range(8):
        closer = 0.0
        for at in range(known.offsets[person], known.offsets[person + 1]):
            item, tastes = int(known.items[at]), seen.tastes[person]
            said = what_they_say(both, familiar, item, -1) @ tastes
            released = both.model.likes[item, 1:] @ tastes[1:]
            closer += (seen.apart[at] - said) ** 2 - (seen.apart[at] - released) ** 2
        assert found[0][person] == pytest.approx(closer)


def test_ratings_are_compared_in_blocks(
    both: TwoExplanations, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = random_ratings(8, 12, 0.5, seed=3)
    nobody = np.full(len(known), -1)
    whole = both.compared(known, nobody)
    monkeypatch.setattr("recloak.attacks.membership._two_explanations.PRODUCTS_PER_BLOCK", 20)
    np.testing.assert_allclose(both.compared(known, nobody), whole)


def test_who_compares_explanations_tells_members_better(monkeypatch: pytest.MonkeyPatch) -> None:
    people = people_like_movielens(300)
    contexts = [controlled(people, "synthetic", seed, floor=3) for seed in range(2)]
    found = [value(attack("membership").run(one), "membership") for one in contexts]

    def nothing(_: TwoExplanations, known: Ratings, own: Indices) -> list[Floats]:
        return []

    monkeypatch.setattr(TwoExplanations, "compared", nothing)
    without = [value(attack("membership").run(one), "membership") for one in contexts]
    assert np.mean(found) > np.mean(without) + 0.03
