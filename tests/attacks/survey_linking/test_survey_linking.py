"""Survey linking: who is found by their answers, and what is learned about them."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.attacks import attack
from recloak.core.ratings import Ratings
from recloak.evaluation.findings import Finding
from recloak.simulation import synthesize
from recloak.testing import AttackContract, context_of
from tests.report.samples import attacked, said_by
from tests.support.surveys import by_hand, controlled, survey_of, unchanged, without_issues

SPEC = "survey-linking"
# Two people answer alike, one stands apart; s is what nobody should learn.
PEOPLE = [
    {"a": 1, "b": 2, "s": 5},
    {"a": 1, "b": 2, "s": 1},
    {"a": 4, "b": 5, "s": 4},
]


class TestSurveyLinking(AttackContract):
    name = SPEC
    parameters = {"sensitive": "1"}

    def test_one_person(self) -> None:
        finding = self.make().run(unchanged([{"1": 3, "2": 3, "3": 1}]))
        assert value(finding, "success") == 1
        assert value(finding, "learned") == 1

    def test_a_survey_without_declared_issues_is_not_measured(self) -> None:
        finding = attack(SPEC).run(without_issues(unchanged(PEOPLE)))
        assert finding.figures == ()
        assert "No issue was declared" in finding.notes[0]


def value(finding: Finding, name: str) -> float:
    figure = finding.figure(name)
    assert figure is not None, name
    return figure.value


def test_people_who_answer_alike_share_the_success() -> None:
    finding = attack(SPEC).run(unchanged(PEOPLE, sensitive="s"))
    assert value(finding, "success") == pytest.approx((0.5 + 0.5 + 1) / 3)
    assert value(finding, "inconclusive") == pytest.approx(1 / 3)
    assert value(finding, "wrong") == 0
    assert value(finding, "worst_tenth") == 1
    assert value(finding, "success_original") == value(finding, "success")


def test_the_sensitive_answer_is_learned_without_knowing_whose_row_it_is() -> None:
    alike = [{"a": 1, "s": 5}, {"a": 1, "s": 5}, {"a": 1, "s": 2}, {"a": 3, "s": 1}]
    finding = attack(SPEC).run(unchanged(alike, sensitive="s"))
    assert value(finding, "learned") == pytest.approx((1 + 1 + 0 + 1) / 4)
    assert value(finding, "learned_guess") == pytest.approx(2 / 4)
    assert value(finding, "learned_near") == value(finding, "learned")


def test_within_one_level_counts_apart() -> None:
    finding = attack(SPEC).run(
        unchanged([{"a": 1, "s": 4}, {"a": 1, "s": 4}, {"a": 1, "s": 5}], sensitive="s")
    )
    assert value(finding, "learned") == pytest.approx(2 / 3)
    assert value(finding, "learned_near") == 1


def test_identical_rows_leave_one_in_k_to_whoever_takes_the_nearest() -> None:
    middle = {"a": 2, "b": 3}
    released = {at: middle | {"s": row["s"]} for at, row in enumerate(PEOPLE)}
    context = by_hand(PEOPLE, released, sensitive="s")
    exact = attack(SPEC).run(context)
    assert value(exact, "success") == 0
    assert value(exact, "inconclusive") == 1
    assert value(exact, "learned") == value(exact, "learned_guess"), "they guess if nothing fits"
    nearest = attack(f"{SPEC}:nearest=yes").run(context)
    assert value(nearest, "success") == pytest.approx(1 / 3)
    near = attack(f"{SPEC}:epsilon=1").run(context)
    assert value(near, "success") == pytest.approx(2 / 3 / 3)  # the third is two levels off
    assert value(near, "success_original") == pytest.approx(2 / 3)


def test_an_answer_and_none_never_fit() -> None:
    people = [{"a": 1, "b": 1, "s": 1}, {"a": 1, "s": 2}]
    finding = attack(f"{SPEC}:epsilon=4").run(unchanged(people, sensitive="s"))
    assert value(finding, "success") == 1
    swapped = by_hand(people, {0: people[1], 1: people[0]}, sensitive="s")
    finding = attack(f"{SPEC}:epsilon=4").run(swapped)
    assert value(finding, "wrong") == 1


def test_who_knows_fewer_answers_finds_fewer() -> None:
    context = context_of(synthesize("survey", users=2000, seed=1))
    found = [
        value(attack(f"{SPEC}:sensitive=1,known={known}").run(context), "success")
        for known in (1, 3, 5, 0)
    ]
    assert found == sorted(found)
    assert found[0] < 0.05
    assert found[-1] > 0.95


def test_answers_that_are_no_levels_are_rounded() -> None:
    noisy = context_of(survey_of(PEOPLE * 10), "gaussian-noise", sigma=0.05)
    finding = attack(f"{SPEC}:sensitive=s").run(noisy)
    assert any("rounded" in note for note in finding.notes)
    assert value(finding, "success") == pytest.approx(value(finding, "success_original"))


def test_an_issue_that_is_not_there_is_named() -> None:
    finding = attack(f"{SPEC}:sensitive=zz").run(unchanged(PEOPLE))
    assert finding.figures == ()
    assert "no issue 'zz'" in finding.notes[0]


def test_without_a_sensitive_issue_only_people_are_found() -> None:
    finding = attack(f"{SPEC}:non-sensitive=a+b").run(unchanged(PEOPLE))
    assert finding.figure("learned") is None
    assert value(finding, "success") == pytest.approx(2 / 3)


def test_who_left_the_sensitive_issue_out_gives_nothing_away() -> None:
    people = [{"a": 1}, {"a": 2, "s": 3}, {"a": 3, "s": 1}]
    finding = attack(SPEC).run(unchanged(people, sensitive="s"))
    assert value(finding, "learned") == 1
    assert value(finding, "learned_guess") == pytest.approx(1 / 2)


def test_targets_are_a_sample() -> None:
    context = unchanged([{"a": 1 + at % 5, "b": 1, "s": 1} for at in range(50)], sensitive="s")
    assert attack(f"{SPEC}:targets=20").run(context).sample == 20
    assert attack(f"{SPEC}:targets=0").run(context).sample == 50
    assert attack(f"{SPEC}:known=3").run(context).figures == ()
    assert np.isclose(value(attack(f"{SPEC}:targets=0").run(context), "success"), 5 / 50)


def unlike_people(count: int = 300) -> Ratings:
    """Answers at random, so that hardly two are alike."""
    levels = np.random.default_rng(6).integers(1, 6, (count, 7)).tolist()
    return survey_of([dict(zip("abcdefs", row, strict=True)) for row in levels])


def test_members_fit_and_those_left_out_do_not() -> None:
    finding = attack(f"{SPEC}:sensitive=s").run(controlled(unlike_people(), "pseudonymize"))
    assert value(finding, "fits") == 1
    assert value(finding, "fits_outsiders") < 0.1
    assert value(finding, "learned_members") > 0.95
    assert value(finding, "learned_outsiders") < 0.5
    for name in ("fits_excess", "learned_excess"):
        excess = finding.figure(name)
        assert excess is not None
        assert excess.low is not None
        assert excess.low > 0.4
    assert "outsiders" in finding.notes[-1]


def test_what_everybody_shares_is_no_excess() -> None:
    rows = [{"a": 1 + at % 5, "b": 1 + at % 2, "s": 1 + at % 5} for at in range(200)]
    finding = attack(f"{SPEC}:sensitive=s").run(controlled(survey_of(rows), "pseudonymize"))
    assert value(finding, "learned_members") == value(finding, "learned_outsiders") == 1
    assert value(finding, "fits_excess") == value(finding, "learned_excess") == 0


def test_groups_of_ten_leave_little_excess() -> None:
    bare, grouped = (
        attack(f"{SPEC}:sensitive=s,nearest=yes").run(controlled(unlike_people(), name, **settings))
        for name, settings in (
            ("pseudonymize", {}),
            ("proximity", {"k": 10, "sensitive": "s"}),
        )
    )
    assert value(grouped, "learned_excess") < value(bare, "learned_excess") / 2
    assert grouped.figure("fits") is None, "some rows are always the nearest"


def test_without_the_method_there_is_no_control() -> None:
    finding = attack(SPEC).run(unchanged(PEOPLE, sensitive="s"))
    assert finding.figure("learned_excess") is None
    assert "cannot be rehearsed" in finding.notes[-1]


def test_the_report_says_members_beside_those_left_out() -> None:
    finding = attack(f"{SPEC}:sensitive=s").run(controlled(unlike_people(), "pseudonymize"))
    sentence = said_by(SPEC, attacked(finding))
    assert len(sentence) == 4
    assert "some row fits about 100" in sentence[1]
    assert "of 100 respondents who were left out." in sentence[1]
    assert "sensitive answers of members correctly, and about" in sentence[3]
