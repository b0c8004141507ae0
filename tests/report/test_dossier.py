"""The dossier: complete, filled in, harmless, and made only of evidence that belongs together."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import recloak
from recloak.cli import main
from recloak.report.dossier import dossier_of, evidence_of, render_dossier
from recloak.report.dossier._document import BulletList
from recloak.report.dossier._recipients import PROFILES
from recloak.report.table import Table
from recloak.testing import random_ratings
from tests.report.samples import HOSTILE, linkage
from tests.support.browsing import WIDTHS, browser, visiting
from tests.support.page_reader import read_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["browser"]
PARTS = (
    "Summary",
    "The three risks",
    "Motivated-intruder test",
    "Recipients",
    "Policy",
    "For the impact assessment",
    "Description of the processing",
    "Necessity and proportionality",
    "Risks to the rights and freedoms of people",
    "Measures against these risks",
    "Remaining risk and review",
    "What this does not cover",
    "Versions and digests",
)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dossier")
    ratings = random_ratings(120, 50, 0.3)
    recloak.publish(
        ratings, "microaggregation", k=4, out=folder / "release", data_name="shop <ratings>"
    )
    return folder / "release"


@pytest.fixture
def here(published: Path, tmp_path: Path) -> Path:
    shutil.copytree(published, tmp_path / "release")
    for ending in ("html", "json"):
        report = published.with_name(f"release-report.{ending}")
        shutil.copy(report, tmp_path / report.name)
    return tmp_path


def test_page_and_markdown_have_every_part_and_the_figures(here: Path) -> None:
    assert main(["dossier", str(here / "release"), "--quiet"]) == 0
    page = read_page((here / "release-dossier.html").read_text())
    text = (here / "release-dossier.md").read_text()
    headings = [one.text for tag in ("h2", "h3") for one in page.all(tag)]
    assert sorted(headings) == sorted(PARTS)
    listed = [one.text for one in page.all("li")]
    dossier = dossier_of([evidence_of(here / "release")])
    blocks = [block for one in dossier.sections for block in one.blocks]
    lists = [block for block in blocks if isinstance(block, BulletList)]
    assert listed == [sentence for block in lists for sentence in block.sentences]
    assert any(one.startswith("Verdict: ") for one in listed)
    assert not [one for one in page.all("p") if "BulletList" in one.text or "Table(" in one.text]
    assert all(f"# {part}\n" in text for part in PARTS)
    found = json.loads((here / "release-report.json").read_text())
    attacks = {one["name"] for one in found["attacks"]}
    assert all(name in page.text and name in text for name in attacks)
    assert "shop <ratings>" in page.text
    assert found["policy_digest"] in text
    for file in (here / "release").iterdir():
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        assert digest in text
        assert digest in page.text


def test_the_three_risks_stand_beside_their_controls(published: Path) -> None:
    document = dossier_of([evidence_of(published)])
    (section,) = [one for one in document.sections if one.heading == "The three risks"]
    table = section.blocks[-1]
    assert not isinstance(table, str)
    rows = getattr(table, "rows", ())
    assert [row[0].split(":")[0] for row in rows] == ["Singling out", "Linkability", "Inference"]
    assert all("%" in cell for row in rows for cell in row[2:])


def test_what_was_not_measured_fills_no_rows_and_is_named_with_its_reason(
    published: Path, tmp_path: Path
) -> None:
    evidence = evidence_of(published)
    untried = replace(linkage(4, 0.5), figures=(), notes=("Nobody has 4 answers.",))
    asked = replace(evidence, audit=replace(evidence.audit, attacks=(untried, linkage(8, 0.2))))
    document = dossier_of([asked])
    intruders, recipients = (
        next(one for one in document.sections if one.heading == heading).blocks
        for heading in ("Motivated-intruder test", "Recipients")
    )
    tables = [one for one in (*intruders, *recipients) if isinstance(one, Table)]
    assert not [row for table in tables for row in table.rows if "not measured" in " ".join(row)]
    assert "knows 4 ratings" not in [row[1] for row in tables[0].rows]
    assert intruders[-1] == BulletList((f"{untried.title}. Nobody has 4 answers.",))
    assert "singling out (the public, a partner under contract, own researchers)" in recipients[-1]


def test_lines_of_the_policy_are_in_words(published: Path) -> None:
    (section,) = [
        one for one in dossier_of([evidence_of(published)]).sections if one.heading == "Policy"
    ]
    lines = [row[0] for table in section.blocks if isinstance(table, Table) for row in table.rows]
    assert any("at most 10%" in line for line in lines)
    assert not [line for line in lines if "_" in line]


def test_a_partner_knows_less_than_the_public_and_who_holds_the_original_is_inside() -> None:
    public, partner, own = PROFILES
    few, every = linkage(8, 0.2), linkage(0, 0.5)
    oracle = linkage(0, 0.6)
    oracle = type(oracle)(**{**vars(oracle), "parameters": {"known": 0, "oracle": "to-release"}})
    assert [one.can(few) for one in (public, partner, own)] == [True, True, True]
    assert [one.can(every) for one in (public, partner, own)] == [True, False, True]
    assert [one.can(oracle) for one in (public, partner, own)] == [False, False, True]


def test_several_releases_make_one_dossier(here: Path) -> None:
    for name in ("release", "release-report.json"):
        source = here / name
        target = here / name.replace("release", "second", 1)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    words = [str(here / "release"), str(here / "second"), "--out", str(here / "both")]
    assert main(["dossier", *words, "--quiet"]) == 0
    text = (here / "both.md").read_text()
    assert "## Summary (release)" in text
    assert "## Summary (second)" in text


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda here: (here / "release-report.json").unlink(), "the report's JSON is missing"),
        (
            lambda here: (here / "release-report.json").write_text("[]"),
            "is not the JSON of a report",
        ),
        (lambda here: (here / "release" / "README.md").write_text("x"), "changed or damaged"),
        (lambda here: (here / "release" / "manifest.json").unlink(), "no manifest.json"),
        (lambda here: _renumber(here / "release-report.json"), "report of another release"),
        (lambda here: (here / "release-dossier.md").write_text("mine"), "exist"),
    ],
)
def test_what_is_missing_or_does_not_belong_is_refused(
    here: Path, capsys: pytest.CaptureFixture[str], spoil: object, said: str
) -> None:
    assert callable(spoil)
    spoil(here)
    assert main(["dossier", str(here / "release")]) == 2
    assert said in capsys.readouterr().err
    assert not (here / "release-dossier.html").exists()


def _renumber(report: Path) -> None:
    content = json.loads(report.read_text())
    content["release"]["release_id"] = "0" * 32
    report.write_text(json.dumps(content))


def test_hostile_texts_are_text_on_the_page_and_in_markdown(here: Path) -> None:
    report = here / "release-report.json"
    content = json.loads(report.read_text())
    content["data"] = HOSTILE
    content["attacks"][0]["label"] = HOSTILE
    report.write_text(json.dumps(content))
    page, text = render_dossier(dossier_of([evidence_of(here / "release")]))
    assert page.count("<script") == 1
    assert "<img" not in page
    assert "<img" not in text.replace("\\<", "")
    assert "\\<img" in text


def test_the_page_loads_nothing_and_fits_every_width(
    browser: Browser, tmp_path: Path, published: Path
) -> None:
    page, _ = render_dossier(dossier_of([evidence_of(published)]))
    with visiting(browser, page, tmp_path) as visit:
        for width in WIDTHS:
            visit.page.set_viewport_size({"width": width, "height": 800})
            assert visit.page.evaluate("document.body.scrollWidth <= window.innerWidth + 1")
            assert visit.clipped() == []
        visit.was_quiet()


def test_a_survey_has_its_own_words_and_policy_template(tmp_path: Path) -> None:
    answers = "\n".join(f"{at},{1 + at % 2},{1 + at % 3},{1 + at % 4}" for at in range(60))
    (tmp_path / "staff.csv").write_text(f"respondent,pay,boss,income\n{answers}\n")
    read = recloak.read(tmp_path / "staff.csv", format="survey", sensitive=["income"])
    recloak.publish(read, "proximity", k=2, l=0.1, sensitive="income", out=tmp_path / "given")
    dossier = dossier_of([evidence_of(tmp_path / "given")])
    blocks = [block for one in dossier.sections for block in one.blocks]
    tables = {block.columns[-1]: block for block in blocks if isinstance(block, Table)}
    assert {row[-1] for row in tables["Policy template"].rows} == {"survey"}
    assert all("ratings" not in row[2] for row in tables["Policy template"].rows[:2])
    said = " ".join(block for block in blocks if isinstance(block, str))
    assert "60 respondents, 3 issues and 180 answers" in said
    assert not any("-0" in row[2] for row in tables["Because"].rows)
