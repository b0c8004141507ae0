"""What speaks for membership only together, and whose score depends on whom."""

from __future__ import annotations

import numpy as np
import pytest

import recloak.attacks.membership
from recloak.attacks import attack
from recloak.attacks._asked_people import AskedGroup
from recloak.attacks._logistic import Logistic
from recloak.attacks._trees import TreeShares
from recloak.attacks.membership import _rates, _scores
from recloak.attacks.membership._features import with_squares
from recloak.attacks.membership._scores import Features, Scores, scores
from recloak.core.arrays import Floats, Mask
from recloak.core.progress import SILENT
from recloak.testing import controlled
from tests.attacks.record_linkage.test_record_linkage import value
from tests.support.control_groups import people_like_movielens

BY_ONE_OF_TWO = 0.75
"""Where trees tell nearly all and the sum nothing, the mean of both tells about 84 of 100."""


def of_one_sign(member: Mask, seed: int) -> Floats:
    """Two features: of members with one sign, of outsiders with different ones."""
    features = np.random.default_rng(seed).normal(size=(len(member), 2))
    features[:, 1] = np.abs(features[:, 1]) * np.sign(features[:, 0]) * np.where(member, 1, -1)
    return features


def as_features(plain: Floats) -> Features:
    return Features(plain, with_squares(plain))


def scored(taught: Features, member: Mask, asked: Features) -> Scores:
    with SILENT.task("") as task:
        return scores(taught, member, asked, np.random.default_rng(0), task)


def test_members_are_told_by_what_speaks_only_together(monkeypatch: pytest.MonkeyPatch) -> None:
    def together(asked: AskedGroup) -> Floats:
        return of_one_sign(asked.people.member, int(asked.people.pair.sum()))

    context = controlled(people_like_movielens(200))
    monkeypatch.setattr(recloak.attacks.membership, "membership_features", together)
    found = attack("membership").run(context)
    monkeypatch.setattr(_scores, "tree_shares", say_nothing)
    by_sums_alone = attack("membership").run(context)
    for name in ("membership", "epsilon_at_least"):
        assert value(found, name) > value(by_sums_alone, name) + 0.1


def say_nothing(examples: Floats, truth: Mask, asked: Floats, *_: object) -> TreeShares:
    return TreeShares(np.zeros(len(examples)), np.zeros(len(asked)))


def test_a_weighted_sum_does_not_tell_them() -> None:
    member = np.arange(800) % 2 == 0
    features = as_features(of_one_sign(member, 1))
    here, there = np.arange(800) < 400, np.arange(800) >= 400
    odds = Logistic.fit(features.of(here).summed, member[here]).odds(features.of(there).summed)
    found = scored(features.of(here), member[here], features.of(there)).asked
    tried = member[there]
    assert _rates(odds[tried], odds[~tried])[0] < 0.6
    assert _rates(found[tried], found[~tried])[0] > BY_ONE_OF_TWO


def test_a_score_is_the_mean_of_two_ranks_among_the_taught() -> None:
    member = np.arange(300) % 3 == 0
    features = as_features(of_one_sign(member, 1) + 0.5 * member[:, None])
    here, there = features.of(np.arange(300) < 200), features.of(np.arange(300) >= 200)
    found = scored(here, member[:200], there)
    fitted = Logistic.fit(here.summed, member[:200])
    with SILENT.task("") as task:
        shares = _scores.tree_shares(
            here.plain, member[:200], there.plain, np.random.default_rng(0), task
        )
    among = (fitted.odds(here.summed), shares.examples)
    for person in (0, 30, 99):
        own = (fitted.odds(there.summed)[person], shares.asked[person])
        ranks = [
            np.mean((others < mine) + 0.5 * (others == mine))
            for mine, others in zip(own, among, strict=True)
        ]
        assert found.asked[person] == pytest.approx(np.mean(ranks))


def test_the_sum_learns_from_those_known_by_other_ratings_too() -> None:
    """Trees do not: they would tell of people on whom they grew."""
    member = np.arange(200) % 2 == 0
    one, other, asked = (as_features(of_one_sign(member, seed)) for seed in (1, 2, 3))
    with SILENT.task("") as task:
        found = scores(one, member, asked, np.random.default_rng(0), task, [other])
        shares = _scores.tree_shares(one.plain, member, asked.plain, np.random.default_rng(0), task)
    both = np.concatenate([one.summed, other.summed])
    odds = Logistic.fit(both, np.concatenate([member, member])).odds
    ranks = _scores._ranks(odds(asked.summed), odds(one.summed))
    ranks += _scores._ranks(shares.asked, shares.examples)
    assert found.asked == pytest.approx(ranks / 2)
    assert not np.allclose(found.asked, scored(one, member, asked).asked)


def test_nobody_is_scored_by_who_else_is_asked() -> None:
    member = np.arange(200) % 2 == 0
    taught, asked = (as_features(of_one_sign(member, seed)) for seed in (2, 3))
    few = np.arange(200) < 5
    assert np.array_equal(
        scored(taught, member, asked.of(few)).asked, scored(taught, member, asked).asked[few]
    )


def test_of_those_equal_half_lie_below() -> None:
    found = _scores._ranks(np.array([0.0, 1, 2, 3]), np.array([2.0, 1, 1, 2]))
    assert found.tolist() == [0, 0.25, 0.75, 1]
