"""What the verdict leaves open: never more is promised than the strongest attack allows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.auditing.policy import Policy
from recloak.evaluation.findings import Audit, Figure, PolicyResult, Verdict
from recloak.releases.card.meanings import left_open
from recloak.report import render_html
from recloak.report._view import view_of
from recloak.report.charts._attacks import people_chart
from recloak.report.wording import headline
from recloak.report.wording._limits import (
    LINES_LEAVE_OPEN,
    bounded,
    line_in_words,
    line_leaves_open,
    worst_off_statement,
    worst_off_table,
)
from tests.report.samples import attacked, linkage, prediction, scored
from tests.support.page_reader import read_page

MET = PolicyResult("a line", "pass", "1")


def result_on(spec: str, figure: str = "success") -> PolicyResult:
    return replace(MET, of=spec, figure=figure)


def test_a_line_on_an_attack_names_the_one_that_gets_further() -> None:
    weak, strong = linkage(4, 0.05), linkage(16, 0.83)
    said = line_leaves_open(result_on(weak.spec), attacked(weak, strong))
    assert said.startswith("The strongest of the attacks that were tried, ")
    assert said.endswith("record-linkage (knows 16 ratings), reaches 83.0% (81.0%–85.0%).")
    alone = line_leaves_open(result_on(strong.spec), attacked(weak, strong))
    assert alone == ""


def test_figures_of_another_unit_or_meaning_are_not_compared() -> None:
    share = replace(scored(20, 60.0, 144.0), figures=(Figure("gain", 900.0, unit="share"),))
    sentence = line_leaves_open(
        result_on(linkage(4, 0.1).spec, "gain"), attacked(linkage(4, 0.1), share)
    )
    assert "reaches" not in sentence
    wrong = line_leaves_open(
        result_on(linkage(4, 0.1).spec, "wrong"), attacked(linkage(4, 0.1), linkage(8, 0.05))
    )
    assert "reaches" not in wrong


def test_what_only_bears_the_same_name_is_not_compared() -> None:
    reading = replace(linkage(4, 0.1), name="odd", figures=(Figure("worst_tenth", 0.99),))
    usual = linkage(4, 0.1)
    assert "odd" not in line_leaves_open(
        result_on(usual.spec, "worst_tenth"), attacked(usual, reading)
    )


@pytest.mark.parametrize(
    ("line", "figure", "said"),
    [
        (
            "record-linkage, knows 4: worst_tenth at most 0.5",
            "worst_tenth",
            "worst-off tenth at most 50%",
        ),
        ("record-linkage, knows 4: gain at most 5", "gain", "gain at most 5"),
        ("record-linkage, knows 4: learned at most 5", "learned", "learned at most 5"),
        ("k-anonymity:k=5 holds", "", "k-anonymity:k=5 holds"),
    ],
)
def test_lines_are_told_in_words(line: str, figure: str, said: str) -> None:
    found = linkage(4, 0.1)
    result = PolicyResult(line, "pass", "1", of=found.spec, figure=figure)
    assert line_in_words(result, attacked(found)).removeprefix("record-linkage, knows 4: ") == said


def test_a_line_on_a_claim_or_a_measure_or_nothing() -> None:
    claim = "k-anonymity:k=5,values=true"
    audit = Audit(
        "t", {}, {}, verdicts=(Verdict(claim, "holds", "x"),), measures=(prediction("m", 1, 1),)
    )
    assert line_leaves_open(result_on(claim, ""), audit) == left_open(claim)
    missing = replace(result_on("elsewhere"), status="not measured")
    for result in (result_on(audit.measures[0].spec), missing, MET):
        assert line_leaves_open(result, audit) == "", "what no line covers is said once, for all"
    assert LINES_LEAVE_OPEN in read_page(render_html(replace(audit, policy_results=(MET,)))).text


def test_every_line_of_a_policy_knows_what_it_judged() -> None:
    policy = Policy.default()
    policy_results = policy.judge(attacked(linkage(4, 0.1)))
    assert [result.of for result in policy_results] == [
        line.checker.spec for line in policy.requirements
    ]
    assert [result.figure for result in policy_results] == [
        line.figure for line in policy.requirements
    ]


def test_what_passes_says_how_far_the_strongest_attack_got() -> None:
    audit = replace(attacked(linkage(4, 0.05), linkage(16, 0.83)), policy_results=(MET,))
    said = bounded(headline(audit), audit)
    assert said.title == "Passes"
    assert said.sentence.endswith(
        "The strongest attack that was tried, record-linkage (knows 16 ratings), succeeds in about "
        "83 (81–85) of 100 tries."
    )
    untried = Audit("t", {}, {}, policy_results=(MET,))
    assert bounded(headline(untried), untried).sentence.endswith("was not measured.")
    made_up = replace(untried, release={**untried.release, "kind": "made-up"})
    assert "found" not in bounded(headline(made_up), made_up).sentence  # the page says it at once
    failing = Audit("t", {}, {}, policy_results=(replace(MET, status="fail"),))
    assert bounded(headline(failing), failing) == headline(failing)


def test_figures_of_the_usual_attack_are_not_taken_for_the_strongest_ones() -> None:
    """They stand after a sentence about a stronger attack, so each says whose it is."""
    view = view_of(attacked(linkage(4, 0.1), linkage(16, 0.9)))
    sentences = [one for one in view.sentences if "does best" in one]
    sentences += [one for one in view.raw_gain if "true new facts" in one]
    assert len(sentences) == 2
    assert all("record-linkage (knows 4 ratings)" in one for one in sentences)
    assert not any("true new facts" in one for one in view.sentences), "it counts what all share"


@settings(max_examples=25)
@given(st.floats(0, 1), st.floats(0, 1))
def test_no_comfort_that_the_strongest_attack_does_not_allow(
    usual: float, strongest: float
) -> None:
    shown = " ".join(view_of(attacked(linkage(4, usual), linkage(16, strongest))).sentences)
    worst = max(usual, strongest)
    assert ("rarely finds anyone" in shown) <= (worst < 0.05)
    assert ("Most tries fail" in shown) <= (worst < 0.25)
    assert ("can expect to find their row" in shown) == (worst >= 0.5)


@pytest.mark.parametrize(
    ("usual", "strongest", "found", "struck"), [(0.1, 0.9, 10, 80), (0.9, 0.1, 90, 0)]
)
def test_the_hundred_people_show_the_strongest_attack_too(
    usual: float, strongest: float, found: int, struck: int
) -> None:
    svg = people_chart(Figure("success", usual), Figure("success", strongest))
    page = read_page(svg)
    styles = [one.attributes["class"] for one in page.all("circle")]
    assert len(styles) == 100
    assert (styles.count("found"), styles.count("struck-person")) == (found, struck)
    (title,) = page.all("title")
    assert ("by the strongest attack" in title.text) == (struck > 0)


def test_the_worst_off_tenth_is_told_by_what_hits_it_hardest() -> None:
    audit = attacked(
        linkage(2, 0.2), linkage(8, 0.5), replace(linkage(4, 0.3), name="bayes-linkage")
    )
    table = worst_off_table(audit)
    assert table is not None
    assert table.rows == (
        ("record-linkage (knows 8 ratings)", "50.0% (48.0%–52.0%)", "65.0%"),
        ("bayes-linkage (knows 4 ratings)", "30.0% (28.0%–32.0%)", "39.0%"),
    )
    said = worst_off_statement(audit)
    assert "Of 3 attacks that measure this, record-linkage (knows 8 ratings) hits them" in said
    assert said.endswith("about 65 succeed.")


def test_where_nobody_measured_the_worst_off_it_is_said() -> None:
    for audit in (attacked(), attacked(scored(5, 1.0, 2.0)), attacked(linkage(4, 0.5, sample=0))):
        assert worst_off_table(audit) is None
        assert worst_off_statement(audit).startswith("No attack that was run measured")
