"""`recloak lists` as a user types it: replay, verify, attack, export, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from recloak.cli.lists import ACTIONS
from recloak.cli.main import main
from recloak.io import write
from recloak.releases.lists.files import from_json
from recloak.releases.lists.folder import open_history
from tests.support.list_contexts import busy_ratings

HISTORY = ("--start", "0.4", "--gap", "0.2", "--releases", "2", "--delta", "0.4")
HISTORY += ("--window", "3", "--top", "3")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(busy_ratings(), tmp_path / "ratings.csv")
    return tmp_path


def replay(*more: str) -> int:
    return main(["lists", "replay", "ratings.csv", *HISTORY, "--out", "lists", *more])


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("action", ACTIONS)
def test_every_action_has_help_with_an_example(
    action: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["lists", action, "--help"])
    assert ended.value.code == 0
    output = capsys.readouterr().out
    assert output.startswith(f"usage: recloak lists {action} ")
    assert f"recloak lists {action} " in output.split("examples:")[1]
    assert "--json" in output


def test_replay_publishes_lists_and_a_report(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replay() == 0
    output = capsys.readouterr().out
    assert "delta-bound:delta=0.4" in output
    assert "holds" in output
    assert left(here) == ["lists", "lists-report.html", "lists-report.json", "ratings.csv"]
    assert [release.protected for release in open_history("lists").releases] == [False, True, True]


def test_replay_of_a_shops_own_lists(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        (release, a, b, 1 / (1 + abs(a - b) + (release + a + b) % 3))
        for release in range(3)
        for a in range(1, 10)
        for b in range(1, 10)
        if a != b
    ]
    text = "\n".join(",".join(map(str, row)) for row in rows)
    (here / "own.csv").write_text("release,item,related,score\n" + text)
    assert replay("--lists", "own.csv", "--json") == 0
    assert json.loads(capsys.readouterr().out)["history"]["delta"]
    assert main(["lists", "verify", "lists", "--original", "ratings.csv", "--quiet"]) == 0
    assert main(["lists", "replay", "ratings.csv", "--lists", "own.csv", "--out", "other"]) == 2
    assert "has 3 releases, but" in capsys.readouterr().err


@pytest.mark.parametrize("algorithm", ["suppression", "permutation"])
def test_replay_by_every_algorithm_is_verified(
    here: Path, capsys: pytest.CaptureFixture[str], algorithm: str
) -> None:
    assert replay("--algorithm", algorithm, "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["history"]["algorithm"] == algorithm
    assert result["audit"]["verdicts"][0]["status"] == "holds"
    assert main(["lists", "verify", "lists", "--original", "ratings.csv", "--json"]) == 0
    assert [one["status"] for one in json.loads(capsys.readouterr().out)["verdicts"]] == [
        "holds"
    ] * 3


def test_verify_is_undecided_without_the_ratings(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replay("--quiet") == 0
    assert main(["lists", "verify", "lists"]) == 3
    assert "--original" in capsys.readouterr().out


def test_verify_finds_a_broken_promise(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same lists cannot keep the bound if other people rated."""
    assert replay("--quiet") == 0
    rows = pl.read_csv("ratings.csv")
    swapped = rows.with_columns(item=rows["item"].max() + 1 - rows["item"])
    swapped.write_csv("other.csv")
    assert main(["lists", "verify", "lists", "--original", "other.csv"]) == 3
    assert "raters of the background" in capsys.readouterr().out


def test_changed_files_are_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert replay("--quiet") == 0
    table = here / "lists" / "lists.parquet"
    pl.read_parquet(table).with_columns(slot=pl.col("slot") + 1).write_parquet(table)
    assert main(["lists", "verify", "lists", "--original", "ratings.csv"]) == 2
    assert "lists.parquet" in capsys.readouterr().err


