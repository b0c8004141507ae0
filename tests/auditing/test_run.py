from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recloak.attacks import ATTACKS
from recloak.auditing.evaluation_registry import audited_by_default, evaluations
from recloak.auditing.policy import Policy
from recloak.auditing.run import audit
from recloak.core.errors import ParameterError
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.io import load_to_verify
from recloak.measures import MEASURES
from recloak.methods import method
from recloak.releases.base import Release
from recloak.report import render_html, render_json
from recloak.testing import empty_ratings, random_ratings


def named(applies_to: str) -> set[str]:
    families = (*evaluations("attack"), *evaluations("measure"))
    return {one.name for one in families if one.applies_to == applies_to}


SURVEYS = named("of a survey") | named("of a survey with sensitive issues")
GROUPS = named("of groups")
MANY_ROWS = named("where people have several rows")
LISTS = {"passive-inference", "related-lists"}  # of a history of lists; see test_list_auditing
QUICK = {"attacks": ["record-linkage"], "measures": ["prediction:recommender=item-mean"]}


def test_finds_out_everything_and_judges_it() -> None:
    original = random_ratings(120, 50, 0.3)
    applied = method("pseudonymize").apply(original, Randomness.from_seed(1))
    found = audit(original, applied.release, secret=applied.secret)
    assert found.title == "pseudonymize"
    tried = {finding.name for finding in found.attacks}
    assert tried == set(ATTACKS) - SURVEYS - GROUPS - MANY_ROWS - LISTS - {"release-difference"}
    assert {finding.name for finding in found.measures} == set(MEASURES) - SURVEYS - GROUPS - LISTS
    assert all(finding.figures for finding in found.measures)
    assert found.status == "fail"
    assert not found.enforced
    assert all(finding.seconds > 0 for finding in found.findings)
    assert found.tails["user_counts"]["original"][0][1] == original.user_counts.max()
    assert json.loads(json.dumps(found.to_dict()))["status"] == "fail"
    assert "record-linkage" in repr(found)
    assert "<table" in found._repr_html_()


def test_a_release_that_declares_issues_is_attacked_as_a_survey() -> None:
    original = random_ratings(120, 12, 0.8)
    recipe = method("pseudonymize")
    applied = recipe.apply(original, Randomness.from_seed(1))
    stated = applied.release.manifest.model_copy(update={"parameters": {"sensitive": "1+2"}})
    found = audit(
        original,
        replace(applied.release, manifest=stated),
        secret=applied.secret,
        method=recipe,
        measures=("survey-distortion", "survey-marginals"),
    )
    assert len([one for one in found.attacks if one.name == "survey-linking"]) == 5
    assert len([one for one in found.attacks if one.name == "sensitive-inference"]) == 2
    assert all(one.figures for one in found.findings if one.name in SURVEYS)
    for name in ("inferred_excess", "learned_excess"):
        excess = [one.figure(name) for one in found.attacks if one.figure(name)]
        assert excess, f"{name}: members stand beside respondents who were left out"


def test_a_release_of_groups_is_attacked_as_groups() -> None:
    original = random_ratings(60, 30, 0.4)
    applied = method("microaggregation", k=3, clustering="mdav").apply(original)
    found = audit(original, applied.release, secret=applied.secret)
    assert {one.name for one in found.findings if one.figures} >= GROUPS


def test_is_the_same_under_the_same_seed(small: Ratings) -> None:
    applied = method("gaussian-noise").apply(small, Randomness.from_seed(1))
    one, two = (audit(small, applied.release, secret=applied.secret, **QUICK) for _ in range(2))
    assert [finding.figures for finding in one.findings] == [
        finding.figures for finding in two.findings
    ]


