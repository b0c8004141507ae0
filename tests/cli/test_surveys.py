"""Surveys on the command line: declared issues, schema files, verify and inspect."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from recloak.cli.main import main
from recloak.io import write
from recloak.testing import random_ratings

ANSWERS = [
    "respondent,schools,roads,age,income",
    "a,1,2,3,1",
    "b,2,2,3,5",
    "c,5,,1,2",
    "d,5,,2,4",
]
CLAIM = "proximity:k=2,epsilon=1,l=1"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.csv").write_text("\n".join(ANSWERS) + "\n")
    write(random_ratings(80, 40, 0.3), tmp_path / "ratings.csv")
    return tmp_path


def verdict(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    capsys.readouterr()
    main(["verify", *words, "--json"])
    result = json.loads(capsys.readouterr().out)
    assert "verdicts" in result, result
    return dict(result["verdicts"][0])


def failure(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 2
    return capsys.readouterr().err


def test_a_wide_file_is_taken_for_what_is_declared_in_it(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pl.read_csv("survey.csv").drop("age").write_csv("survey.csv")
    assert main(["verify", "survey.csv", "--claim", CLAIM, "--sensitive", "income"]) == 0
    found = verdict(capsys, "survey.csv", "--claim", CLAIM, "--sensitive", "income")
    assert found["status"] == "holds"
    assert "sensitive=income" in found["claim"]


def test_columns_about_the_person_count_once_declared(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["survey.csv", "--claim", CLAIM, "--sensitive"]
    assert verdict(capsys, *words, "age,income")["status"] == "broken"
    assert verdict(capsys, *words, "age+income")["witness"]["sensitive issue"] == "age"
    found = verdict(capsys, *words, "income")
    assert found["status"] == "undecided"
    assert "age" in found["reservations"][0]
    assert verdict(capsys, *words, "income", "--non-sensitive", "roads")["status"] == "holds"


def test_a_long_file_and_what_is_most_rated(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    claim = ["--claim", "proximity:k=2,epsilon=4.5"]
    assert "the only ones" in verdict(capsys, "ratings.csv", *claim)["how"]
    assert verdict(capsys, "ratings.csv", *claim)["status"] == "broken"
    few = verdict(capsys, "ratings.csv", *claim, "--most-rated", "2")
    assert "3 null patterns" in few["how"]
    assert few["status"] == "undecided"
    assert "2 most rated items" in few["reservations"][0]


@pytest.mark.parametrize("name", ["schema.toml", "schema.json"])
def test_a_schema_says_it_all(here: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    message = {
        "sensitive": ["income"],
        "non-sensitive": ["schools", "roads"],
        "scale": "1..7",
        "id-column": "respondent",
    }
    lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in message.items())
    Path(name).write_text(json.dumps(message) if name.endswith("json") else lines)
    found = verdict(capsys, "survey.csv", "--claim", "proximity:k=2,epsilon=6", "--schema", name)
    assert found["status"] == "holds"
    assert "non_sensitive=schools+roads" in found["claim"]
    flags = ["--claim", "proximity:k=2,l=0.5", "--schema", name, "--sensitive", "age"]
    assert "sensitive=age" in verdict(capsys, "survey.csv", *flags)["claim"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sensitive = 1.5", "takes a list of names"),
        ("scale = 5", "takes a text"),
        ("secret = ['a']", "a schema has no key"),
        ("sensitive", "neither TOML nor JSON"),
    ],
)
def test_a_bad_schema_is_refused(
    here: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    Path("bad.toml").write_text(text)
    words = ["verify", "survey.csv", "--claim", CLAIM, "--schema", "bad.toml"]
    assert message in failure(capsys, *words)
    assert "cannot be read" in failure(capsys, *words[:-1], "missing.toml")


def test_a_config_file_declares_too(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("c.toml").write_text(f"claim = ['{CLAIM}']\nsensitive = ['age', 'income']\n")
    assert verdict(capsys, "survey.csv", "--config", "c.toml")["status"] == "broken"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--sensitive", "wealth"], "wealth"),
        (["--sensitive", "income", "--non-sensitive", "income,roads"], "both"),
        (["--sensitive", "income", "--most-rated", "none"], "is not a number of items"),
    ],
    ids=["unknown", "both sides", "count"],
)
def test_wrong_declarations(
    here: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert message in failure(
        capsys, "verify", "survey.csv", "--format", "survey", "--claim", CLAIM, *words
    )


@pytest.mark.parametrize(
    "claim", ["proximity:epsilon=5", "proximity:epsilon=-1", "proximity:l=1", "proximity:k=x"]
)
def test_wrong_claims(here: Path, capsys: pytest.CaptureFixture[str], claim: str) -> None:
    assert "proximity" in failure(
        capsys, "verify", "survey.csv", "--format", "survey", "--claim", claim
    )


def test_inspect_shows_patterns_and_deviations(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["inspect", "survey.csv", "--sensitive", "income"]) == 0
    shown = capsys.readouterr().out
    assert "null patterns: 2" in shown
    assert "sensitive" in shown
    main(["inspect", "survey.csv", "--sensitive", "income", "--json"])
    survey = json.loads(capsys.readouterr().out)["survey"]
    assert (survey["respondents"], survey["patterns"], survey["largest"]) == (4, 2, 2)
    assert [issue["name"] for issue in survey["issues"]] == ["roads", "schools", "income"]
    main(["inspect", "ratings.csv", "--json"])
    assert "survey" not in json.loads(capsys.readouterr().out)


def test_a_method_that_knows_no_issues_refuses_them(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["publish", "survey.csv", "--method", "pseudonymize", "--out", "r"]
    assert "cannot protect sensitive" in failure(capsys, *words, "--sensitive", "income")


@pytest.mark.parametrize("name", ["silent.csv", "silent.parquet"])
def test_rows_without_any_answer_are_told(
    here: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    table = pl.DataFrame({"roads": [1, None, 1, None], "income": [1, None, 5, None]})
    table.write_csv(name) if name.endswith("csv") else table.write_parquet(name)
    assert main(["verify", name, "--claim", "proximity:k=2", "--sensitive", "income"]) == 0
    found = verdict(capsys, name, "--claim", "proximity:k=2", "--sensitive", "income")
    assert "2 rows without any answer" in found["reservations"][0]


@pytest.mark.parametrize("ids", [["a", "b", "c"], [7, 8, 9], None])
def test_a_row_without_any_answer_stands_alone(
    here: Path, ids: list[str] | list[int] | None
) -> None:
    table = pl.DataFrame({"roads": [1, 1, None], "income": [1, 5, None]})
    words = ["verify", "silent.csv", "--sensitive", "income", "--claim", "proximity:k=2"]
    if ids is not None:
        table = table.with_columns(pl.Series("who", ids))
        words += ["--id-column", "who"]
    table.write_csv("silent.csv")
    assert main(words) == 3
    table.head(2).write_csv("silent.csv")
    assert main(words) == 0


def test_every_column_that_vanishes_is_named(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    issues = [f"q{at}" for at in range(9)]
    lines = [",".join(["respondent", "name", "comment", *issues, "income"])]
    lines += [
        ",".join([f"r{at}", f"N{at}", "words", *str(1 + at % 3) * 9, str(1 + at % 5)])
        for at in range(30)
    ]
    (here / "wide.csv").write_text("\n".join(lines) + "\n")
    assert main(["inspect", "wide.csv", "--format", "survey"]) == 0
    printed = capsys.readouterr().err
    assert "other columns are not read: comment" in printed
    assert "columns about the person are not read: name" in printed
    words = ["--method", "proximity", "--k", "3", "--sensitive", "income", "--non-sensitive", "q0"]
    assert main(["publish", "wide.csv", *words, "--out", "release"]) == 0
    printed = capsys.readouterr().err
    assert "are left out: q1, q2, q3, q4, q5, q6, q7, q8." in printed
    assert "other columns were left out: comment" in printed
    assert "columns about the person were left out: name" in printed
    report = json.loads((here / "release-report.json").read_text())
    gone = {"name", "comment", *issues[1:]}
    assert set(report["release"]["columns_left_out"]) == gone
    assert "10 columns of the original are not in it" in (here / "release/README.md").read_text()
