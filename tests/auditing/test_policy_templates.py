"""Policies that ship: each can be read and explains itself; a survey's can be measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recloak.auditing.policy import TEMPLATES, Policy, template_text
from recloak.auditing.run import audit
from recloak.cli import main
from recloak.core.ratings import Ratings
from recloak.methods import method
from tests.support.surveys import survey_of


@pytest.fixture(scope="module")
def survey() -> Ratings:
    """Four issues: fewer than the ratings that the default policy takes to be known."""
    answers = np.random.default_rng(3).integers(1, 4, (240, 4))
    return survey_of([{f"q{at}": int(level) for at, level in enumerate(row)} for row in answers])


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_is_a_policy_that_explains_itself(name: str, tmp_path: Path) -> None:
    place = tmp_path / "policy.toml"
    assert main(["policy", "init", "--for", name, "--out", str(place), "--quiet"]) == 0
    policy = Policy.read(place)
    assert place.read_text() == template_text(name)
    assert all(line.because for line in policy.requirements)
    assert (policy == Policy.default()) == (name == "default")


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("proximity", {"k": 3, "sensitive": "q3"}),
        ("proximity", {"k": 3}),
        ("synthetic", {"data": "survey", "floor": 2}),
    ],
)
def test_every_line_of_a_surveys_default_policy_is_measured(
    survey: Ratings, name: str, parameters: dict[str, object]
) -> None:
    recipe = method(name, **parameters)
    made = recipe.apply(survey)
    found = audit(survey, made.release, secret=made.secret, method=recipe, attacks=[], measures=[])
    assert len(found.policy_results) >= 4
    assert "not measured" not in {result.status for result in found.policy_results}
    assert any("sensitive" in one.line for one in found.policy_results) == (
        "sensitive" in parameters
    )


@pytest.mark.parametrize("reading", [{"format": "survey"}, {"id_column": True}, {"issues": 4}])
def test_what_was_read_as_a_survey_is_judged_as_one(
    survey: Ratings, reading: dict[str, object]
) -> None:
    made = method("pseudonymize").apply(survey)
    said = made.release.manifest.model_copy(update={"config": {"reading": reading}})
    found = audit(survey, replace(made.release, manifest=said), attacks=[], measures=[])
    assert found.policy == "Survey policy"
    assert "not measured" not in {result.status for result in found.policy_results}


def test_a_manifest_that_says_nonsense_of_the_reading_is_judged_as_ratings(survey: Ratings) -> None:
    made = method("pseudonymize").apply(survey)
    said = made.release.manifest.model_copy(update={"config": {"reading": "survey"}})
    found = audit(survey, replace(made.release, manifest=said), attacks=[], measures=[])
    assert found.policy == "Default policy"


def test_respondents_are_owed_the_same_limits_as_raters() -> None:
    """Few respondents leave wide intervals: a line may fail for that, but no limit is wider."""
    limits = {(line.attack, line.figure): line.at_most for line in Policy.default().requirements}
    survey = Policy.default_for({"data": "survey"})
    for line in survey.requirements:
        if (line.attack, line.figure) in limits:
            assert line.at_most == limits[line.attack, line.figure], str(line)
    assert {line.figure for line in survey.requirements} >= {"membership", "excess"}


def test_the_digest_is_of_what_a_policy_says_not_of_how_it_is_written(tmp_path: Path) -> None:
    place = tmp_path / "policy.toml"
    place.write_text("# signed by nobody yet\n" + template_text("public"))
    written = Policy.read(place)
    assert len(written.digest) == 64
    place.write_text(written.to_toml())
    assert Policy.read(place).digest == written.digest
    place.write_text(template_text("public").replace("at_most = 0.60", "at_most = 0.61"))
    assert Policy.read(place).digest != written.digest
