"""The attacker who takes many rows: what is known links them by itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import recloak
from recloak.attacks import attack
from recloak.attacks._gains import TrialOutcomes
from recloak.attacks._logistic import Logistic, chances
from recloak.attacks.scoreboard_multi._multi_row_attacker import AttackerOutcomes, strongest_of_each
from recloak.auditing.rehearsal import rehearser
from recloak.core.errors import InputError
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, match_items
from recloak.methods import method
from recloak.releases.linkage import Linkage
from recloak.testing import AttackContract, context_of, random_ratings, rehearsable
from tests.attacks.record_linkage.test_record_linkage import value

SPEC = "scoreboard-multi"


class TestScoreboardMulti(AttackContract):
    name = SPEC
    parameters = {"known": 5}


class TestLearned(AttackContract):
    name = SPEC
    parameters = {"known": 4, "at_least": 50, "width": 0.2}

    def context(self, ratings: Ratings) -> AuditContext:
        return rehearsable(ratings, fragments=2) if len(ratings) else context_of(ratings)


def fragments() -> AuditContext:
    return rehearsable(random_ratings(160, 70, 0.4), fragments=4, target_support=30)


def test_joining_rows_gains_more_than_one_row() -> None:
    finding = attack(f"{SPEC}:known=12,width=0.05").run(fragments())
    assert value(finding, "gain") > 1.2 * value(finding, "gain_repeated")
    assert value(finding, "gain_repeated") >= value(finding, "gain_single")
    assert value(finding, "success") > value(finding, "success_single")
    assert value(finding, "item_precision") > 0.8
    assert value(finding, "gain") <= value(finding, "gain_original")
    assert 0.9 * value(finding, "gain") < value(finding, "gain_values") <= value(finding, "gain")


def test_he_learns_from_other_people_than_he_attacks() -> None:
    context, asked = fragments(), []
    made = context.rehearse
    assert made is not None

    def rehearse(users: np.ndarray, seed: int, progress: Progress) -> AuditContext:
        asked.append(users)
        return made(users, seed, progress)

    finding = attack(f"{SPEC}:known=12,share=0.3,width=0.05").run(
        replace(context, rehearse=rehearse)
    )
    assert 0.15 < len(asked[0]) / context.original.n_users < 0.45
    assert "30% of all" in " ".join(finding.notes)
    nobody = Linkage.from_pairs(asked[0], asked[0] * 0, context.original.n_users, "mapping", "few")
    known = replace(context, rehearse=rehearse, linkage=two_rows(nobody))
    assert attack(f"{SPEC}:known=12,share=0.3,width=0.05").run(known).figures == ()


def two_rows(linkage: Linkage) -> Linkage:
    """The same people, each with two rows."""
    return replace(linkage, offsets=linkage.offsets * 2, rows=np.tile([0, 1], len(linkage.rows)))


def test_without_the_method_scoreboard_rh_is_repeated() -> None:
    finding = attack(f"{SPEC}:known=12,width=0.05").run(replace(fragments(), rehearse=None))
    assert value(finding, "gain") == value(finding, "gain_repeated")
    assert "It is not known how the release was made" in " ".join(finding.notes)


def test_a_method_that_refuses_fewer_people_is_told() -> None:
    def refuse(users: np.ndarray, seed: int, progress: Progress) -> AuditContext:
        raise InputError("too few people")

    finding = attack(f"{SPEC}:known=12,width=0.05").run(replace(fragments(), rehearse=refuse))
    assert finding.figures
    assert "too few people" in " ".join(finding.notes)


def test_wrong_ratings_cost_him_something_and_do_not_stop_him() -> None:
    right, wrong = (
        attack(f"{SPEC}:known=12,width=0.05,wrong={share}").run(fragments()) for share in (0, 0.2)
    )
    assert value(right, "gain") > value(wrong, "gain") > value(wrong, "gain_single")
    assert "items alone" not in " ".join(right.notes)


def test_where_no_value_is_right_the_items_give_people_away() -> None:
    """Their rehearsal shows that values mislead, and they take rows by their items."""
    finding = attack(f"{SPEC}:known=12,width=0.05,wrong=1").run(fragments())
    assert value(finding, "success") > 0.5
    assert value(finding, "gain") > 1.2 * value(finding, "gain_repeated") > 0
    assert "by items alone" in " ".join(finding.notes)


def private_ones(people: Ratings) -> AuditContext:
    """Two rows for each person, with items of even and of odd names."""
    row = people.user_codes() * 2 + people.item_labels[people.items] % 2
    items = people.item_labels[people.items]
    rows = Ratings.from_columns(row, items, people.values, scale="1..5")
    owners, users = rows.user_labels // 2, people.n_users
    linkage = Linkage.from_pairs(owners, np.arange(rows.n_users), users, "mapping", "by hand")
    return AuditContext(people, rows, linkage, match_items(people, rows))


def test_a_single_known_rating_that_is_likely_wrong_is_known_to_be() -> None:
    """A row that holds one known rating, and that with another value, is not even looked at."""
    rng = np.random.default_rng(0)
    items = [[1000 + 8 * one + at for at in range(8)] + list(range(2)) for one in range(120)]
    users = np.repeat(np.arange(120), 10)
    people = Ratings.from_columns(
        users, np.concatenate(items), rng.integers(1, 6, 1200), scale="1..5"
    )

    def rehearse(chosen: np.ndarray, seed: int, progress: Progress) -> AuditContext:
        return private_ones(people.take_users(chosen).compact())

    context = replace(private_ones(people), rehearse=rehearse)
    rates = [
        value(attack(f"{SPEC}:known=1,width=0.1,wrong={wrong}").run(context), "success")
        for wrong in (0.5, 0.9, 1)
    ]
    assert min(rates) > 0.7


def test_one_row_is_reported_where_further_ones_mislead() -> None:
    """Half of the ratings are not published, and nearly everyone has one row."""
    people = random_ratings(150, 200, 0.08, seed=3)
    kept = people.keep(np.random.default_rng(0).random(len(people)) < 0.5)
    own = np.arange(people.n_users)
    pairs = (np.append(own, 0), np.append(own, 1))
    linkage = Linkage.from_pairs(*pairs, people.n_users, "mapping", "by hand")
    context = AuditContext(people, kept, linkage, match_items(people, kept))
    finding = attack(f"{SPEC}:known=8,width=0.05").run(context)
    assert value(finding, "gain") == value(finding, "gain_single")
    assert value(finding, "item_precision") > 0.9
    assert "reported, once" in " ".join(finding.notes)


def test_whoever_takes_everything_is_not_the_strongest() -> None:
    """More true items come with many more false ones: that is no knowledge."""
    few, many = (outcome(gain, false) for gain, false in ((8.0, 1.0), (9.0, 20.0)))
    none = TrialOutcomes(*(np.empty(0) for _ in TrialOutcomes._fields))
    best = strongest_of_each(
        [AttackerOutcomes(many, few, many, few), AttackerOutcomes(none, many, few, many)]
    )
    assert all(one is wanted for one, wanted in zip(best, (many, few, few, few), strict=True))


def outcome(gain: float, false_items: float) -> TrialOutcomes:
    one, zero = np.ones(2), np.zeros(2)
    return TrialOutcomes(one, zero, zero, gain * one, gain * one, false_items * one)


def test_who_knows_nobody_learns_nothing() -> None:
    finding = attack(f"{SPEC}:known=12,width=0.05,share=0").run(fragments())
    assert "The adversary knows nobody else" in " ".join(finding.notes)
    assert value(finding, "gain") == value(finding, "gain_repeated")


def test_values_that_are_not_published_leave_the_items() -> None:
    ratings = random_ratings(160, 70, 0.4)
    seen = Ratings.from_columns(
        ratings.user_labels[ratings.user_codes()], ratings.item_labels[ratings.items]
    )
    finding = attack(f"{SPEC}:known=12,width=0.1").run(
        rehearsable(seen, fragments=4, target_support=30)
    )
    assert value(finding, "gain") >= value(finding, "gain_repeated")


def test_a_rehearsal_is_made_once_for_the_same_people() -> None:
    ratings = random_ratings(40, 30, 0.4)
    rehearse = rehearser(ratings, method("pseudonymize"))
    few, more = np.arange(10), np.arange(20)
    first = rehearse(few, 1, recloak.core.progress.SILENT)
    assert rehearse(few, 1, recloak.core.progress.SILENT) is first
    assert first.original.n_users == first.rows.n_users == 10
    assert rehearse(more, 1, recloak.core.progress.SILENT).original.n_users == 20


def test_logistic_regression_finds_the_odds() -> None:
    rng = np.random.default_rng(0)
    features = rng.normal(3, 5, (20_000, 2))
    odds = 0.7 * features[:, 0] - 0.2 * features[:, 1] - 1
    model = Logistic.fit(features, rng.random(len(odds)) < chances(odds))
    assert model.odds(np.array([[1.0, 1.0], [0.0, 0.0]])) == pytest.approx([-0.5, -1], abs=0.15)
    rare = rng.random(200_000) < 0.01
    traits = rare[:, None] + rng.normal(0, 0.5, (len(rare), 1))
    assert chances(Logistic.fit(traits, rare).odds(traits)).mean() == pytest.approx(0.01, rel=0.1)
    apart = Logistic.fit(np.array([[0.0, 5.0], [1.0, 5.0]]), np.array([False, True]))
    assert np.isfinite(apart.weights).all()


def halves(ratings: Ratings, fragments: float, seed: int) -> AuditContext:
    """A release of one half of the people; the adversary makes one of the other half."""
    order = np.random.default_rng(seed).permutation(ratings.n_users)
    half = ratings.n_users // 2
    recipe = method("fragmentation", fragments=fragments, target_support=250, training="paper")
    mine, theirs = (
        released(ratings.take_users(np.sort(users)), recipe, seed)
        for users in (order[:half], order[half:])
    )
    return replace(theirs, rehearse=lambda users, seed, progress: mine)


def released(ratings: Ratings, recipe: recloak.Method, seed: int) -> AuditContext:
    applied = recipe.apply(ratings, Randomness.from_seed(seed))
    rows = applied.release.as_ratings()
    linkage = applied.secret.linkage(ratings, rows)
    return AuditContext(ratings, rows, linkage, match_items(ratings, rows))


@pytest.mark.real
@pytest.mark.parametrize(
    ("fragments", "single", "many", "success_single", "success"),
    [
        (4.74, 54, 102, 0.875, 0.998),
        (10.53, 32, 65, 0.740, 0.989),
        (18.95, 16, 37, 0.609, 0.968),
    ],
)
def test_the_table_of_the_prototype(
    real_data: Path,
    fragments: float,
    single: float,
    many: float,
    success_single: float,
    success: float,
) -> None:
    """ml-1m in halves, 20 ratings known, three seeds; the prototype had one seed, 800 attacks."""
    ratings = recloak.read(real_data / "ml-1m")
    findings = [
        attack(f"{SPEC}:known=20,share=0.01,at-least=2000").run(
            halves(ratings, fragments, seed), seed
        )
        for seed in range(3)
    ]

    def mean(name: str) -> float:
        return float(np.mean([value(finding, name) for finding in findings]))

    assert mean("gain") == pytest.approx(many, rel=0.1)
    assert mean("gain_single") == pytest.approx(single, rel=0.15)
    assert mean("success") == pytest.approx(success, abs=0.015)
    assert mean("success_single") == pytest.approx(success_single, abs=0.06)
    assert mean("item_precision") > 0.9
