"""The command line over many kinds of sources: several files, standard input, surveys."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from recloak.cli.main import main
from recloak.io import read, write
from recloak.testing import random_ratings

HEADER = "user,item,rating\n"


@pytest.fixture
def halves(tmp_path: Path) -> list[str]:
    frame = random_ratings(80, 20, 0.4).to_polars()
    files = [tmp_path / "a.csv", tmp_path / "b.csv.gz"]
    write(random_ratings(80, 20, 0.4, seed=1), files[1])
    frame.with_columns(frame["user"] + 1000).write_csv(files[0])
    return [str(file) for file in files]


def inspected(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict:
    assert main(["inspect", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_inspect_several_files(halves: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert inspected(halves, capsys)["users"] == 160


def test_files_from_a_config(
    halves: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f"file = {json.dumps(halves)}\n")
    assert inspected(["--config", str(config)], capsys)["users"] == 160
    config.write_text(f"file = {json.dumps(halves[0])}\n")
    assert inspected(["--config", str(config)], capsys)["users"] == 80


def test_publish_several_files(halves: list[str], tmp_path: Path) -> None:
    words = ["--method", "pseudonymize", "--no-audit", "--out", str(tmp_path / "release")]
    assert main(["publish", *halves, *words]) == 0
    assert (tmp_path / "release").is_dir()


def test_no_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect"]) == 2
    assert "FILE is missing" in capsys.readouterr().err


def test_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = HEADER + "".join(f"{user},{item},3\n" for user in range(5) for item in range(user + 1))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    assert inspected(["-"], capsys)["ratings"] == 15


def test_standard_input_is_read_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--method", "pseudonymize", "--out", str(tmp_path / "r"), "--exclude-users", "-"]
    assert main(["publish", "-", *words]) == 2
    assert "once" in capsys.readouterr().err


def test_survey_flags(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"p{at},{at % 5 + 1},{(at * 7) % 5 + 1},{20 + at}\n" for at in range(30))
    file = tmp_path / "survey.csv"
    file.write_text("who,roads,taxes,age\n" + rows)
    found = inspected([str(file), "--id-column", "who", "--issues", "roads,taxes"], capsys)
    assert (found["users"], found["items"]) == (30, 2)
    assert found["personal"] == ["age"]
    assert found["format"] == "survey"


@pytest.mark.parametrize(
    ("flags", "wide"), [([], True), (["--layout", "long"], False), (["--layout", "wide"], True)]
)
def test_synth_surveys(tmp_path: Path, flags: list[str], wide: bool) -> None:
    file = tmp_path / "survey.csv"
    words = ["--like", "survey", "--users", "40", "--seed", "1", "--out", str(file)]
    assert main(["synth", *words, *flags]) == 0
    assert file.read_text().startswith("respondent,1,2" if wide else "user,item,rating")
    ratings = read(file, format="survey" if wide else None)
    assert (ratings.n_users, ratings.n_items) == (40, 20)


@pytest.mark.parametrize("name", ["small.csv.zst", "small.arrow", "small.feather"])
def test_synth_writes_by_ending(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    assert (
        main(["synth", "--like", "ml-100k", "--users", "30", "--seed", "1", "--out", str(file)])
        == 0
    )
    assert read(file).n_users == 30


def test_netflix_folder_to_a_release(tmp_path: Path) -> None:
    for film in range(1, 9):
        lines = "".join(f"{user},{(user * film) % 5 + 1},2005-01-0{film}\n" for user in range(60))
        (tmp_path / f"mv_{film:07d}.txt").write_text(f"{film}:\n{lines}")
    out = tmp_path.with_name(f"{tmp_path.name}-release")
    assert main(["publish", str(tmp_path), "--method", "pseudonymize", "--out", str(out)]) == 0
    assert (out.parent / f"{out.name}-report.html").is_file()


@pytest.mark.real
@pytest.mark.parametrize(
    "folder",
    ["ciaodvd", "insteval", "jester", "ml-100k", "ml-1m", "movietweetings-100k", "set-valued"],
)
def test_every_folder_loads_with_one_command(
    real_data: Path, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert inspected([str(real_data / folder)], capsys)["ratings"] > 50_000


def test_the_same_file_under_two_names_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("user,item,rating\n1,a,3\n2,b,4\n")
    Path("b.csv").symlink_to("a.csv")
    assert main(["inspect", "a.csv", "b.csv"]) == 2
    assert "same file as a.csv" in capsys.readouterr().err


def test_a_survey_without_a_header_is_not_read_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.csv").write_text("p0,20,Smith,1,1,1\np1,30,Jones,2,3,4\n")
    assert main(["inspect", "s.csv", "--format", "survey"]) == 2
    assert "not a line of column names" in capsys.readouterr().err


def test_one_bad_answer_does_not_cost_the_column(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"p{at},3,{'often' if at == 3 else 4}\n" for at in range(50))
    Path("s.csv").write_text("pid,q1,q2\n" + rows)
    assert main(["inspect", "s.csv", "--format", "survey", "--id-column", "pid"]) == 2
    assert "line 5, column q2" in capsys.readouterr().err
