"""Inference: facts stated about members, beside as many about people who are not there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import recloak
from recloak.attacks import attack
from recloak.attacks._asked_people import asked_groups
from recloak.attacks.inference import _asking
from recloak.attacks.inference._asking import Answers
from recloak.attacks.inference._confidence import Confidence
from recloak.attacks.inference._figures import _worst_off, too_few_worst_off
from recloak.attacks.inference._precision import PrecisionCurve
from recloak.attacks.inference._stated_items import StatedItems
from recloak.attacks.inference._statements import Statements
from recloak.core.arrays import Floats
from recloak.core.errors import ParameterError
from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.testing import AttackContract, controlled, random_ratings
from tests.attacks.record_linkage.test_record_linkage import value
from tests.support.control_groups import of_other_people, people_like_movielens

SPEC = "inference:known=10,worst_tenth=no"


@pytest.fixture(scope="module")
def people() -> Ratings:
    return people_like_movielens(300)


class TestInference(AttackContract):
    name = "inference"
    success = "ap_values"

    def context(self, ratings: Ratings) -> AuditContext:
        return controlled(ratings)

    def test_finds_people_where_only_names_changed(self) -> None:
        """Everything is stated of members, while little is known of the others."""
        finding = self.make().run(controlled(random_ratings(200, 60, 0.3)))
        assert value(finding, "ap_items") > 0.95
        assert value(finding, "ap_values") > 0.95
        assert value(finding, "excess") > 0.6

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


def test_without_the_method_there_is_no_control_group(people: Ratings) -> None:
    found = attack(SPEC).run(replace(controlled(people), control=None))
    assert found.figures == ()
    assert "cannot be rehearsed" in found.notes[0]


def test_a_method_that_cannot_run_on_fewer_people_is_not_measured(people: Ratings) -> None:
    context = controlled(people, "microaggregation", k=5)
    without = controlled(people, "microaggregation", k=290).control
    found = attack(SPEC).run(replace(context, control=without))
    assert found.figures == ()
    assert "cannot run on nine of ten people" in found.notes[0]


def test_an_unprotected_release_gives_nearly_everything_away() -> None:
    """Where people have little in common, what is stated of outsiders is hardly ever true."""
    finding = attack(SPEC).run(controlled(random_ratings(200, 600, 0.06)))
    assert value(finding, "excess_items") > 0.9
    assert value(finding, "excess_values") > 0.95


@pytest.mark.parametrize("seed", range(3))
def test_a_release_of_other_people_gives_nothing_away(seed: int) -> None:
    excess = attack(SPEC).run(of_other_people(seed), seed).figure("excess_items")
    assert excess is not None
    assert excess.low is not None
    assert excess.high is not None
    assert excess.low - 0.02 <= 0 <= excess.high + 0.02


@pytest.mark.slow
def test_intervals_of_excess_hold_nothing_in_18_of_20_draws() -> None:
    held = 0
    for seed in range(20):
        finding = attack(SPEC).run(of_other_people(seed), seed)
        figures = [finding.figure(name) for name in ("excess_items", "excess_values")]
        held += all(one is not None and one.low <= 0 <= one.high for one in figures)  # type: ignore[operator]
    assert held >= 18


def test_more_knowledge_gives_more_away(people: Ratings) -> None:
    context = controlled(people, "gaussian-noise", sigma=1.5)
    few, many = (attack(f"inference:known={known},worst_tenth=no") for known in (2, 12))
    assert value(few.run(context), "excess") < value(many.run(context), "excess")


def test_stronger_noise_gives_less_away(people: Ratings) -> None:
    found = [
        value(attack(SPEC).run(controlled(people, "gaussian-noise", sigma=sigma)), "excess_values")
        for sigma in (0.2, 1, 4)
    ]
    assert found == sorted(found, reverse=True)


def test_larger_groups_give_less_away(people: Ratings) -> None:
    found = [
        value(attack(SPEC).run(controlled(people, "microaggregation", k=k)), "excess_items")
        for k in (2, 5, 30)
    ]
    assert found == sorted(found, reverse=True)


def test_who_claims_90_percent_is_right_in_about_as_many() -> None:
    """Of all statements: in some of these releases hardly any is made with such a confidence."""
    sure = np.zeros(2)
    for seed in range(3):
        people = people_like_movielens(300, seed)
        releases = (
            controlled(people, "microaggregation", k=2),
            controlled(people, "gaussian-noise", sigma=1.5),
        )
        for one in releases:
            sure += _asking.answers_about(one, 10, seed, SILENT).sure.sum(axis=1)
    true, made = sure
    assert 0.85 <= true / made <= 0.95


def test_the_worst_off_tenth_is_given_away_more(people: Ratings) -> None:
    finding = attack("inference:known=10").run(controlled(people, "microaggregation", k=3))
    worst = finding.figure("excess_worst_tenth")
    assert worst is not None
    assert worst.value > value(finding, "excess_items")


def test_outsiders_beside_the_worst_off_have_about_as_many_ratings() -> None:
    """Facts about people with many ratings come true more often, whoever they are."""
    few, many = [2.0] * 30, [40.0] * 30
    rows = [*few, *many, *few, *many]
    exposed = np.linspace(0, 0.01, 120)
    exposed[[3, 7, 11, 15, 19, 23]] = 0.5  # members with few ratings
    exposed[[90, 95, 100, 105, 110, 115]] = 0.4  # outsiders with many
    answers = answers_with(exposed, np.array(rows))
    inside, outside = _worst_off(answers)
    assert sorted(inside) == [3, 7, 11, 15, 19, 23]
    # of ten with as many ratings the one about whom rows tell most, nobody twice
    assert outside.tolist() == [69, 70, 71, 72, 73, 74]


def answers_with(exposed: Floats, ratings: Floats) -> Answers:
    """Answers by which rows tell so much of each of these people, who have so many ratings."""
    made = np.stack([ratings, ratings / 0.25 - ratings], axis=1)
    true = np.stack([ratings * (0.5 + exposed), ratings * (0.5 - exposed)], axis=1)
    general = PrecisionCurve(made, np.stack([ratings / 2, ratings / 2], axis=1))
    curve = PrecisionCurve(made, true)
    return Answers(curve, general, curve, np.zeros((2, len(ratings))), len(ratings) // 2, ())


def test_a_tenth_of_few_people_says_so(people: Ratings) -> None:
    attacks = attack("inference:known=10")
    small = attacks.run(controlled(people_like_movielens(80)))
    assert "The worst-off tenth are only 4 people of each side" in " ".join(small.notes)
    assert value(small, "excess_worst_tenth") > 0.5
    enough = answers_with(np.zeros(400), np.ones(400))
    assert too_few_worst_off(enough) == ()


@pytest.mark.parametrize("seed", range(3))
def test_the_worst_off_of_a_release_of_other_people_are_not_given_away(seed: int) -> None:
    worst = attack("inference:known=10").run(of_other_people(seed), seed)
    figure = worst.figure("excess_worst_tenth")
    assert figure is not None
    assert figure.low is not None
    assert figure.high is not None
    assert figure.low - 0.03 <= 0 <= figure.high + 0.03


def test_data_without_values_are_told_by_items_alone() -> None:
    ratings = random_ratings(150, 40, 0.3)
    lists = Ratings.from_columns(ratings.user_codes(), ratings.items, scale="implicit")
    finding = attack(SPEC).run(controlled(lists))
    assert value(finding, "excess") == value(finding, "excess_items") > 0.5
    assert finding.figure("excess_values") is None


def test_a_continuous_scale_is_cut_into_levels() -> None:
    finding = attack(SPEC).run(
        controlled(
            recloak.synthesize("jester", users=200, items=40, ratings=4000, seed=1).without_times()
        )
    )
    assert value(finding, "ap_values") > 0.9


@pytest.fixture
def of_few_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if there were many items: of those for which nothing speaks a few are drawn."""
    monkeypatch.setattr("recloak.attacks.inference._asking.MOST_STATEMENTS", 0)
    monkeypatch.setattr("recloak.attacks.inference._stated_items.FAMOUS", 20)
    monkeypatch.setattr("recloak.attacks.inference._stated_items.DRAWN", 60)
    monkeypatch.setattr("recloak.attacks.inference._stated_items.LIKELY", 0.6)


