"""A comparison in short: true sentences, whatever was found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from recloak.auditing.policy import Policy, Requirement
from recloak.comparison.page import render_comparison
from recloak.comparison.page._summary import in_short
from recloak.comparison.settings import Setting
from recloak.comparison.trials import Trial
from tests.comparison.samples import LINKED, compared, trial
from tests.support.page_reader import read_page


def risky(name: str, use: float, singled_out: float, excess: float, **given: Any) -> Trial:
    controlled = {"singled_out": singled_out, "excess": excess}
    return trial(name, success=singled_out, controlled=controlled, newcomers=use, **given)


USEFUL = risky("pseudonymize", 0.12, 0.9, 0.6)
SAFE = risky("predictive", 0.05, 0.2, 0.1, k=3, gain=8.0)
SAFER = risky("predictive", 0.04, 0.1, 0.08, k=5)
BEATEN = risky("gaussian-noise", 0.10, 0.9, 0.6, gain=0.0, sigma=0.5)
REFUSED = Trial(Setting("disassociation", {"k": 2}), None, refused="too few ratings")


def judged(*trials: Trial, policy: Policy = LINKED) -> list[Trial]:
    return [one.judged(policy) for one in trials]


def test_it_tells_what_was_tried_and_what_is_worth_a_look() -> None:
    short = in_short(compared(*judged(USEFUL, SAFE, BEATEN, REFUSED)), None)
    sentences = " ".join(short.sentences)
    assert "3 settings of 3 methods were tried" in sentences
    assert "1 more setting could not work" in sentences
    assert "2 settings are worth a look" in sentences
    assert "the 1 others" not in sentences
    best = "Most useful is pseudonymize, with tailoring utility for newcomers 12.0% (11.0%–13.0%)"
    assert best in sentences
    assert "lowest in singled out is predictive:k=3: 20.0%" in sentences
    assert "lowest in excess is predictive:k=3: 10.0%" in sentences
    assert "membership" not in sentences, "nobody measured it"
    assert short.frontier is not None
    assert [row[0] for row in short.frontier.rows] == ["pseudonymize", "predictive:k=3"]
    assert short.frontier.columns[1:] == (
        "Tailoring utility for newcomers",
        "Singled out",
        "Excess",
        "Policy lines passed",
    )
    assert short.frontier.rows[1][1:] == (
        "5.0% (4.0%–6.0%)",
        "20.0% (19.0%–21.0%)",
        "10.0% (9.0%–11.0%)",
        "1 of 1",
    )
    assert "Excess: facts stated about members beyond what is stated about" in short.columns


def test_what_may_not_be_published_is_not_worth_a_look() -> None:
    broken = risky("microaggregation", 0.5, 0.0, 0.0, broken=True, k=5)
    warned = risky("uniform-noise", 0.6, 0.0, 0.0, caveat="only a study")
    short = in_short(compared(*judged(SAFE, warned, broken)), None)
    assert short.frontier is not None
    shown = [row[0] for row in short.frontier.rows]
    assert "uniform-noise" not in shown
    assert "cannot be published as" in " ".join(short.sentences)


@pytest.mark.parametrize(
    ("trials", "sentence"),
    [
        ([USEFUL, SAFE], "predictive:k=3 passes the one line of the policy “Test policy”."),
        ([USEFUL], "No setting passes any line of the policy “Test policy”."),
        (
            [SAFE, SAFER],
            "predictive:k=3 passes the one line of the policy “Test policy”, as does 1",
        ),
        ([], ""),
    ],
)
def test_the_policy_in_a_sentence(trials: list[Trial], sentence: str) -> None:
    assert in_short(compared(*judged(*trials)), None).policy.startswith(sentence)


def test_what_the_best_setting_misses_is_named() -> None:
    strict = Requirement(attack="record-linkage:known=4", figure="gain", at_most=1)
    unrun = Requirement(attack="record-linkage:known=9", figure="gain", at_most=1)
    policy = replace(LINKED, requirements=(*LINKED.requirements, strict, unrun))
    sentence = in_short(compared(*judged(USEFUL, SAFE, policy=policy)), None).policy
    assert "predictive:k=3 passes most, 1 of 3. What it does not pass: " in sentence
    assert "gain at most 1 (found: 8, 95% interval 8.0–8.0)" in sentence
    assert "knows 9 ratings: gain at most 1 (not measured)." in sentence


def test_what_it_misses_is_told_in_words() -> None:
    """As the report tells it: a name of the code and a bare share say little to an officer."""
    strict = Requirement(attack="record-linkage:known=4", figure="success", at_most=0.05)
    policy = replace(LINKED, requirements=(*LINKED.requirements, strict))
    sentence = in_short(compared(*judged(SAFE, policy=policy)), None).policy
    assert "record-linkage, knows 4 ratings: success at most 5% (found: " in sentence


def test_where_nothing_could_work_that_is_said() -> None:
    short = in_short(compared(REFUSED), None)
    assert short.sentences == [
        "None of the methods works on these data; the reasons are given below."
    ]
    assert short.frontier is None
    assert "too few ratings" in read_page(render_comparison(compared(REFUSED))).text


def test_the_page_opens_with_it_and_names_the_next_command() -> None:
    comparison = compared(*judged(USEFUL, SAFE))
    page = read_page(render_comparison(comparison, None, "recloak advise x --out y"))
    first = next(one for one in page.all("section"))
    assert first.attributes["id"] == "short"
    assert "Nothing is decided here" in first.text
    assert "recloak advise x --out y" in first.text


def test_lines_of_a_policy_are_short_in_the_table_and_whole_above_it() -> None:
    claim = Requirement(claim="k-anonymity:k=5", because="A group hides.")
    policy = replace(LINKED, requirements=(*LINKED.requirements, claim))
    comparison = replace(compared(*judged(USEFUL, policy=policy)), policy=policy)
    page = read_page(render_comparison(comparison))
    (lines,) = page.all("ol")
    assert "k-anonymity:k=5 holds" in lines.text
    assert "A group hides." in lines.text
    (table,) = (one for one in page.all("table") if "✓ passes" in one.text)
    assert [one.text for one in table.all("th")][1:3] == ["1. Success ≤ 0.5", "2. k-anonymity"]
    assert [one.text for one in table.all("td")] == ["✗ 90.0% (up to 91.0%)", "✓"]


def test_where_nothing_could_be_measured_there_is_no_frontier() -> None:
    short = in_short(compared(*judged(trial("pseudonymize", success=None, mu=None))), None)
    assert short.frontier is None
    assert short.sentences[-1].endswith("could not be measured on these data.")
