"""Somebody beside people whom the adversary knows, and what that is worth."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.attacks import attack
from recloak.attacks._asked_people import AskedGroup, asked_groups
from recloak.attacks.membership._familiar_people import FamiliarPeople
from recloak.attacks.membership._leading_directions import MadeUpRows
from recloak.core.arrays import Floats
from recloak.core.progress import SILENT
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


def test_the_means_of_items_beside_those_of_others(asked: AskedGroup) -> None:
    familiar, model = known_by(asked, [2, 5, 9]), MadeUpRows.of(asked)
    assert model is not None
    known, theirs = asked.people.known_ratings, familiar.ratings
    own = np.array([1 if person == 5 else -1 for person in known.user_codes()])
    sums, counts = familiar._without_own(model, known, own)
    liked = model_departures(asked, familiar)
    for at in range(0, len(known), 7):
        here = theirs.items == known.items[at]
        here &= theirs.user_codes() != own[at]
        assert counts[at] == here.sum()
        assert sums[at] == pytest.approx(liked[here].sum())


def model_departures(asked: AskedGroup, familiar: FamiliarPeople) -> Floats:
    """What familiar people gave beside the item's usual rating and their own."""
    model = MadeUpRows.of(asked)
    assert model is not None
    theirs = familiar.ratings
    apart = theirs.values - model.usual[theirs.items]
    for person in range(theirs.n_users):
        own = theirs.user_codes() == person
        apart[own] -= apart[own].sum() / (own.sum() + 3)
    return np.asarray(apart)


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
