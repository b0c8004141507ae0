"""Dry runs, quick advice, and audits of what is named alone."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path

import pytest

from recloak.cli.main import main
from recloak.comparison import estimating, protocol, sampling
from recloak.core.errors import PolicyError
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.io import write
from recloak.measures import measure
from recloak.publishing._publication import Publication
from recloak.publishing.checked_options import CheckedOptions
from recloak.publishing.published import Published
from recloak.testing import random_ratings

FEW = {
    "attack": ("record-linkage:known=4,values=true,targets=1000,repeats=4,oracle=no",),
    "measure": (measure("tailoring-utility").spec, measure("fold-in").spec),
}
LOOSE = '[[require]]\nattack = "record-linkage:known=4"\nfigure = "success"\nat_most = 1.0\n'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(protocol, "compared_by_default", lambda family, **_: FEW[family])
    write(random_ratings(60, 30, 0.3), tmp_path / "ratings.csv")
    (tmp_path / "policy.toml").write_text(LOOSE)
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    capsys.readouterr()
    assert main(words) == code, capsys.readouterr()
    return capsys.readouterr().out


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_dry_run_tells_time_and_memory_and_writes_nothing(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = left(here)
    publish = ("publish", "ratings.csv", "--method", "pseudonymize", "--out", "release")
    found = json.loads(told(capsys, *publish, "--no-audit", "--dry-run", "--json"))
    assert found["seconds"] >= 0
    assert found["memory_bytes"] > 0
    small, large = found["tried_on_ratings"]
    assert small < large < found["ratings"]
    shown = told(capsys, *publish, "--no-audit", "--dry-run")
    assert "nothing was written" in shown
    compare = ("compare", "ratings.csv", "--methods", "pseudonymize", "--policy", "policy.toml")
    shown = told(capsys, *compare, "--out", "comparison", "--dry-run")
    assert "nothing was written" in shown
    assert "memory   about" in shown
    assert left(here) == before


def test_a_dry_run_of_a_publication_counts_reading_writing_and_verifying(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    published: list[int] = []

    def slowly(self: Publication, checked: CheckedOptions, progress: Progress) -> Published:
        published.append(self.original.n_ratings)
        time.sleep(0.2)
        raise PolicyError("a sample fails")

    monkeypatch.setattr(Publication, "publish", slowly)
    publish = ("publish", "ratings.csv", "--method", "pseudonymize", "--out", "release")
    found = json.loads(told(capsys, *publish, "--no-audit", "--dry-run", "--json"))
    assert published == [found["tried_on_ratings"][at] for at in (0, 0, 1)]
    assert found["seconds"] >= 0.2


def test_memory_that_grew_from_sample_to_sample_is_expected_to_grow_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = [0.0]

    def work(sample: Ratings) -> None:
        held[0] = max(held[0], 1000 * math.log(sample.n_ratings))

    monkeypatch.setattr(estimating, "used", lambda: held[0])
    ratings = random_ratings(400, 30, 0.5)
    found = estimating.estimate(ratings, work, 7.0)
    assert found.memory == pytest.approx(1000 * math.log(ratings.n_ratings) + 7)


def test_a_dry_run_refuses_what_the_command_would(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "release").mkdir()
    publish = ["publish", "ratings.csv", "--method", "pseudonymize", "--out", "release"]
    assert main([*publish, "--dry-run"]) == 2
    assert "release" in capsys.readouterr().err


def test_an_audit_runs_only_what_is_named(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("audit", "ratings.csv", "ratings.csv", "--attack", "record-linkage:known=4")
    found = json.loads(told(capsys, *words, "--measure", "density", "--json"))
    assert [one["name"] for one in found["attacks"]] == ["record-linkage"]
    assert [one["name"] for one in found["measures"]] == ["density"]
    assert found["policy_results"] == []
    judged = json.loads(told(capsys, *words, "--policy", "policy.toml", "--json"))
    assert [one["status"] for one in judged["policy_results"]] == ["pass"]
    assert "time     about" in told(capsys, *words, "--dry-run")
    assert "Attacks" in told(capsys, *words)
    assert main([*words, "--attack", "record-linking"]) == 2
    assert "Did you mean 'record-linkage'" in capsys.readouterr().err


def test_quick_advice_says_that_it_is_of_a_sample(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "QUICK_PEOPLE", 40)
    words = ("advise", "ratings.csv", "--methods", "gaussian-noise", "--policy", "policy.toml")
    found = json.loads(told(capsys, *words, "--quick", "--json"))
    assert found["sampled_people"] == 40
    assert found["pick"].startswith("gaussian-noise")
    assert "sample of 40 people" in told(capsys, *words, "--quick")
    assert json.loads(told(capsys, *words, "--json"))["sampled_people"] is None


@pytest.mark.parametrize("engine", ["disk", "auto"])
def test_a_dry_run_says_that_it_cannot_estimate_what_does_not_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    """Rather than that reading needs more memory, which the disk engine does not."""
    monkeypatch.chdir(tmp_path)
    write(random_ratings(300, 40), tmp_path / "r.parquet")
    words = ["publish", "r.parquet", "--method", "pseudonymize", "--out", "release", "--dry-run"]
    assert main([*words, "--engine", engine, "--memory", "50KB"]) == 2
    assert "an estimate is made from all ratings in memory" in capsys.readouterr().err
