"""Somebody beside people whom the adversary knows, and what that is worth."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from recloak.attacks import attack
from recloak.attacks._asked_people import AskedGroup, asked_groups
from recloak.attacks.membership._familiar_people import FamiliarPeople
from recloak.attacks.membership._leading_directions import MadeUpRows
from recloak.core.arrays import Floats, match_labels
from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings
from recloak.releases.ratings import RatingsRelease
from recloak.testing import controlled
from tests.attacks.record_linkage.test_record_linkage import value
from tests.support.control_groups import people_like_movielens


@pytest.fixture(scope="module")
def asked() -> AskedGroup:
    return asked_groups(controlled(people_like_movielens(150), "synthetic", floor=3), 0, 0, SILENT)[
        0
    ]


def known_by(asked: AskedGroup, people: list[int]) -> FamiliarPeople:
    some = np.isin(np.arange(len(asked.people)), people)
    return FamiliarPeople.of([asked], [some])


def test_everybody_is_known_once(asked: AskedGroup) -> None:
    everybody = np.ones(len(asked.people), np.bool_)
    found = FamiliarPeople.of([asked, asked], [everybody, everybody]).ratings
    assert found.n_users == len(np.unique(found.user_labels)) == len(asked.people)


def test_nobody_is_compared_with_themselves(asked: AskedGroup) -> None:
    """So it says the same of somebody whether or not the adversary knows them, too."""
    others = [2, 5, 9]
    without, beside = known_by(asked, others), known_by(asked, [4, *others])
    np.testing.assert_allclose(beside.features(asked)[4], without.features(asked)[4])
    assert not np.allclose(beside.features(asked)[3], without.features(asked)[3])


def test_nor_are_they_by_how_famous_their_items_are(asked: AskedGroup) -> None:
    familiar, model = known_by(asked, [2, 5, 9]), MadeUpRows.of(asked)
    assert model is not None
    known, theirs, rows = asked.people.known_ratings, familiar.ratings, model.rows
    own = match_labels(known.user_labels, theirs.user_labels)
    found = familiar._more_famous(model, known, familiar._own_ratings(known, own))
    for person in (4, 5):
        others = [one for one in range(3) if one != own[person]]
        gained, weights = 0.0, 0.0
        for item in known.row(person)[0]:
            released = summed_weight(rows, item, range(rows.n_users))
            if released > 0:
                share = summed_weight(theirs, item, others) + 5 * released / rows.n_users
                expected = rows.n_users * share / (len(others) + 5)
                spread = released + expected + expected * rows.n_users / (len(others) + 5)
                gained += (released - expected) / spread
                weights += 1 / spread
        assert found[person] == pytest.approx(gained / weights**0.5)


def summed_weight(people: Ratings, item: int, some: Iterable[int]) -> float:
    """What some people who rated an item count, each as 1/√ratings."""
    return sum(people.user_counts[one] ** -0.5 for one in some if item in people.row(one)[0])


def test_of_rows_of_people_nothing_is_computed() -> None:
    asked = asked_groups(controlled(people_like_movielens(100)), 0, 0, SILENT)[0]
    assert known_by(asked, [1]).features(asked).shape == (len(asked.people), 0)


def test_who_knows_people_tells_members_better(monkeypatch: pytest.MonkeyPatch) -> None:
    people = people_like_movielens(300)
    contexts = [controlled(people, "synthetic", seed, floor=3) for seed in range(2)]
    found = [value(attack("membership").run(one), "membership") for one in contexts]
    monkeypatch.setattr(FamiliarPeople, "features", no_columns)
    without = [value(attack("membership").run(one), "membership") for one in contexts]
    assert np.mean(found) > np.mean(without) + 0.015


def no_columns(familiar: FamiliarPeople, asked: AskedGroup) -> Floats:
    return np.zeros((len(asked.people), 0))


def test_a_copy_among_made_up_rows_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who makes rows up may say so of copies."""
    monkeypatch.setattr(RatingsRelease, "made_up", True)
    found = attack("membership").run(controlled(people_like_movielens(150)))
    assert value(found, "membership") > 0.95
