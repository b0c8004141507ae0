"""Five lines: what the terminal says first about an audit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from recloak.evaluation.findings import Audit, Figure, Finding, PolicyResult, Verdict
from recloak.report.wording.glance import (
    NO_CLAIM,
    NO_RISK,
    NOT_MEASURED,
    at_a_glance,
    claim_line,
    risk_line,
    utility_line,
    verdict_line,
)
from recloak.report.wording.three_risks import risks_found, three_risks
from tests.report.samples import (
    attacked,
    full_audit,
    hostile_audit,
    linkage,
    minimal_audit,
    prediction,
)


def found(name: str, parameters: dict[str, Any], label: str, *figures: Figure) -> Finding:
    return Finding("attack", name, parameters, "", label, figures, 300, 7)


SINGLED = found(
    "bayes-linkage",
    {"known": 8},
    "knows 8 ratings",
    Figure("named", 0.6, 0.5, 0.7),
    Figure("named_outsiders", 0.1, 0.05, 0.2),
    Figure("singled_out", 0.5, 0.35, 0.6),
)
TOLD = found("membership", {"known": 0}, "knows all ratings", Figure("membership", 0.7, 0.6, 0.8))
LEARNT = found(
    "inference",
    {"known": 20},
    "knows 20 ratings",
    Figure("ap_items", 0.5),
    Figure("ap_items_outsiders", 0.4),
    Figure("excess_items", 0.1),
)


def test_there_are_four_lines_whatever_was_found() -> None:
    for audit in (full_audit(), minimal_audit(), hostile_audit()):
        told = at_a_glance(audit)
        assert [name for name, _ in told] == ["verdict", "risk", "utility", "claim"]
        assert all(text and "\n" not in text for _, text in told)


def test_the_worst_risk_is_the_one_furthest_from_its_control() -> None:
    said = risk_line(attacked(SINGLED, TOLD, LEARNT))
    assert said == (
        "Singling out is the largest risk. An attacker who knows 8 ratings is sure of a row for "
        "60.0% of people in the release, and for 10.0% of people who are not in it."
    )
    certain = replace(TOLD, figures=(Figure("membership", 0.99),))
    assert risk_line(attacked(SINGLED, certain, LEARNT)) == (
        "Linkability is the largest risk. An attacker who knows all ratings tells who is in the "
        "release in 99.0% of cases; guessing reaches 50.0%."
    )
    assert risk_line(attacked()) == NO_RISK
    assert risk_line(attacked(linkage(4, 0.2), linkage(0, 0.9))) == (
        f"{NO_RISK} The strongest of them, record-linkage (knows all ratings), succeeds in 90.0% "
        "of tries."
    ), "no control is no comfort"


def test_each_risk_has_a_row_also_one_that_was_not_measured() -> None:
    table = three_risks(attacked(SINGLED, TOLD))
    assert table is not None
    assert [row[0].split(":")[0] for row in table.rows] == [
        "Singling out",
        "Linkability",
        "Inference",
    ]
    assert table.rows[1][2:] == (
        "70.0% (60.0%–80.0%)",
        "50.0% (guessing)",
        "20.0% (10.0%–30.0%)",
    )
    assert table.rows[2][1] == "not measured"
    assert three_risks(attacked()) is None


def test_who_only_learns_that_some_row_fits_singles_nobody_out() -> None:
    fitting = found(
        "survey-linking",
        {"known": 5},
        "knows 5 answers",
        Figure("success", 0.1, 0.08, 0.12),
        Figure("fits", 0.66, 0.55, 0.75),
        Figure("fits_outsiders", 0.5, 0.4, 0.6),
        Figure("fits_excess", 0.16, 0.01, 0.3),
    )
    assert risks_found(attacked(fitting))["singling out"] is None


def test_risks_among_some_findings_alone() -> None:
    audit = attacked(SINGLED, TOLD)
    assert risks_found(audit, [TOLD])["singling out"] is None
    assert risks_found(audit)["singling out"] is not None


@pytest.mark.parametrize(
    ("states", "said"),
    [
        (["fail", "not measured", "pass"], "1 of 2 measured lines of the policy fails and 1 line"),
        (["not measured", "pass"], "1 measured line of the policy passes, but 1 line could not be"),
        (["not measured"] * 2, "Undecided. No line of the policy could be measured."),
        (["fail"], "1 of 1 line of the policy fails."),
    ],
)
def test_a_line_that_was_not_measured_is_not_counted_as_measured(
    states: list[Any], said: str
) -> None:
    results = tuple(PolicyResult("a line", state, "") for state in states)
    assert said in verdict_line(Audit("t", {}, {}, policy_results=results))


def test_claims_are_named_as_the_release_writes_them() -> None:
    verdicts = (
        Verdict("k-anonymity:k=5,values=true", "holds", ""),
        Verdict("k-anonymity:k=9,values=true", "broken", ""),
    )
    audit = Audit("t", {"claims": ["k-anonymity:k=5"]}, {}, verdicts=verdicts)
    assert claim_line(audit) == "k-anonymity:k=9,values=true is broken; k-anonymity:k=5 holds."
    assert claim_line(Audit("t", {}, {})) == NO_CLAIM


def test_utility_is_first_that_for_people_who_are_not_in_it() -> None:
    kept = Finding(
        "measure",
        "fold-in",
        {},
        "",
        "",
        (Figure("fold_in_mu_kept", 0.9), Figure("fold_in_ndcg_kept", 0.7)),
        50,
        7,
    )
    audit = Audit("t", {}, {}, measures=(kept,))
    said = (
        "A recommender for people who are not in the release keeps 90.0% of the tailoring utility"
    )
    assert utility_line(audit) == f"{said} and 70.0% of the nDCG."
    beyond = (Figure("fold_in_mu_kept", -1.34), Figure("fold_in_ndcg_kept", 1.306))
    assert utility_line(replace(audit, measures=(replace(kept, figures=beyond),))) == (
        "A recommender for people who are not in the release keeps none of the tailoring utility "
        "(−134.0%) and all of the nDCG (130.6%)."
    )
    assert utility_line(replace(audit, measures=())) == NOT_MEASURED
    errors = replace(audit, measures=(prediction("factorization", 0.9, 1.0),))
    assert utility_line(errors).startswith("Trained on the release, the recommender factorization")
