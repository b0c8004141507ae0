"""Requirements: read as written, judged by the unfavourable end, refused if nothing is meant."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recloak.auditing.policy import Policy
from recloak.comparison.protocol import Protocol
from recloak.comparison.requirements import (
    judge,
    parse_objective,
    parse_requirement,
    policy_of,
    refuse_contradictions,
    spec_shown,
)
from recloak.core.errors import ParameterError
from recloak.evaluation.findings import Figure, Finding
from tests.comparison.samples import trial

USUAL = Protocol.usual()


@pytest.mark.parametrize(
    ("text", "at_most", "at_least"),
    [
        ("gain<=5", 5, None),
        ("excess<=0.08", 0.08, None),
        ("membership<=65%", 0.65, None),
        ("fold_in_mu>=0.05", None, 0.05),
        (" gain <= 5 ", 5, None),
        ("success≤20%", 0.2, None),
        ("mu >= -0.05", None, -0.05),
        ("utility>=1e-2", None, 0.01),
    ],
)
def test_requirements_as_they_are_written(
    text: str, at_most: float | None, at_least: float | None
) -> None:
    requirement = parse_requirement(text, USUAL)
    assert (requirement.at_most, requirement.at_least) == (at_most, at_least)
    assert not requirement.names_one
    assert str(requirement) == text.strip()


def test_a_requirement_of_one_attack_and_one_about_a_claim() -> None:
    requirement = parse_requirement("scoreboard-rh:known=7 success<=0.1", USUAL)
    assert (requirement.attack or "").startswith("scoreboard-rh:known=7,")
    assert requirement.attack in USUAL.with_lines([requirement]).attacks
    assert parse_requirement("k-anonymity:k=5", USUAL).claim == "k-anonymity:k=5,values=true"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sucess<=0.2", "Did you mean 'success'"),
        ("gain<5", "Examples"),
        ("gain", "Examples"),
        ("gain<=many", "Examples"),
        ("gain<=1.2.3", "Examples"),
        ("success<=20", "Did you mean 20%"),
        ("record-linkage:known=4 auc<=1", "no figure 'auc'"),
        ("record-linkag:known=4 success<=1", "Did you mean 'record-linkage'"),
        ("record-linkage:knwn=4 success<=1", "Did you mean 'known'"),
        ("k-anonymity:k=0", "k-anonymity:k=0"),
    ],
)
def test_what_cannot_be_meant_is_refused(text: str, message: str) -> None:
    with pytest.raises(ParameterError) as refused:
        parse_requirement(text, USUAL)
    assert message in str(refused.value)
    assert "--require" in str(refused.value)


def test_contradictions_are_refused_whatever_their_order() -> None:
    lower, upper = (
        parse_requirement("success>=0.5", USUAL),
        parse_requirement("success<=0.2", USUAL),
    )
    for pair in ([lower, upper], [upper, lower]):
        with pytest.raises(ParameterError, match="contradict"):
            refuse_contradictions(pair)
    refuse_contradictions([parse_requirement("mu>=0.1", USUAL), upper])
    refuse_contradictions([parse_requirement("success>=0.2", USUAL), upper])


def test_the_unfavourable_end_of_the_interval_is_judged() -> None:
    requirement = parse_requirement("success<=0.2", USUAL)
    assert judge(requirement, trial("predictive", success=0.18, half=0.01)).status == "pass"
    missed = judge(requirement, trial("predictive", success=0.19, half=0.03))
    assert missed.status == "fail"
    assert missed.shortfall == pytest.approx(0.1)
    assert missed.shown == "19.0% (up to 22.0%)", "it fails though 19 % is below 20 %"
    useful = parse_requirement("mu>=0.1", USUAL)
    below = judge(useful, trial("predictive", mu=0.105, half=0.01))
    assert (below.status, below.shown) == ("fail", "10.5% (down to 9.5%)")
    assert judge(useful, trial("predictive", mu=0.12, half=0.01)).status == "pass"


def test_what_was_not_measured_does_not_pass() -> None:
    assert (
        judge(parse_requirement("success<=1", USUAL), trial("predictive", success=None)).status
        == "not measured"
    )
    assert (
        judge(parse_requirement("km-anonymity:k=5", USUAL), trial("predictive")).status
        == "not measured"
    )


def test_a_broken_claim_does_not_pass() -> None:
    requirement = parse_requirement("k-anonymity:k=5", USUAL)
    assert judge(requirement, trial("predictive")).status == "pass"
    assert judge(requirement, trial("predictive", broken=True)).status == "fail"


def test_a_trial_is_judged_by_lines_of_a_policy_as_its_audit_is() -> None:
    """What a comparison says of a setting is what its publication would be held to."""
    policy = Policy.default()
    found = trial("predictive", controlled={"singled_out": 0.02, "excess": 0.5})
    assert found.audit is not None
    judged = [judge(line, found).status for line in policy.requirements]
    assert judged == [result.status for result in policy.judge(found.audit)]
    assert set(judged) == {"pass", "fail", "not measured"}


def test_what_was_required_in_a_few_words_becomes_lines_that_name_what_is_run() -> None:
    found = trial("predictive", success=0.05)
    lines = policy_of([parse_requirement("success<=0.2", USUAL)], found).requirements
    assert lines
    assert all(line.attack and line.figure == "success" for line in lines)
    assert Policy._parse(policy_of([lines[0]], found).to_toml(), "again").requirements == lines[:1]


def test_objectives() -> None:
    assert parse_objective("utility", USUAL).figure == "fold_in_mu"
    lowest = parse_objective("gain", USUAL, lowest=True)
    assert lowest.score(trial("predictive", gain=2)) > lowest.score(trial("predictive", gain=4))
    with pytest.raises(ParameterError) as refused:
        parse_objective("utilty", USUAL)
    assert "Did you mean 'utility'" in (refused.value.hint or "")


def test_specs_are_shown_without_what_is_usual() -> None:
    shown = [spec_shown(spec) for spec in USUAL.attacks]
    assert {"record-linkage:known=16", "record-linkage:known=8,values=false"} <= set(shown)
    assert {"scoreboard-rh:known=5", "scoreboard-rh:known=5,wrong=0.2"} <= set(shown)


def test_the_worst_tenth_of_ratings_is_not_that_of_people() -> None:
    """Profile inversion has a worst-off tenth, too, but it finds nobody."""
    found = trial("predictive", success=0.1, k=3)
    assert found.audit is not None
    ratings = Figure("worst_tenth", 0.9, 0.8, 1.0)
    inversion = Finding("attack", "profile-inversion", {}, "", "", (ratings,), 10, 0)
    audit = replace(found.audit, attacks=(*found.audit.attacks, inversion))
    requirement = parse_requirement("worst_tenth<=50%", Protocol.usual())
    assert judge(requirement, replace(found, audit=audit)).status == "not measured"


def test_a_limit_beyond_all_numbers_is_refused() -> None:
    with pytest.raises(ParameterError, match="too large"):
        parse_requirement("gain<=1e999", Protocol.usual())
