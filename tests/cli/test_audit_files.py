"""audit as a user types it: claims on a file, and a rehearsal of a release of groups."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recloak.cli.main import main
from recloak.io import write
from recloak.testing import random_ratings


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(random_ratings(40, 12, 0.5), tmp_path / "ratings.csv")
    return tmp_path


def test_a_claim_on_a_file_is_not_held_by_what_was_not_read(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All rows are alike but for a column that is left out, so nobody knows whether it holds."""
    rows = [f"p{at},{item},3,N{at}" for at in range(6) for item in ("a", "b")]
    (here / "theirs.csv").write_text("\n".join(["user,item,rating,name", *rows]) + "\n")
    words = ["audit", "theirs.csv", "theirs.csv", "--claim", "k-anonymity:k=2", "--json"]
    assert main(words) == 3
    (verdict,) = json.loads(capsys.readouterr().out)["verdicts"]
    assert verdict["status"] == "undecided"
    assert "name" in verdict["reservations"][0]


def test_a_rehearsal_is_labelled_on_the_screen_and_in_the_json(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--method", "microaggregation", "--k", "4", "--no-audit", "--out", "release"]
    assert main(["publish", "ratings.csv", *words]) == 0
    capsys.readouterr()
    assert main(["audit", "ratings.csv", "release"]) == 0
    assert "--rehearse" in capsys.readouterr().out
    assert main(["audit", "ratings.csv", "release", "--rehearse", "--report", "r.html"]) == 0
    shown = capsys.readouterr()
    assert "Attacks and measures are those of a rehearsal, not of this release" in shown.err
    document = json.loads((here / "r.json").read_text())
    assert document["release"]["attacks_on"] == "a rehearsal, not this release"
    assert document["attacks"][0]["figures"]
