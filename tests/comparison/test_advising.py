"""Advice: the best of those that satisfy, the frontier, and what comes nearest if none does."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import recloak
from recloak.auditing.policy import Policy, Requirement
from recloak.comparison import sampling
from recloak.comparison.advising import Round, advise, decided, going_on
from recloak.comparison.frontier import frontier_of, risks_compared, scores_of
from recloak.comparison.protocol import Protocol
from recloak.comparison.requirements import (
    Objective,
    measurable,
    parse_requirement,
    utility_objective,
)
from recloak.comparison.run import compare
from recloak.comparison.sampling import sample_of, sizes_of_rounds
from recloak.comparison.settings import Setting
from recloak.core.errors import ParameterError
from recloak.testing import random_ratings
from tests.comparison.samples import LINKED, SMALL, compared, trial
from tests.support.plugins import plug_in

MU = Objective("mu")
USUAL = Protocol.usual()
SHY = parse_requirement("success<=0.2", USUAL)


def test_the_pick_has_the_best_objective_of_those_that_satisfy() -> None:
    trials = [
        trial("pseudonymize", success=0.9, mu=0.3),
        trial("microaggregation", success=0.1, mu=0.1, k=3),
        trial("predictive", success=0.15, mu=0.2, k=3),
    ]
    advice = decided(compared(*trials), MU, [SHY])
    assert advice.pick is trials[2]
    assert advice.nearest is None
    assert "predictive:k=3 has the highest mu (tailoring utility), 20.0%" in advice.reason
    assert "2 of 3 settings" in advice.reason
    assert "microaggregation:k=3 comes next" in advice.reason


def test_a_runner_up_within_the_interval_is_said_to_be() -> None:
    trials = [trial("predictive", mu=0.2, k=3), trial("predictive", mu=0.195, k=5)]
    assert "within its interval" in decided(compared(*trials), MU, []).reason


def test_nothing_satisfies_and_the_nearest_is_named() -> None:
    trials = [trial("pseudonymize", success=0.9), trial("predictive", success=0.25, mu=0.0)]
    advice = decided(compared(*trials), MU, [SHY])
    assert advice.pick is None
    assert advice.nearest is trials[1]
    assert advice.reason.startswith("None of the 2 settings meets all requirements")
    assert "success<=0.2 (found: 25.0%" in advice.reason


def test_what_must_not_be_published_is_never_picked() -> None:
    trials = [
        trial("identity", mu=0.9, caveat="the data as they are"),
        trial("predictive", mu=0.8, broken=True, k=5),
        trial("microaggregation", mu=0.1),
    ]
    advice = decided(compared(*trials), MU, [])
    assert advice.pick is trials[2]
    assert advice.frontier == (trials[2],)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 9), st.floats(-1, 1)), max_size=12))
def test_the_frontier_is_what_nobody_beats(figures: list[tuple[float, float, float]]) -> None:
    trials = [trial("predictive", success=a, gain=b, mu=c, k=9) for a, b, c in figures]
    frontier = frontier_of(trials, MU, [])
    scores = [scores_of(one, MU, []) for one in trials]
    for one, mine in zip(trials, scores, strict=True):
        beaten = any(
            all(a >= b for a, b in zip(other, mine, strict=True)) and other != mine
            for other in scores
        )
        assert (one in frontier) is not beaten
    assert [MU.score(one) for one in frontier] == sorted(map(MU.score, frontier), reverse=True)


def test_a_round_keeps_the_frontier_and_those_nearest_to_the_requirements() -> None:
    trials = [
        trial("predictive", success=0.9 - at / 100, mu=at / 1000, k=at + 2) for at in range(40)
    ]
    best = trial("microaggregation", success=0.1, mu=0.9, k=3)
    refused = trial("fragmentation")
    refused = type(refused)(refused.setting, None, "no")
    kept = going_on([refused, *trials, best], MU, [SHY])
    assert best.setting in kept
    assert refused.setting not in kept
    assert len(kept) == 10


def test_rounds_on_samples_come_before_full_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "FEWEST_PEOPLE", 40)
    monkeypatch.setattr(sampling, "FEWEST_KEPT", 2)
    monkeypatch.setattr(sampling, "ENOUGH_RATINGS", 10)
    ratings = random_ratings(160, 30, 0.3)
    settings = [Setting("gaussian-noise", {"sigma": sigma}) for sigma in (0.1, 0.5, 1.0, 4.0)]
    heard: list[Round] = []
    advice = advise(
        ratings,
        settings,
        out=tmp_path,
        require=["record-linkage:known=4 success<=1"],
        maximise=MU,
        protocol=SMALL,
        policy=LINKED,
        on_round=heard.append,
    )
    (only,) = advice.rounds
    assert heard == [only]
    assert only.first in only.kept
    assert "On a sample of 40 people 4 settings were tried" in str(only)
    assert only.people == 40
    assert len(only.tried) == 4
    assert [one.name for one in advice.comparison.trials] == list(only.kept)
    assert advice.comparison.original["users"] == 160
    whole = compare(ratings, settings, out=tmp_path, protocol=SMALL, policy=LINKED)
    again = advise(
        ratings, settings, out=tmp_path, require=[], maximise=MU, protocol=SMALL, policy=LINKED
    )
    assert whole.computed == 2
    assert again.comparison.computed == 0
    assert again.rounds == ()
    assert len(again.comparison.trials) == 4


def test_samples_are_attacked_by_what_decides_and_full_runs_by_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "QUICK_PEOPLE", 40)
    ratings, settings = random_ratings(100, 30, 0.3), [Setting("gaussian-noise", {"sigma": 0.5})]
    asked = {"require": ["record-linkage:known=4 success<=0.9"], "maximise": MU}
    quick, full = (
        advise(ratings, settings, out=tmp_path, protocol=SMALL, policy=LINKED, quick=few, **asked)
        for few in (True, False)
    )
    names = [
        [one.name for one in advice.comparison.trials[0].audit.attacks]  # type: ignore[union-attr]
        for advice in (quick, full)
    ]
    assert names == [["record-linkage"], ["record-linkage", "scoreboard-rh"]]


def test_samples_have_enough_people_and_ratings_and_few_people_none() -> None:
    assert sizes_of_rounds(random_ratings(100)) == []
    films = recloak.synthesize("ml-100k", users=2_000, ratings=130_000, seed=1)
    books = recloak.synthesize("book-crossing", users=12_000, seed=1)
    assert sizes_of_rounds(films) == [1_000]
    assert sizes_of_rounds(books) == pytest.approx([5_494], abs=50)


def test_requirements_may_be_texts(tmp_path: Path) -> None:
    settings = [Setting("gaussian-noise", {"sigma": 1.0})]
    people = random_ratings(40, 20, 0.4)
    advice = advise(people, settings, out=tmp_path, require=["success<=0.2"], protocol=SMALL)
    assert advice.requirements == (parse_requirement("success<=0.2", SMALL),)
    with pytest.raises(ParameterError):
        advise(people, settings, out=tmp_path, require=["success about 0.2"], protocol=SMALL)


def test_settings_may_be_texts(tmp_path: Path) -> None:
    people = random_ratings(40, 20, 0.4)
    texts = ["pseudonymize", "gaussian-noise:sigma=1.0"]
    advice = advise(people, texts, out=tmp_path, require=["success<=1"], protocol=SMALL)
    found = [one.setting.label for one in advice.comparison.trials]
    assert found == ["pseudonymize", "gaussian-noise:sigma=1.0"]
    for wrong in ("pseudonymise", "gaussian-noise:sigma=loud", "gaussian-noise:loud=1"):
        with pytest.raises(ParameterError):
            advise(people, [wrong], out=tmp_path, require=["success<=1"], protocol=SMALL)


def test_utility_is_that_of_newcomers_and_of_members_only_where_few_are_there() -> None:
    served, unserved = trial("predictive", mu=0.3, newcomers=0.1), trial("predictive", mu=0.2, k=3)
    assert measurable(utility_objective(), [served, unserved]).figure == "fold_in_mu"
    assert measurable(utility_objective(), [unserved]).figure == "mu"
    assert measurable(MU, [served]) == MU
    nothing = trial("predictive", mu=None)
    assert measurable(utility_objective(), [nothing]) == utility_objective()


def test_without_requirements_every_line_of_the_policy_is_required(tmp_path: Path) -> None:
    settings = [Setting("pseudonymize", {})]
    strict = Policy(
        "Strict", (Requirement(attack="record-linkage:known=4", figure="success", at_most=0),)
    )
    people = random_ratings(40, 20, 0.4)
    advice = advise(people, settings, out=tmp_path, protocol=SMALL, policy=strict)
    assert advice.requirements == strict.requirements
    assert advice.pick is None


def test_what_counts_without_requirements_is_what_the_default_policy_judges() -> None:
    """The frontier is of risks beside their control; surveys have one of their own."""
    judged = {line.figure for line in Policy.default().requirements if line.attack}
    assert set(risks_compared()) - judged == {"inferred_excess"}
    safe = trial("predictive", success=0.9, gain=9, controlled={"excess": 0.1}, newcomers=0.1)
    unsafe = trial("pseudonymize", success=0.1, gain=0, controlled={"excess": 0.5}, newcomers=0.1)
    assert frontier_of([unsafe, safe], utility_objective(), []) == (safe,)


def test_a_figure_of_another_package_that_stands_for_a_risk_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours = risks_compared()
    plug_in(monkeypatch, "recloak.attacks", watching="tests.support.plugins:Watching")
    assert risks_compared() == [*ours[:2], "watched", *ours[2:]]


def test_a_sample_is_the_same_under_the_same_seed() -> None:
    ratings = random_ratings(100)
    one, again, other = (sample_of(ratings, 40, seed) for seed in (1, 1, 2))
    assert one.equals(again)
    assert not one.equals(other)
    assert one.n_users == 40


def test_a_claim_that_the_method_never_made_is_no_reason_against_it() -> None:
    trials = [trial("gaussian-noise", broken=True)]
    assert decided(compared(*trials), MU, []).pick is trials[0]
    requirement = parse_requirement("k-anonymity:k=5", USUAL)
    assert decided(compared(*trials), MU, [requirement]).pick is None


def test_a_choice_that_is_worth_no_more_than_averages_is_said_to_be() -> None:
    poor, rich = trial("disassociation", mu=-0.01, k=2), trial("predictive", mu=0.1, k=5)
    assert "table of item averages" in decided(compared(poor), MU, []).reason
    assert "table of item averages" not in decided(compared(rich), MU, []).reason


def test_the_only_one_that_meets_the_requirements_is_said_to_be() -> None:
    trials = [trial("predictive", success=0.1, k=3), trial("pseudonymize", success=0.9, mu=0.5)]
    reason = decided(compared(*trials), MU, [SHY, parse_requirement("gain<=5", USUAL)]).reason
    assert reason.startswith(
        "predictive:k=3 is the only one of 2 settings that meets both requirements"
    )


def test_where_nothing_was_measured_nothing_comes_near() -> None:
    """Least safe of all is the baseline: it must not be named only because it stands first."""
    trials = [trial("pseudonymize", success=None, mu=None), trial("predictive", success=None, k=3)]
    advice = decided(compared(*trials), MU, [SHY])
    assert advice.pick is None
    assert advice.nearest is None
    assert "could be measured with any of the 2 settings" in advice.reason
