"""An attack and measures of an installed package are treated as ours, whatever figures are called.

The package is `tests/support/installed`; the how-tos' own are tried with the documentation.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

import recloak
from recloak.auditing.evaluation_registry import audited_by_default, evaluations, utility_figures
from recloak.cli._shared.screen import Screen
from recloak.cli._shared.show import show_audit
from recloak.comparison._knowledge_charts import by_knowledge
from recloak.comparison.protocol import Protocol
from recloak.comparison.requirements import (
    Objective,
    judge,
    measurable,
    parse_requirement,
    utility_objective,
)
from recloak.comparison.trials import Trial
from recloak.evaluation.findings import Audit, Finding
from recloak.report import render_html
from recloak.report._view import View, view_of
from recloak.report.charts import charts_of
from recloak.report.dossier._sections import _outcome
from recloak.report.wording._limits import line_leaves_open, worst_off_statement
from recloak.report.wording.glance import utility_line
from recloak.testing import random_ratings
from recloak.testing._evaluation import check_declarations
from tests.comparison.samples import trial as sample_trial
from tests.support.installed import install_spotting

ATTACKS = ["spotting:known=2", "spotting:known=4", "record-linkage:known=4"]
POLICY = """
[[require]]
attack = "record-linkage:known=4"
figure = "success"
at_most = 1.0

[[require]]
attack = "spotting:known=4"
figure = "spotted_most"
at_most = 0.1