def test_some_of_many_items_give_the_figures_of_all(request: pytest.FixtureRequest) -> None:
    ratings = random_ratings(120, 400, 0.06)
    whole = attack(SPEC).run(controlled(ratings, "gaussian-noise", sigma=2.0))
    request.getfixturevalue("of_few_drawn")
    some = attack(SPEC).run(controlled(ratings, "gaussian-noise", sigma=2.0))
    assert "some drawn from the others" in " ".join(some.notes)
    for name in ("ap_items", "ap_items_outsiders", "ap_values", "excess_items"):
        assert value(some, name) == pytest.approx(value(whole, name), abs=0.02)
    assert value(some, "true_items_50_outsiders") == value(whole, "true_items_50_outsiders")


def test_statements_stand_for_all_of_their_kind(of_few_drawn: None) -> None:
    asked = asked_groups(controlled(random_ratings(120, 400, 0.04)), 10, 0, SILENT)[0]
    stated = StatedItems.of(asked, np.random.default_rng(0))
    rated = asked.people.ratings.row(3)[0]
    chances = np.linspace(0.9, 0, asked.posteriors.rows.shape[1])
    items, times = stated.about(3, chances, rated, rated[:5])
    own = asked.attacked.rows.row(int(asked.posteriors.rows[3, 0]))[0]
    assert np.isin(np.setdiff1d(np.append(rated[5:], own), rated[:5]), items).all()
    assert not np.isin(rated[:5], items).any()
    assert np.isin(np.setdiff1d(stated.famous, rated[:5]), items[times == 1]).all()
    for row in asked.posteriors.rows[3][chances >= 0.6].tolist():
        listed = asked.attacked.rows.row(row)[0]
        assert np.isin(np.setdiff1d(listed, rated[:5]), items[times == 1]).all()
    everything = asked.people.ratings.n_items
    assert len(items) < 0.8 * everything
    assert times.sum() == pytest.approx(everything - 5, rel=1e-5)


