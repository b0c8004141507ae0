"""Sensitive inference: what is stated of members, beside respondents who were left out."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from recloak.attacks import attack
from recloak.core.errors import ParameterError
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.evaluation.control_group import ControlGroup
from recloak.evaluation.findings import Figure, Finding
from recloak.simulation import synthesize
from recloak.testing import AttackContract
from tests.report.samples import attacked, said_by
from tests.support.surveys import Table, controlled, survey_of, unchanged, without_issues

SPEC = "sensitive-inference"


class TestSensitiveInference(AttackContract):
    name = SPEC
    parameters = {"sensitive": "1"}
    success = "inferred"

    def test_a_survey_without_declared_issues_is_not_measured(self) -> None:
        finding = attack(SPEC).run(without_issues(unchanged([{"a": 1, "s": 2}])))
        assert finding.figures == ()
        assert "No issue was declared" in finding.notes[0]

    def test_with_a_control_group_too_all_figures_are_declared_with_intervals(self) -> None:
        finding = attack(f"{SPEC}:sensitive=s").run(telling_nothing())
        assert {figure.name for figure in finding.figures} >= {
            "inferred",
            "inferred_outsiders",
            "inferred_excess",
            "inferred_guess",
            "inferred_worst_tenth",
            "inferred_worst_tenth_outsiders",
        }
        for figure in finding.figures:
            assert self.make().declared(figure.name) is not None
            assert figure.low is not None
            assert figure.high is not None
            assert figure.low <= figure.value <= figure.high


def figure(finding: Finding, name: str) -> Figure:
    found = finding.figure(name)
    assert found is not None, f"{name}: {finding.notes}"
    return found


def value(finding: Finding, name: str) -> float:
    return figure(finding, name).value


def table(people: int, answer: str, seed: int = 3) -> Ratings:
    """Six non-sensitive answers at random, and one that follows from them, or from nothing."""
    rng = np.random.default_rng(seed)
    rows: Table = []
    for levels in rng.integers(1, 6, (people, 6)).tolist():
        row = dict(zip("abcdef", levels, strict=True))
        row["s"] = row["a"] if answer == "of a" else int(rng.integers(1, 6))
        rows.append(row)
    return survey_of(rows)


@cache
def telling_nothing() -> AuditContext:
    """Everybody's answers as they are; the sensitive one has nothing to do with the others."""
    return controlled(table(400, "of nothing"), "pseudonymize")


def test_unchanged_rows_give_members_away_and_nobody_else() -> None:
    finding = attack(f"{SPEC}:sensitive=s").run(telling_nothing())
    assert value(finding, "inferred") > 0.95
    assert value(finding, "inferred_outsiders") < 0.45
    excess = figure(finding, "inferred_excess")
    assert excess.value == pytest.approx(
        value(finding, "inferred") - value(finding, "inferred_outsiders")
    )
    assert excess.low is not None
    assert excess.low > 0.4
    assert value(finding, "inferred_guess") < 0.4
    assert value(finding, "confident") > 0.8, "they know that they are right"
    assert value(finding, "confident_right") > 0.95


def test_an_answer_that_follows_for_everybody_is_no_excess() -> None:
    finding = attack(f"{SPEC}:sensitive=s").run(controlled(table(400, "of a"), "pseudonymize"))
    assert value(finding, "inferred") > 0.9
    assert value(finding, "inferred_outsiders") > 0.85
    excess = figure(finding, "inferred_excess")
    assert excess.low is not None
    assert excess.low <= 0.02
    assert excess.value < 0.1


def test_a_group_that_shares_one_answer_gives_it_away() -> None:
    """Nobody finds a row among four alike, and nobody has to: all four say the same."""
    finding = attack(SPEC).run(cliques(outsiders=people(60, seed=5)))
    assert value(finding, "inferred") == 1
    assert value(finding, "inferred_outsiders") < 0.5
    excess = figure(finding, "inferred_excess")
    assert excess.low is not None
    assert excess.low > 0.4
    assert value(finding, "inferred_worst_tenth") == 1


def test_what_is_true_of_people_who_answer_alike_is_no_excess() -> None:
    """Those left out answer as a group in the release does, the sensitive issue too."""
    finding = attack(SPEC).run(cliques(outsiders=people(60, seed=4)))
    assert value(finding, "inferred") == value(finding, "inferred_outsiders") == 1
    excess = figure(finding, "inferred_excess")
    assert excess.value == 0
    assert excess.low is not None
    assert excess.high is not None
    assert excess.low < 0 < excess.high


