"""What a policy did not look at stands beside a verdict that passes."""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import replace

import pytest

from recloak.attacks.record_linkage import RecordLinkage
from recloak.auditing.policy import Policy, Requirement
from recloak.auditing.run import audit
from recloak.cli._shared.screen import Screen
from recloak.cli._shared.show import show_glance
from recloak.core.randomness import Randomness
from recloak.evaluation.findings import Audit
from recloak.methods import method
from recloak.report import render_html, render_json
from recloak.report.wording.unjudged import EVERYTHING, not_looked_at
from recloak.testing import random_ratings
from tests.support.page_reader import read_page

ATTACKS = ("record-linkage:known=4", "homogeneity:known=4")


def audited(*lines: Requirement, attacks: tuple[str, ...] = ATTACKS) -> Audit:
    original = random_ratings(80, 30, 0.3)
    release, secret, *_ = method("microaggregation", k=4).apply(original, Randomness.from_seed(1))
    release = replace(
        release, manifest=release.manifest.model_copy(update={"not_for_publication": []})
    )
    given = {"secret": secret, "measures": ("density",), "attacks": attacks}
    return audit(original, release, policy=Policy("ours", lines), **given)  # type: ignore[arg-type]


def line(figure: str, attack: str = ATTACKS[0]) -> Requirement:
    return Requirement(attack=attack, figure=figure, at_most=1000.0)


def test_risks_attacks_and_use_that_no_line_judges_are_named() -> None:
    found = audited(line("success"))
    sentence = not_looked_at(found)
    gain = found.attacks[0].figure("gain")
    assert gain is not None
    assert sentence.startswith("The policy did not look at ")
    assert f"gain (up to {gain.shown().split(' (')[0]})" in sentence
    assert "success" not in sentence
    assert "what homogeneity found" in sentence
    assert sentence.endswith("what the release is still good for.")
    assert sentence.count(". ") == 0  # one sentence


def test_what_is_judged_is_not_named() -> None:
    sentence = not_looked_at(audited(line("gain"), line("identified", ATTACKS[1])))
    assert "gain" not in sentence
    assert "homogeneity" not in sentence


def test_what_was_found_nowhere_is_not_told() -> None:
    found = audited(line("success"))
    nobody = replace(found.attacks[0], figures=tuple(
        replace(one, value=-0.0001 if one.name == "gain" else one.value)
        for one in found.attacks[0].figures
    ))  # fmt: skip
    assert "gain" not in not_looked_at(replace(found, attacks=(nobody, *found.attacks[1:])))


def test_it_stands_beside_the_tick(capsys: pytest.CaptureFixture[str]) -> None:
    found = audited(line("success"))
    assert found.status == "pass"
    assert not_looked_at(found) in read_page(render_html(found)).text
    show_glance(Screen(Namespace(json=False, quiet=False)), found, ["release here"])
    first, *_, where, beside = capsys.readouterr().out.splitlines()
    assert first.startswith("verdict  ✔ Passes.")
    assert where == "where    release here"
    assert beside == not_looked_at(found)


def test_a_verdict_that_does_not_pass_says_what_failed_instead() -> None:
    found = audited(replace_limit(line("success"), -1.0))
    assert found.status == "fail"
    assert "did not look at" not in read_page(render_html(found)).text


def replace_limit(line: Requirement, limit: float) -> Requirement:
    return line.model_copy(update={"at_most": limit})


def test_a_policy_that_looks_at_all_says_that_this_is_not_all_there_is() -> None:
    use = Requirement(measure="tailoring-utility", figure="mu", at_least=-1000.0)
    risks = [line(figure.name) for figure in RecordLinkage.figures if figure.worse == "more"]
    assert not_looked_at(audited(*risks, use, attacks=ATTACKS[:1])) == EVERYTHING
    assert not_looked_at(audited(*risks, attacks=ATTACKS[:1])) == (
        "The policy did not look at what the release is still good for."
    )


def test_requirements_are_not_called_a_policy() -> None:
    found = audited(line("gain"))
    assert not_looked_at(found).startswith("The policy did not look at these figures of the ")
    required = not_looked_at(found, required=True)
    assert required.startswith("The requirements did not look at these figures of the ")
    assert "attacks that they name" in required
    assert "policy" not in required


def test_the_json_says_it_too() -> None:
    found = audited(line("gain"))
    assert json.loads(render_json(found))["not_looked_at"] == not_looked_at(found)