def test_the_policy_says_what_else_is_run(small: Ratings, tmp_path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(
        '[[require]]\nattack = "record-linkage:known=3"\nfigure = "success"\nat_most = 1\n'
        '[[require]]\nclaim = "k-anonymity:k=7"\n'
        '[[require]]\nmeasure = "prediction:recommender=neighbours"\nfigure = "mae"\nat_most = 9\n'
    )
    applied = method("pseudonymize").apply(small)
    found = audit(small, applied.release, secret=applied.secret, policy=Policy.read(path), **QUICK)
    assert [result.status for result in found.policy_results] == ["pass", "fail", "pass"]
    assert not found.enforced


def test_a_release_of_another_tool_is_audited_too(small: Ratings) -> None:
    rows = method("pseudonymize").apply(small).release.as_ratings()
    found = audit(small, rows, **QUICK)
    assert any("matched" in note for note in found.notes)
    assert any("held out of the release itself" in note for note in found.notes)
    success = found.attacks[0].figure("success")
    assert success is not None
    assert success.value > 0.95
    assert found.release["method"] == "unknown"


def test_our_own_release_is_rehearsed_from_its_manifest(small: Ratings) -> None:
    applied = method("gaussian-noise", sigma=2).apply(small)
    found = audit(small, applied.release, **QUICK)
    assert any("rehearsal" in note for note in found.notes)


@pytest.mark.parametrize("release_items", ["1 rating", "no rating"])
def test_degenerate_data_are_audited_without_a_defect(release_items: str) -> None:
    tiny = (
        Ratings.from_columns([1], [1], [3], scale="1..5")
        if release_items[0] == "1"
        else empty_ratings()
    )
    applied = method("pseudonymize").apply(tiny)
    found = audit(tiny, applied.release, secret=applied.secret)
    assert found.status != "pass"


def test_published_times_are_attacked_too() -> None:
    timed = random_ratings(n_users=80, n_items=60, times=True)
    for times, expected in (("month", 1), ("drop", 0)):
        applied = method("pseudonymize", times=times).apply(timed)
        found = audit(timed, applied.release, secret=applied.secret, measures=())
        assert sum(one.parameters.get("days") == 31 for one in found.attacks) == expected


def test_where_people_have_several_rows_these_are_joined_too() -> None:
    original = random_ratings(120, 50, 0.4)
    joining = ("fragment-linking", "subset-bound:known=2", "scoreboard-multi:known=20")
    assert {*joining} < {*audited_by_default("attack")}
    for name, ran in (("fragmentation", True), ("pseudonymize", False)):
        applied = method(name).apply(original, Randomness.from_seed(1))
        found = audit(original, applied.release, secret=applied.secret, measures=())
        found_by = {finding.name for finding in found.attacks if finding.figures}
        assert ({"fragment-linking", "subset-bound", "scoreboard-multi"} <= found_by) is ran


def grouped_release(original: Ratings) -> Release:
    made = method("microaggregation", k=4).apply(original, Randomness.from_seed(9))
    return made.release


def test_a_release_of_groups_is_scored_by_a_rehearsal_if_asked(small: Ratings) -> None:
    release = grouped_release(small)
    chosen = ["record-linkage:known=4"]
    bare = audit(small, release, attacks=chosen, measures=[])
    assert not bare.attacks[0].figures
    assert "--rehearse" in bare.notes[0]
    found = audit(small, release, attacks=chosen, measures=[], rehearse=True)
    success = found.attacks[0].figure("success")
    assert success is not None
    assert success.value > 0
    assert found.notes[0].startswith("Attacks and measures are those of a rehearsal, not of this")
    assert found.release["attacks_on"] == "a rehearsal, not this release"
    assert found.release["release_id"] == release.manifest.release_id
    assert found.verdicts[0].holds
    page = render_html(found)
    assert "Attacks and measures are those of a rehearsal" in page.partition('id="verdict"')[0]
    assert '"attacks_on": "a rehearsal, not this release"' in render_json(found)


def test_a_rehearsal_is_as_good_as_the_secret(small: Ratings) -> None:
    """The same method on the same data: what is found differs by chance only."""
    made = method("microaggregation", k=4).apply(small, Randomness.from_seed(9))
    chosen = {"attacks": ["record-linkage:known=8"], "measures": []}
    known = audit(small, made.release, secret=made.secret, **chosen).attacks[0].figure("success")
    tried = audit(small, made.release, rehearse=True, **chosen).attacks[0].figure("success")
    assert known is not None
    assert tried is not None
    assert tried.value == pytest.approx(known.value, abs=0.05)


def test_what_cannot_be_rehearsed_is_refused(small: Ratings) -> None:
    made = method("microaggregation", k=4).apply(small, Randomness.from_seed(9))
    with pytest.raises(ParameterError, match="names no method"):
        audit(small, small, rehearse=True)
    with pytest.raises(ParameterError, match="takes no secret"):
        audit(small, made.release, secret=made.secret, rehearse=True)


def test_claims_on_a_file_are_about_what_stands_in_it(tmp_path: Path, small: Ratings) -> None:
    """The two rows are one in single precision, and in the file they are two."""
    (tmp_path / "file.csv").write_text("user,item,rating\na,x,3.00000001\nb,x,3.00000006\n")
    loaded = load_to_verify(tmp_path / "file.csv")
    found = audit(loaded.ratings, loaded, claims=["k-anonymity:k=2"], attacks=[], measures=[])
    (verdict,) = [one for one in found.verdicts if one.claim.startswith("k-anonymity")]
    assert verdict.status == "undecided"
    assert verdict.reservations


def test_what_was_held_out_is_told_only_of_measures(small: Ratings) -> None:
    """Who runs one attack reads nothing of a recommender that nobody trained."""
    recipe = method("pseudonymize")
    made = recipe.apply(small)
    known: dict[str, Any] = {"secret": made.secret, "method": recipe, "policy": Policy.nothing()}
    known["attacks"] = ["record-linkage:known=4"]
    for measures, told in (([], False), (["prediction:recommender=item-mean"], True)):
        found = audit(small, made.release, measures=measures, **known)
        assert any("were held out" in note for note in found.notes) is told
