from __future__ import annotations

from pathlib import Path

import pytest

from recloak.auditing.policy import NOT_FOUND, Policy, Requirement, template_text
from recloak.core.errors import InputError
from recloak.evaluation.findings import Audit, Figure, Finding, Verdict

ATTACK = "record-linkage:known=4,values=true,targets=1000,repeats=4,oracle=no"


def audit_with(value: float, low: float | None = None, high: float | None = None) -> Audit:
    figure = Figure("success", value, low, high)
    parameters = {"known": 4, "values": True, "targets": 1000, "repeats": 4, "oracle": "no"}
    finding = Finding("attack", "record-linkage", parameters, "", "", (figure,), 100, 0)
    verdict = Verdict("k-anonymity:k=3,values=true", "broken", "looked", {"row": "1"})
    return Audit("x", {}, {}, verdicts=(verdict,), attacks=(finding,))


def policy_of(tmp_path: Path, *lines: str) -> Policy:
    path = tmp_path / "policy.toml"
    path.write_text("".join(f"[[require]]\n{line}\n" for line in lines))
    return Policy.read(path)


def test_the_default_ships_and_is_explained() -> None:
    policy = Policy.default()
    assert len(policy.requirements) >= 4
    assert all(line.because for line in policy.requirements)
    assert template_text().count("#") > 5


@pytest.mark.parametrize(
    ("limit", "status"),
    [
        ("at_most = 0.5", "fail"),
        ("at_most = 0.6", "pass"),
        ("at_least = 0.4", "pass"),
        ("at_least = 0.5", "fail"),
    ],
)
def test_judged_by_the_unfavourable_end(tmp_path: Path, limit: str, status: str) -> None:
    policy = policy_of(tmp_path, f'attack = "record-linkage:known=4"\nfigure = "success"\n{limit}')
    (result,) = policy.judge(audit_with(0.48, 0.4, 0.6))
    assert result.status == status
    assert result.found == "48.0% (40.0%–60.0%)"


def test_exact_figures_are_judged_by_their_value(tmp_path: Path) -> None:
    line = 'attack = "record-linkage:known=4"\nfigure = "success"\nat_most = 0.48'
    (result,) = policy_of(tmp_path, line).judge(audit_with(0.48))
    assert result.passed


def test_the_same_attack_written_differently_is_the_same(tmp_path: Path) -> None:
    line = f'attack = "{ATTACK}"\nfigure = "success"\nat_most = 1'
    (result,) = policy_of(tmp_path, line).judge(audit_with(0.1))
    assert result.passed


def test_what_was_not_measured_does_not_pass(tmp_path: Path) -> None:
    lines = [
        'attack = "record-linkage:known=9"\nfigure = "success"\nat_most = 1',
        'attack = "record-linkage:known=4"\nfigure = "gain"\nat_most = 1',
        'claim = "k-anonymity:k=9"',
    ]
    policy_results = policy_of(tmp_path, *lines).judge(audit_with(0.1))
    assert [result.status for result in policy_results] == ["not measured"] * 3
    assert policy_results[1].found == NOT_FOUND


def test_a_broken_claim_fails(tmp_path: Path) -> None:
    (result,) = policy_of(tmp_path, 'claim = "k-anonymity:k=3"').judge(audit_with(0.1))
    assert result.status == "fail"
    assert "broken" in result.found


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('attack = "record-linkage"', "needs the figure"),
        ('attack = "record-linkage"\nfigure = "success"', "exactly one of at_most"),
        ('attack = "magic"\nfigure = "x"\nat_most = 1', "no attack called 'magic'"),
        ('attack = "record-linkage:known=-1"\nfigure = "x"\nat_most = 1', "greater than"),
        ('claim = "k-anonymity:k=3"\nat_most = 1', "takes no figure"),
        ('claim = "k-anonymity"\nattack = "record-linkage"', "one of claim"),
        ("because = 'x'", "one of claim"),
        ('claim = "k-anonymity"\nsurprise = 1', "'surprise'"),
        ('attack = "record-linkage"\nfigure = "x"\nat_most = "low"', "'at_most'"),
        ('attack = "record-linkage"\nfigure = "sucess"\nat_most = 1', "no figure 'sucess'"),
        ('attack = "record-linkage"\nfigure = "success"\nat_most = true', "at_most"),
        ('measure = "prediction:recommender=x"\nfigure = "mae"\nat_most = 1', "one of item-mean"),
        ('measure = "magic"\nfigure = "x"\nat_most = nan', "at_most"),
    ],
)
def test_an_unclear_line_is_refused_by_its_number(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        policy_of(tmp_path, 'claim = "k-anonymity:k=2"', line)
    assert "number 2" in str(caught.value)


@pytest.mark.parametrize("content", ["", "title = 1", "[require]\nx = 1", "x = [", "other = 1\n"])
def test_what_is_no_policy_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "p.toml"
    path.write_text(content)
    with pytest.raises(InputError):
        Policy.read(path)
    with pytest.raises(InputError):
        Policy.read(tmp_path / "none.toml")


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    line = Requirement(attack="scoreboard-rh", figure="gain", at_most=5, because='ä "quoted" \\ ü')
    for policy in (Policy.default(repeated=True), Policy("a 'title'\nof two lines", (line,))):
        place = tmp_path / "policy.toml"
        place.write_text(policy.to_toml(), encoding="utf-8")
        assert Policy.read(place) == policy
