"""Audits of lists: verdicts by release, policies, the report, and publishing."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recloak.auditing.policy import Policy, Requirement
from recloak.core.errors import ClaimError, ParameterError, PolicyError
from recloak.evaluation.findings import Audit
from recloak.evaluation.list_context import ListContext, context_of
from recloak.lists.audit import audit_lists, verdicts_of
from recloak.lists.publish import publish_lists
from recloak.releases.lists.folder import open_history
from recloak.releases.lists.history import History
from recloak.releases.lists.related import Lists
from recloak.report import render_html
from recloak.report._view import view_of
from recloak.report.charts import charts_of
from tests.report.samples import attacked, definitions_for
from tests.support.list_contexts import busy_context, busy_ratings, raw_context

SETTINGS: dict[str, Any] = {
    "start": "0.4",
    "gap": "0.2",
    "releases": 2,
    "delta": "0.4",
    "window": 3,
    "top": 3,
}
FEW = ("passive-inference:known=2",)


def leaking() -> ListContext:
    """A history that promises a bound which its last release, raw, does not keep."""
    context = busy_context()
    last = context.history.releases[-1]
    assert last.raw is not None
    raw = replace(last, lists=last.raw)
    history = replace(context.history, releases=(*context.history.releases[:-1], raw))
    return context_of(history, busy_ratings())


@pytest.fixture(scope="module")
def audited() -> Audit:
    return audit_lists(busy_context(), attacks=FEW)


def test_each_release_has_a_verdict_and_the_promise_one_of_its_own(audited: Audit) -> None:
    whole, *each = audited.verdicts
    assert whole.claim.startswith("delta-bound:delta=0.4,window=3,")
    assert [one.claim for one in each] == [
        f"delta-bound:delta=0.4,window=3 (release {label})" for label in ("001", "002", "003")
    ]
    assert all(verdict.holds for verdict in audited.verdicts)
    assert each[-1].how.count("against") == 2, "each pair of the window is told"
    assert audited.status == "pass"


def test_a_raw_release_breaks_the_promise_and_names_a_witness() -> None:
    context = leaking()
    whole, *each = verdicts_of(context)
    assert [one.status for one in each] == ["holds", "holds", "broken"]
    assert whole.status == "broken"
    assert whole.witness is not None
    assert Fraction(str(whole.witness["share"])) > Fraction("0.4")
    assert whole.witness["releases"][1] == "003"


def test_lists_without_a_promise_have_no_verdict() -> None:
    found = audit_lists(raw_context(), attacks=FEW)
    assert found.verdicts == ()
    assert found.policy_results == ()
    assert "nothing in it is protected" in found.release["not_for_publication"]


def test_measures_are_taken_of_all_and_of_each(audited: Audit) -> None:
    assert [one.parameters["release"] for one in audited.measures] == [0, 1, 2, 3]
    assert [one.name for one in audited.attacks] == ["passive-inference"]


def test_a_policy_judges_figures_of_lists() -> None:
    lines = (
        Requirement(claim="delta-bound:delta=0.4,window=3"),
        Requirement(measure="related-lists", figure="list_recall", at_least=0.99),
        Requirement(attack="passive-inference:known=3", figure="worst_breach", at_most=0.4),
    )
    found = audit_lists(busy_context(), attacks=(), policy=Policy("strict", lines))
    assert [result.status for result in found.policy_results] == ["pass", "fail", "pass"]


def test_what_is_about_tables_is_refused() -> None:
    with pytest.raises(ParameterError, match="not about lists"):
        audit_lists(busy_context(), attacks=("record-linkage",))


def test_the_report_tells_the_narrow_promise_and_the_numbers(audited: Audit) -> None:
    view = view_of(audited)
    assert view.found.startswith("In the worst case a change of lists reveals that 4")
    assert "of the entries of the raw lists are kept" in view.utility[0]
    assert "Disappearances, empty slots, and three releases at once." in dict(view.not_covered)
    assert view.people is None
    assert "lists-by-release" in [chart.identity for chart in charts_of(audited)]
    assert {"δ-bound", "Worst breach"} <= {term for term, _ in definitions_for(audited)}
    page = render_html(audited)
    assert "Lists, release by release" in page
    assert "4 releases" in view.made


def test_the_report_says_what_popularity_tells_beside_guesses() -> None:
    view = view_of(audit_lists(raw_context(), attacks=FEW))
    assert "guesses from changed lists by somebody who knows 2 items" in view.sentences[0]
    assert "by popularity alone" in view.sentences[0]
    assert view.headline.title == "Not for publication"


def test_tables_are_told_as_before() -> None:
    names = [name for name, _ in view_of(attacked()).not_covered]
    assert "Disappearances, empty slots, and three releases at once." not in names


def test_publishing_leaves_a_folder_and_a_report(tmp_path: Path) -> None:
    published = publish_lists(busy_ratings(), out=tmp_path / "lists", **SETTINGS)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["lists", "lists-report.html", "lists-report.json"]
    history = open_history(tmp_path / "lists")
    assert len(history) == 3
    assert history.algorithm == "constructive"
    assert published.audit.status == "pass"
    report = json.loads((tmp_path / "lists-report.json").read_text())
    assert report["status"] == "pass"
    assert report["measures"][0]["spec"] == "related-lists:release=0"


def test_a_failing_policy_publishes_nothing(tmp_path: Path) -> None:
    line = Requirement(measure="related-lists", figure="list_recall", at_least=0.999)
    with pytest.raises(PolicyError, match="nothing was published"):
        publish_lists(
            busy_ratings(), out=tmp_path / "lists", policy=Policy("p", (line,)), **SETTINGS
        )
    assert list(tmp_path.iterdir()) == []


def test_a_broken_claim_publishes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a faulty algorithm made is caught from disk, and no report stays either."""
    history: History = leaking().history
    monkeypatch.setattr("recloak.lists.publish.replay", lambda *_, **__: history)
    with pytest.raises(ClaimError, match="broken"):
        publish_lists(busy_ratings(), out=tmp_path / "lists", **SETTINGS)
    assert list(tmp_path.iterdir()) == []


def test_items_that_nobody_rated_have_empty_lists() -> None:
    context = busy_context()
    further = np.append(context.history.item_labels, 999)
    releases = tuple(
        replace(
            release,
            raw=None,
            lists=Lists(np.vstack([release.lists.slots, np.full((1, 3), -1, np.int32)]), further),
        )
        for release in context.history.releases
    )
    wider = context_of(replace(context.history, releases=releases), busy_ratings())
    assert wider.n_items == context.n_items + 1
    assert all(verdict.holds for verdict in verdicts_of(wider))
    assert audit_lists(wider, attacks=FEW).measures[0].sample > 0
