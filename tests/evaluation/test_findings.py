"""Figures as people read them."""

from __future__ import annotations

import pytest

from recloak.evaluation.findings import Figure
from recloak.evaluation.formatting import fact_shown


@pytest.mark.parametrize(
    ("figure", "shown"),
    [
        (Figure("a", -0.0001, -0.0002, 0.001), "0.0% (0.0%–0.1%)"),
        (Figure("a", -0.004, -0.014, 0.002), "-0.4% (-1.4% to 0.2%)"),
        (Figure("a", -0.00001, unit="rating"), "0.0000"),
        (Figure("a", float("nan")), "unknown"),
    ],
)
def test_what_is_rounded_to_nothing_has_no_sign(figure: Figure, shown: str) -> None:
    assert figure.shown() == shown


def test_facts_within_facts_stand_in_brackets() -> None:
    facts = {"secret": "destroyed", "reading": {"order": 2, "issues": 8}, "claims": {}}
    assert fact_shown(facts) == "secret = destroyed, reading (order = 2, issues = 8), claims = none"
