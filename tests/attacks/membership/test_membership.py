"""Membership: is a person in the release at all?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import recloak.attacks.membership
from recloak.attacks import attack
from recloak.attacks._asked_people import asked_groups
from recloak.attacks.membership import _choices
from recloak.attacks.membership._epsilon import (
    THRESHOLDS_BY_FALSE_POSITIVES,
    Decisions,
    epsilon_at_least,
    lower_end,
    upper_end,
)
from recloak.attacks.membership._features import _finite
from recloak.core.errors import ParameterError
from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.testing import AttackContract, controlled, random_ratings
from tests.attacks.record_linkage.test_record_linkage import value
from tests.support.control_groups import of_other_people, people_like_movielens


@pytest.fixture(scope="module")
def people() -> Ratings:
    return people_like_movielens(300)


class TestMembership(AttackContract):
    name = "membership"
    success = "membership"

    def context(self, ratings: Ratings) -> AuditContext:
        return controlled(ratings)

    def test_finds_people_where_only_names_changed(self) -> None:
        finding = self.make().run(controlled(random_ratings(200, 60, 0.3)))
        assert value(finding, "membership") > 0.99
        assert value(finding, "membership_tpr") > 0.9
        assert value(finding, "epsilon_at_least") > 2

    def test_nobody_known_is_not_measured(self, small: Ratings) -> None:
        """Who is who in the release need not be known: it is known in the rehearsal."""
        context = self.context(small)
        nobody = replace(context.linkage, offsets=context.linkage.offsets * 0)
        found = self.make().run(replace(context, linkage=nobody))
        assert found.figures == self.make().run(context).figures

    def test_one_person(self) -> None:
        one = Ratings.from_columns([1] * 5, range(5), [3] * 5, scale="1..5")
        found = self.make().run(controlled(one))
        assert found.figures == ()
        assert "fewer than 10 people" in found.notes[0]


def test_nobody_is_told_apart_by_a_release_of_other_people() -> None:
    for seed in range(3):
        finding = attack("membership").run(of_other_people(seed), seed)
        assert 0.38 <= value(finding, "membership") <= 0.62
        assert value(finding, "epsilon_at_least") == 0


def test_more_knowledge_and_smaller_groups_tell_more(people: Ratings) -> None:
    contexts = [controlled(people, "microaggregation", k=k) for k in (3, 30)]
    small, large = (value(attack("membership").run(one), "membership") for one in contexts)
    little = value(attack("membership:known=3").run(contexts[0]), "membership")
    assert large < small
    assert little < small


def test_who_tries_other_ratings_of_people_they_know_tells_members_better(
    people: Ratings, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, knows_eight = controlled(people, "microaggregation", k=5), attack("membership:known=8")
    found = [value(knows_eight.run(context, seed), "membership") for seed in range(3)]
    monkeypatch.setattr(recloak.attacks.membership, "MOST_CHOICES", 1)
    without = [value(knows_eight.run(context, seed), "membership") for seed in range(3)]
    assert np.mean(found) > np.mean(without) + 0.01


@pytest.mark.parametrize(
    ("name", "known", "choices"),
    [("microaggregation", 8, 4), ("microaggregation", 0, 1), ("fragmentation", 8, 1)],
)
def test_there_are_others_only_where_that_is_quick(
    people: Ratings, monkeypatch: pytest.MonkeyPatch, name: str, known: int, choices: int
) -> None:
    groups = asked_groups(controlled(people, name), known, 0, SILENT)
    assert _choices(groups, known) == choices
    count = sum(len(asked.people) for asked in groups)
    monkeypatch.setattr(recloak.attacks.membership, "MOST_EXAMPLES", 2 * count)
    assert _choices(groups, known) == min(choices, 2)
    monkeypatch.setattr(recloak.attacks.membership, "MOST_EXAMPLES", count - 1)
    assert _choices(groups, known) == 1


def test_each_choice_knows_others(people: Ratings) -> None:
    context = controlled(people)
    first, other = (asked_groups(context, 8, 0, SILENT, choice=one)[0].people for one in (0, 1))
    assert first.ratings.equals(other.ratings)
    assert first.known.sum() == other.known.sum()
    assert (first.known & other.known).sum() < 0.5 * first.known.sum()


def test_what_ran_before_makes_no_difference(people: Ratings) -> None:
    """What is known of people follows from the seed and how much is known alone."""
    alone = attack("membership:known=5").run(controlled(people, "microaggregation", k=5))
    context = controlled(people, "microaggregation", k=5)
    for before in ("inference:known=5", "membership", "membership:known=8"):
        attack(before).run(context)
    assert attack("membership:known=5").run(context).figures == alone.figures


def counted(inside: int, outside: int, people: int = 1000) -> Decisions:
    """The same decisions at every threshold."""
    many = len(THRESHOLDS_BY_FALSE_POSITIVES)
    return Decisions((inside,) * many, (outside,) * many, people, people)


def test_epsilon_is_the_ratio_of_the_surest_rates() -> None:
    error = 0.05 / (4 * len(THRESHOLDS_BY_FALSE_POSITIVES))
    surely, at_most = lower_end(500, 1000, error), upper_end(50, 1000, error)
    assert epsilon_at_least(counted(500, 50), 0) == pytest.approx(np.log(surely / at_most))
    assert epsilon_at_least(counted(500, 50), 0.1) < epsilon_at_least(counted(500, 50), 0)
    # nobody who is a member is missed: what speaks is who is not called
    assert epsilon_at_least(counted(1000, 500), 0) > 3


def test_epsilon_is_nothing_where_rates_are_equal() -> None:
    assert epsilon_at_least(counted(100, 100), 0) == 0
    assert epsilon_at_least(counted(0, 0), 0) == 0


def test_ends_hold_what_a_binomial_allows() -> None:
    from scipy import stats

    low, high = lower_end(7, 50, 0.025), upper_end(7, 50, 0.025)
    assert stats.binom.sf(6, 50, low) == pytest.approx(0.025)
    assert stats.binom.cdf(7, 50, high) == pytest.approx(0.025)


@pytest.mark.parametrize("spec", ["membership:known=-1", "membership:delta=1", "membership:k=3"])
def test_bad_settings_are_refused(spec: str) -> None:
    with pytest.raises(ParameterError):
        attack(spec)


def test_what_is_impossible_counts_as_the_worst_that_is_possible() -> None:
    """Rows that cannot be somebody's have a score of minus infinity, which no fit can bear."""
    features = np.array([[1.0, -np.inf, np.nan], [3.0, 2.0, np.nan], [np.inf, np.nan, np.nan]])
    assert _finite(features).tolist() == [[1.0, 2.0, 0.0], [3.0, 2.0, 0.0], [3.0, 2.0, 0.0]]
