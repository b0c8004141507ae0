"""The appendix: what is known of seeds, how long things took, and where they were described."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recloak.evaluation.findings import Audit, Verdict
from recloak.report import render_html
from recloak.report._appendix import randomness_facts, references, timings
from tests.report.samples import attacked, linkage, prediction
from tests.support.page_reader import read_page


@pytest.mark.parametrize(
    ("release", "message"),
    [
        ({"reproducible": True}, "can make it again, and so re-link it"),
        ({"reproducible": False}, "or from a seed of at least 128 bits"),
        ({}, "Not recorded."),
    ],
)
def test_seeds_or_their_absence(release: dict[str, object], message: str) -> None:
    assert message in dict(randomness_facts(Audit("t", release, {})))["Release"]


def test_what_became_of_the_secret_and_what_the_audit_drew() -> None:
    audit = replace(attacked(linkage(4, 0.5)), release={"config": {"secret": "destroyed"}})
    facts = dict(randomness_facts(audit))
    assert facts["Secret"] == "destroyed"
    assert facts["Audit"] == "Seed 7: it fixes what attacks and measures drew."
    nothing = dict(randomness_facts(Audit("t", {"config": "odd"}, {})))
    assert (nothing["Secret"], nothing["Audit"]) == ("Not recorded.", "Nothing was drawn.")


def test_every_part_has_its_time() -> None:
    claim = Verdict("k-anonymity:k=2", "holds", "x", seconds=0.5)
    audit = replace(attacked(linkage(4, 0.5)), verdicts=(claim,), measures=(prediction("m", 1, 1),))
    table = timings(audit)
    assert table is not None
    assert [row[0] for row in table.rows] == ["Claim", "Attack", "Measure"]
    assert table.rows[0][2] == "0.5 s"
    assert timings(Audit("t", {}, {})) is None


def test_references_are_given_once_and_only_for_what_was_used() -> None:
    odd = replace(linkage(4, 0.5), name="somebody-elses")
    audit = replace(
        attacked(linkage(2, 0.5), linkage(4, 0.5), odd),
        release={"method": "microaggregation"},
        verdicts=(Verdict("k-anonymity:k=2", "holds", "x"),),
    )
    found = references(audit)
    assert [name for name, _ in found] == ["microaggregation", "k-anonymity", "record-linkage"]
    shown = read_page(render_html(audit)).text
    assert all(reference in shown for _, reference in found)