def test_only_of_many_items_enough_people_are_asked_about(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = asked_groups(controlled(random_ratings(120, 30, 0.3)), 10, 0, SILENT)[0]
    monkeypatch.setattr(_asking, "ENOUGH_PEOPLE", 20)
    pairs = len(asked.people) // 2
    assert len(_asking._chosen(asked, 5, some=False)) == 2 * pairs
    some = _asking._chosen(asked, 5, some=True)
    assert some.tolist() == [0, 1, 2, 3, pairs, pairs + 1, pairs + 2, pairs + 3]


def test_sure_statements_count_for_those_they_stand_for(monkeypatch: pytest.MonkeyPatch) -> None:
    sure = np.array([0.9, 0.9, 0.2, 0.9])
    monkeypatch.setattr(_asking, "confidence_of", lambda *_: Confidence(sure, sure, sure))
    person, rated = np.array([0, 0, 0, 1]), np.array([True, False, True, True])
    empty, times = np.zeros((4, 1), np.float32), np.array([1, 30, 2, 4], np.float32)
    stated = Statements(person, empty, times, times, rated, rated, times)
    answers = _asking._curves(stated, person, person, 2, ())
    assert answers.sure.tolist() == [[1, 4], [31, 4]]


@pytest.mark.parametrize("spec", ["inference:known=0", "inference:known=-3", "inference:knows=3"])
def test_bad_settings_are_refused(spec: str) -> None:
    with pytest.raises(ParameterError):
        attack(spec)