def people(count: int, seed: int) -> Table:
    """Answers at random, the sensitive one too."""
    levels = np.random.default_rng(seed).integers(1, 6, (count, 8)).tolist()
    return [dict(zip("abcdefgs", row, strict=True)) for row in levels]


def cliques(outsiders: Table) -> AuditContext:
    """Groups of four who answer alike, published as they are, beside those left out."""
    members = [row for row in people(60, seed=4) for _ in range(4)]
    rehearsed = unchanged(members, sensitive="s")
    group = ControlGroup(rehearsed, 4 * np.arange(60), survey_of(outsiders), "by hand")
    return replace(rehearsed, control=lambda draw, fold, progress: group)


def test_larger_groups_give_less_away() -> None:
    original = synthesize("survey", users=900, seed=2)
    issues = {"sensitive": "20", "non_sensitive": "1+2+3+4+5+6"}
    excess = [
        value(attack(SPEC).run(controlled(original, k=k, l=0.0, **issues)), "inferred_excess")
        for k in (2, 25)
    ]
    unprotected = controlled(original, "pseudonymize")
    spec = f"{SPEC}:sensitive=20,non_sensitive=1+2+3+4+5+6"
    assert value(attack(spec).run(unprotected), "inferred_excess") > excess[0] > excess[1]


def test_who_knows_more_answers_states_more() -> None:
    found = [
        value(attack(f"{SPEC}:sensitive=s,known={known}").run(telling_nothing()), "inferred")
        for known in (1, 4, 0)
    ]
    assert found == sorted(found)
    assert found[0] < 0.5


def test_without_the_method_there_are_members_alone() -> None:
    context = replace(telling_nothing(), control=None)
    finding = attack(f"{SPEC}:sensitive=s").run(context)
    assert value(finding, "inferred") > 0.95
    assert finding.figure("inferred_excess") is None
    assert "cannot be rehearsed" in finding.notes[-1]


def test_an_issue_that_only_outsiders_answered_leaves_no_control() -> None:
    """The rehearsed method cannot know it, which is said and stops nothing."""
    rows: Table = [{"a": 1 + at % 5, "b": 1 + at % 3, "s": 1 + at % 2} for at in range(60)]
    original = survey_of(rows)
    context = controlled(original, k=3, sensitive="s")

    def refused(draw: int, fold: int, progress: Progress) -> ControlGroup:
        raise ParameterError("there is no issue 's'")

    finding = attack(SPEC).run(replace(context, control=refused))
    assert finding.sample > 0
    assert "there is no issue 's'" in finding.notes[-1]


def test_it_is_audited_where_issues_are_sensitive() -> None:
    rows: Table = [{"a": 1, "s": 2}, {"a": 2, "s": 1}]
    assert attack(SPEC).applies(unchanged(rows, sensitive="s"))
    assert not attack(SPEC).applies(unchanged(rows, sensitive=""))
    assert not attack(SPEC).applies(without_issues(unchanged(rows)))
    finding = attack(f"{SPEC}:non-sensitive=a").run(unchanged(rows))
    assert finding.figures == ()
    assert "No issue was declared sensitive" in finding.notes[0]


def test_who_left_the_sensitive_issue_out_is_not_asked() -> None:
    rows: Table = [{"a": 1 + at % 5, "s": 1} for at in range(20)] + [{"a": 2}] * 5
    finding = attack(SPEC).run(unchanged(rows, sensitive="s"))
    assert finding.sample == 20
    assert value(finding, "inferred") == value(finding, "inferred_guess") == 1


def test_the_report_says_members_beside_those_left_out() -> None:
    first, second, third = said_by(SPEC, attacked(attack(SPEC).run(cliques(people(60, seed=5)))))
    assert "of 100 sensitive answers of members correctly" in first
    assert "of respondents who were left out, about" in first
    assert "always giving the most frequent answer is right in" in first
    assert second.startswith("Being in the release gives away")
    assert "of respondents who were left out" in third
    alike = said_by(SPEC, attacked(attack(SPEC).run(cliques(people(60, seed=4)))))
    assert (
        "No difference between members and respondents who were left out could be shown" in alike[1]
    )
