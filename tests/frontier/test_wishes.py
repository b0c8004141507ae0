"""Wishes: read as written, judged by the unfavourable end, refused where nothing could be meant."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recloak.errors import ParameterError
from recloak.findings import Figure, Finding
from recloak.frontier.protocol import Protocol
from recloak.frontier.wishes import (
    parse_objective,
    parse_wish,
    refuse_contradictions,
    spec_shown,
    wishes_of,
)
from recloak.policy import Policy
from tests.frontier.samples import cell

USUAL = Protocol.usual()


@pytest.mark.parametrize(
    ("text", "at_most", "at_least"),
    [
        ("gain<=5", 5, None),
        (" gain <= 5 ", 5, None),
        ("success≤20%", 0.2, None),
        ("mu >= -0.05", None, -0.05),
        ("utility>=1e-2", None, 0.01),
    ],
)
def test_wishes_as_they_are_written(
    text: str, at_most: float | None, at_least: float | None
) -> None:
    wish = parse_wish(text, USUAL)
    assert (wish.at_most, wish.at_least) == (at_most, at_least)
    assert wish.spec == ""


def test_a_wish_about_one_attack_and_one_about_a_claim() -> None:
    wish = parse_wish("scoreboard-rh:known=7 success<=0.1", USUAL)
    assert wish.spec.startswith("scoreboard-rh:known=7,")
    assert wish.requirement is not None
    assert wish.spec in USUAL.with_lines([wish.requirement]).attacks
    assert parse_wish("k-anonymity:k=5", USUAL).claim == "k-anonymity:k=5,values=true"


@pytest.mark.parametrize(
    ("text", "said"),
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
def test_what_cannot_be_meant_is_refused(text: str, said: str) -> None:
    with pytest.raises(ParameterError) as refused:
        parse_wish(text, USUAL)
    assert said in str(refused.value)
    assert "--require" in str(refused.value)


def test_contradictions_are_refused_whatever_their_order() -> None:
    lower, upper = parse_wish("success>=0.5", USUAL), parse_wish("success<=0.2", USUAL)
    for pair in ([lower, upper], [upper, lower]):
        with pytest.raises(ParameterError, match="contradict"):
            refuse_contradictions(pair)
    refuse_contradictions([parse_wish("mu>=0.1", USUAL), upper])
    refuse_contradictions([parse_wish("success>=0.2", USUAL), upper])


def test_the_unfavourable_end_of_the_interval_is_judged() -> None:
    wish = parse_wish("success<=0.2", USUAL)
    assert wish.judge(cell("predictive", success=0.18, half=0.01)).status == "pass"
    missed = wish.judge(cell("predictive", success=0.19, half=0.03))
    assert missed.status == "fail"
    assert missed.shortfall == pytest.approx(0.1)
    useful = parse_wish("mu>=0.1", USUAL)
    assert useful.judge(cell("predictive", mu=0.105, half=0.01)).status == "fail"
    assert useful.judge(cell("predictive", mu=0.12, half=0.01)).status == "pass"


def test_what_was_not_measured_does_not_pass() -> None:
    assert (
        parse_wish("success<=1", USUAL).judge(cell("predictive", success=None)).status
        == "not measured"
    )
    assert parse_wish("km-anonymity:k=5", USUAL).judge(cell("predictive")).status == "not measured"


def test_a_broken_claim_does_not_pass() -> None:
    wish = parse_wish("k-anonymity:k=5", USUAL)
    assert wish.judge(cell("predictive")).status == "pass"
    assert wish.judge(cell("predictive", broken=True)).status == "fail"


def test_a_policy_gives_the_same_lights_as_its_wishes() -> None:
    policy = Policy.default()
    assert len(wishes_of(policy)) == len(policy.requirements)
    assert all(wish.spec for wish in wishes_of(policy))


def test_objectives() -> None:
    assert parse_objective("utility", USUAL).figure == "mu"
    lowest = parse_objective("gain", USUAL, lowest=True)
    assert lowest.score(cell("predictive", gain=2)) > lowest.score(cell("predictive", gain=4))
    with pytest.raises(ParameterError) as refused:
        parse_objective("utilty", USUAL)
    assert "Did you mean 'utility'" in (refused.value.hint or "")


def test_specs_are_shown_without_what_is_usual() -> None:
    assert [spec_shown(spec) for spec in USUAL.attacks[:4]] == [
        "record-linkage:known=4",
        "record-linkage:known=16",
        "record-linkage:known=8,values=false",
        "scoreboard-rh:known=5",
    ]


def test_the_worst_tenth_of_ratings_is_not_that_of_people() -> None:
    """Profile inversion has a worst-off tenth, too, but it finds nobody."""
    found = cell("predictive", success=0.1, k=3)
    assert found.audit is not None
    ratings = Figure("worst_tenth", 0.9, 0.8, 1.0)
    inversion = Finding("attack", "profile-inversion", {}, "", "", (ratings,), 10, 0)
    audit = replace(found.audit, attacks=(*found.audit.attacks, inversion))
    wish = parse_wish("worst_tenth<=50%", Protocol.usual())
    assert wish.judge(replace(found, audit=audit)).status == "not measured"


def test_a_limit_beyond_all_numbers_is_refused() -> None:
    with pytest.raises(ParameterError, match="too large"):
        parse_wish("gain<=1e999", Protocol.usual())