[[require]]
measure = "forecast"
figure = "come_true_lost"
at_most = 0.2
"""


@pytest.fixture(scope="module", autouse=True)
def _installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("installed")
    install_spotting(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield
    sys.modules.pop("spotting", None)


@pytest.fixture(scope="module")
def found(_installed: None, tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """Who knows four ratings finds few by our attack: groups of eight are alike."""
    place = tmp_path_factory.mktemp("policy") / "policy.toml"
    place.write_text(POLICY)
    ratings = random_ratings(64, 30, 0.4)
    applied = recloak.method("microaggregation", k=8).apply(ratings)
    return recloak.audit(
        ratings,
        applied.release,
        secret=applied.secret,
        attacks=ATTACKS,
        measures=["forecast", "welcome"],
        policy=place,
    )


@pytest.fixture(scope="module")
def view(found: Audit) -> View:
    return view_of(found)


@pytest.fixture
def trial(found: Audit) -> Trial:
    return replace(sample_trial("pseudonymize"), audit=found)


def finding(audit: Audit, name: str, known: int = 4) -> Finding:
    named = [one for one in audit.findings if one.name == name]
    return next(one for one in named if one.parameters.get("known") in (None, known))


def test_every_audit_runs_it_and_every_declaration_goes_together() -> None:
    assert "spotting:known=2" in audited_by_default("attack")
    assert "welcome" in audited_by_default("measure")
    for family in ("attack", "measure"):
        for kind in evaluations(family):  # type: ignore[arg-type]
            check_declarations(kind)


def test_the_report_begins_with_the_rate_of_success_whatever_it_is_called(view: View) -> None:
    assert view.found == (
        "Out of 100 people of whom an acquaintance knows 4 ratings, about 20 (18–22) would be "
        "found."
    )
    assert view.people is not None
    assert "20 of 100 people would be found" in view.people
    assert ("found", "found by spotting (knows 4 ratings)") in view.legend
    worst = "Among the tenth of people on whom spotting (knows 4 ratings) does best, "
    assert f"{worst}about 40 (38–42) of 100 would be found." in view.sentences


def test_a_caveat_stands_where_a_low_rate_would_be_called_harmless(
    found: Audit, view: View
) -> None:
    caveat = "The household is spotted in about 80 (78–82) of 100 tries by spotting"
    assert any(one.startswith(caveat) for one in view.sentences)
    assert not any("Most tries fail" in one for one in view.sentences)
    without = [
        replace(one, figures=tuple(each for each in one.figures if each.name != "household"))
        for one in found.attacks
    ]
    said = view_of(replace(found, attacks=tuple(without))).sentences
    assert any("Most tries fail" in one for one in said)


def test_those_who_fare_worst_are_told_by_their_role(found: Audit, view: View) -> None:
    assert view.worst_off_table is not None
    rows = {row[0]: row[1:] for row in view.worst_off_table.rows}
    assert rows["spotting (knows 4 ratings)"] == ("20.0% (18.0%–22.0%)", "40.0% (38.0%–42.0%)")
    assert "spotting (knows 4 ratings) hits them hardest" in worst_off_statement(found)


def test_where_no_row_is_found_the_worst_off_have_the_declared_sentence(found: Audit) -> None:
    spotting = finding(found, "spotting")
    alone = tuple(one for one in spotting.figures if one.name == "overheard")
    said = worst_off_statement(replace(found, attacks=(replace(spotting, figures=alone),)))
    assert said.endswith(
        "Of the tenth whom spotting (knows 4 ratings) overhears most, 30.0% (28.0%–32.0%) is "
        "overheard."
    )


def test_the_gain_is_told_beside_the_original_with_what_is_added(view: View) -> None:
    one, other = view.raw_gain
    assert one.startswith("On average, one try of spotting (knows 4 ratings) yields 3 (2–4) true")
    assert other == (
        "About a person of whom they know 4 ratings, an attacker who spots people would learn 12 "
        "further items from the unprotected data on average; from the release they learn 3, 25.0% "
        "of that (one who looks at night, 1.5)."
    )


def test_charts_are_drawn_of_roles_originals_and_declared_bars(found: Audit) -> None:
    charts = {one.identity: one for one in charts_of(found)}
    by_known = charts["spotted-spotting"]
    assert by_known.table.columns == ("Known", "This release", "The unprotected original")
    bars = charts["spotting"]
    assert bars.title == "Who is spotted where?"
    assert [row[0] for row in bars.table.rows] == ["at home", "elsewhere"]
    both = (finding(found, "forecast"), replace(finding(found, "forecast"), label="another"))
    drawn = {one.identity: one for one in charts_of(replace(found, measures=both))}
    row = ("the almanac", "70.0% (68.0%–72.0%)", "60.0% (58.0%–62.0%)")
    assert drawn["come-true-bars"].table.rows[0] == row


def test_a_measure_of_lists_is_drawn_release_by_release(found: Audit) -> None:
    forecast = finding(found, "forecast")
    nights = tuple(replace(forecast, parameters={"release": night}) for night in (1, 2))
    charts = {one.identity: one for one in charts_of(replace(found, measures=nights))}
    drawn = charts["lists-by-release"].table
    assert drawn.columns == ("Release", "Forecasts that came true")
    assert drawn.rows == (("1", "60.0% (58.0%–62.0%)"), ("2", "60.0% (58.0%–62.0%)"))


def test_utility_is_told_by_role_change_and_people(found: Audit, view: View) -> None:
    assert utility_line(found) == (
        "A recommender for people who are not in the release keeps 80.0% of the warmth. Outside "
        "it is 40.0% (38.0%–42.0%)."
    )
    assert view.utility[1] == (
        "Trained on the release, a recommender is off by 0.9000 on a rating it has not seen (root "
        "mean square); trained on the original, by 0.7000, so that the error rose by 0.2000, 5.0% "
        "of the scale."
    )


def test_the_screen_has_every_figure_in_its_column(
    found: Audit, capsys: pytest.CaptureFixture[str]
) -> None:
    show_audit(Screen(argparse.Namespace(json=False, quiet=False)), found)
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    row = "spotting knows 4 ratings 20.0% (18.0%–22.0%) 40.0% (38.0%–42.0%) –"
    assert row in lines
    newcomers = lines.index("Utility: for people who are not in the release")
    errors = lines.index("Utility: error of a recommender for people in the release")
    others = lines.index("Utility: other figures before and after")
    assert newcomers < errors < others
    assert any(line.startswith("warmth for newcomers") for line in lines[newcomers:errors])
    assert any(line.startswith("the almanac 0.7000") for line in lines[errors:others])
    for name in ("forecasts that come true", "queue"):  # what is lost stands under no "kept"
        (shown,) = [line for line in lines if line.startswith(name)]
        assert shown.endswith("10.0% (8.0%–12.0%)")
        assert lines.index(shown) > others


def test_the_dossier_names_the_rate_of_success(found: Audit) -> None:
    assert _outcome(finding(found, "spotting"))[0] == "spotted 20.0% (18.0%–22.0%)"


def test_policies_judge_it_and_compare_attacks_by_role(found: Audit, view: View) -> None:
    ours, theirs, use = found.policy_results
    assert (theirs.status, use.status) == ("fail", "pass")
    assert theirs.judged == pytest.approx(0.42)
    assert "spotting (knows 4 ratings), reaches 20.0%" in line_leaves_open(ours, found)
    assert "spotting, knows 4 ratings: spotted most at most 10%" in str(view.policy_results[1].name)


def test_the_page_explains_its_words(found: Audit) -> None:
    page = render_html(found)
    assert "How many are spotted." in page
    assert "Warmth for newcomers" in page


def test_requirements_and_objectives_know_it(trial: Trial) -> None:
    usual = Protocol.usual()
    assert judge(parse_requirement("spotted<=0.3", usual), trial).status == "pass"
    assert judge(parse_requirement("spotting:known=4 spotted<=10%", usual), trial).status == "fail"
    assert judge(parse_requirement("forecast off_by_share<=10%", usual), trial).status == "pass"
    names = [one.name for one in utility_figures()]
    assert names.index("fold_in_mu") < names.index("warmth") < names.index("mu")
    assert measurable(utility_objective(), [trial]) == Objective("warmth")


def test_a_part_counts_only_beside_its_whole(trial: Trial, found: Audit) -> None:
    assert len(trial.figures("spotted_most")) == 2
    spotting = finding(found, "spotting")
    part = tuple(one for one in spotting.figures if one.name == "spotted_most")
    alone = replace(found, attacks=(replace(spotting, figures=part),))
    assert replace(trial, audit=alone).figures("spotted_most") == []


def test_a_comparison_draws_its_rate_of_success_by_what_is_known(trial: Trial) -> None:
    drawn = {one.title: one for one in by_knowledge({"pseudonymize": [trial]})}
    chart = drawn["Found by spotting, by what is known: pseudonymize"]
    assert "10.0% (8.0%–12.0%)" in str(chart.table)