def test_the_verifier_of_tables_sends_to_that_of_lists(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replay() == 0
    assert main(["verify", "lists"]) == 2
    assert "recloak lists verify" in capsys.readouterr().err


def test_attack_compares_three_histories(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert replay("--quiet") == 0
    assert main(["lists", "attack", "ratings.csv", "--lists", "lists", "--json"]) == 0
    audits = json.loads(capsys.readouterr().out)
    assert list(audits) == ["unprotected", "noise, variance 1", "protected by constructive"]
    worst = [_figure(audit["measures"][0], "worst_breach") for audit in audits.values()]
    assert worst[0] > 0.4
    assert worst[1] > 0.4
    assert worst[2] <= 0.4
    assert _figure(audits["unprotected"]["measures"][0], "list_recall") == 1
    assert main(["lists", "attack", "ratings.csv", *HISTORY]) == 0
    shown = capsys.readouterr().out
    assert "Guesses of an adversary who knows 5 items" in shown
    assert "protected by constructive" in shown


def _figure(finding: dict[str, list[dict[str, float]]], name: str) -> float:
    return next(one["value"] for one in finding["figures"] if one["name"] == name)


def test_export_writes_both_forms(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert replay("--quiet") == 0
    for name in ("out.json", "out.parquet"):
        assert main(["lists", "export", "lists", "--out", name]) == 0
    history = open_history("lists")
    exported = from_json(Path("out.json").read_text())
    assert exported.releases[-1].lists.equals(history.releases[-1].lists)
    rows = pl.read_parquet("out.parquet")
    assert len(rows) == sum(release.lists.slots.size for release in history.releases)
    assert main(["lists", "export", "lists", "--out", "out.json"]) == 2
    assert "never overwritten" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--delta", "0"], "'delta'"),
        (["--delta", "1.5"], "'delta'"),
        (["--delta", "much"], "'delta'"),
        (["--window", "1"], "'window'"),
        (["--top", "0"], "'top'"),
        (["--start", "soon"], "--start"),
        (["--start", "0"], "start: must be above 0"),
        (["--gap", "2"], "gap: must be above 0"),
        (["--releases", "99"], "do not fit"),
        (["--algorithm", "magic"], "no algorithm for lists called 'magic'"),
        (["--similarity", "magic"], "no similarity called 'magic'"),
        (["--policy", "none.toml"], "none.toml"),
        (["--out", "ratings.csv"], "never overwritten"),
        (["--report", "ratings.csv"], "never overwritten"),
        (["--detla", "0.1"], "Did you mean --delta"),
    ],
)
def test_settings_that_make_no_sense(
    words: list[str], message: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replay(*words) == 2
    errors = capsys.readouterr().err
    assert message in errors
    assert "Traceback" not in errors
    assert left(here) == ["ratings.csv"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("user,item,rating\n1,a,3\n2,a,4\n", "no times"),
        ("user,item,rating,time\n1,a,3,5\n1,a,4,6\n", "repeat a (user, item) pair"),
        ("user,item,rating,time\n1,a,3,soon\n", "line 2"),
    ],
    ids=["no times", "rated twice", "a time that is none"],
)
def test_ratings_that_cannot_be_replayed(
    content: str, message: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "ratings.csv").write_text(content)
    assert replay() == 2
    errors = capsys.readouterr().err
    assert message in errors
    assert left(here) == ["ratings.csv"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "ACTION is missing"),
        (["replya"], "replya"),
        (["replay", "--out", "x"], "FILE is missing"),
        (["replay", "ratings.csv"], "--out is missing"),
        (["verify", "nowhere"], "no such folder"),
        (["export", "nowhere", "--out", "x.csv"], ".parquet or .json"),
        (["attack", "ratings.csv", "--variance", "0"], "variance"),
    ],
)
def test_words_that_make_no_sense(
    words: list[str], message: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lists", *words]) == 2
    assert message in capsys.readouterr().err


def test_synthetic_ratings_have_times_to_replay(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    size = ["--users", "60", "--items", "40", "--ratings", "900"]
    assert main(["synth", "--like", "ml-100k", *size, "--seed", "1", "--out", "made.csv"]) == 0
    history = ["--start", "0.5", "--gap", "0.25", "--delta", "0.2"]
    assert main(["lists", "replay", "made.csv", *history, "--out", "lists"]) == 0
    assert "the lists' own promise: pass" in capsys.readouterr().out
