"""compare and advise as a user types them: files, words, the command that publishes, refusals."""

from __future__ import annotations

import html
import json
import shlex
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from recloak.attacks import attack
from recloak.auditing.policy import Policy
from recloak.cli._shared.next_command import advising_command
from recloak.cli.main import main
from recloak.comparison import protocol
from recloak.io import write
from recloak.io.options import ReadOptions
from recloak.measures import measure
from recloak.releases.base import open_release
from recloak.testing import random_ratings

METHODS = "pseudonymize,gaussian-noise"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of ratings, and a protocol of little work: what is tested is the command."""
    monkeypatch.chdir(tmp_path)
    few = {
        "attack": [attack("record-linkage:known=4"), attack("scoreboard-rh:known=5")],
        "measure": [measure("tailoring-utility"), measure("fold-in")],
    }
    specs = {family: tuple(one.spec for one in some) for family, some in few.items()}
    monkeypatch.setattr(protocol, "compared_by_default", lambda family, **_: specs[family])
    write(random_ratings(60, 30, 0.3), tmp_path / "our ratings.csv")
    policy = '[[require]]\nattack = "record-linkage:known=4"\nfigure = "gain"\nat_most = {}\n'
    for name, limit in (("loose", 100), ("strict", 0)):
        Path(f"{name}.toml").write_text(policy.format(limit))
    return tmp_path


def printed_json(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    return dict(json.loads(capsys.readouterr().out))


def test_compare_leaves_tables_a_page_and_trials(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compare", "our ratings.csv", "--methods", METHODS, "--policy", "loose.toml"]
    assert main([*words, "--out", "choice", "--json"]) == 0
    found = printed_json(capsys)
    assert found["computed"] == 5
    assert sorted(path.name for path in (here / "choice").iterdir()) == [
        "comparison.csv",
        "comparison.html",
        "comparison.json",
        "comparison.parquet",
        "trials",
    ]
    assert main([*words, "--out", "choice"]) == 0
    shown = capsys.readouterr().out
    assert "gaussian-noise:sigma=0.25" in shown
    assert "1 of 1" in shown
    assert "choice/comparison.html" in shown


def test_the_command_that_is_advised_publishes(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grid = '[[method]]\nname = "gaussian-noise"\nsigma = [0.5]\nrounding = "step"\n'
    Path("grid.toml").write_text(grid)
    words = ["advise", "our ratings.csv", "--grid", "grid.toml", "--policy", "loose.toml"]
    assert main([*words, "--scale", "1..5", "--json"]) == 0
    command = printed_json(capsys)["command"]
    program, *rest = shlex.split(command)
    assert program == "recloak"
    assert main(rest) == 0
    manifest = open_release("release").manifest
    assert manifest.method == "gaussian-noise"
    assert manifest.parameters["sigma"] == 0.5
    assert manifest.parameters["rounding"] == "step"
    assert manifest.config["policy_enforced"] is True


def test_what_was_required_is_enforced_when_it_is_published(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("grid.toml").write_text('[[method]]\nname = "microaggregation"\nk = [3]\n')
    words = ["advise", "our ratings.csv", "--grid", "grid.toml", "--scale", "1..5", "--json"]
    required = ["--require", "success<=1", "--require", "mu>=-9", "--require", "k-anonymity:k=3"]
    assert main([*words, *required, "--policy", "loose.toml", "--out", "our choice"]) == 0
    _, *rest = shlex.split(printed_json(capsys)["command"])
    required = Policy.read("our choice/required.toml")
    judged = [line.checker.name for line in required.requirements]
    by_success = ["record-linkage", "scoreboard-rh"]
    assert judged == [*by_success, "tailoring-utility", "k-anonymity", "record-linkage"]
    (line,) = Policy.read("loose.toml").requirements
    assert str(line) == str(required.requirements[-1])
    assert main(rest) == 0
    report = json.loads(Path("release-report.json").read_text())
    assert {result["status"] for result in report["policy_results"]} == {"pass"}
    assert len(report["policy_results"]) == len(judged)
    stricter = Path("our choice/required.toml").read_text().replace("at_most = 1.0", "at_most = 0")
    Path("our choice/required.toml").write_text(stricter)
    assert main([word.replace("release", "second") for word in rest]) == 3
    assert not Path("second").exists()


def test_advice_shares_the_trials_of_a_comparison(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shared = ["our ratings.csv", "--methods", METHODS, "--policy", "loose.toml", "--out", "choice"]
    assert main(["compare", *shared]) == 0
    finished = here / "choice" / "trials"
    made = {path: path.stat().st_mtime_ns for path in finished.iterdir()}
    assert main(["advise", *shared, "--require", "success<=1", "--maximise", "mu"]) == 0
    assert made == {
        path: path.stat().st_mtime_ns for path in (here / "choice" / "trials").iterdir()
    }
    shown = capsys.readouterr().out
    assert "has the highest mu" in shown
    assert "The requirements did not look at " in shown
    assert "recloak publish 'our ratings.csv' --method" in shown
    advice = json.loads(Path("choice/advice.json").read_text())
    assert advice["not_looked_at"].startswith("The requirements did not look at ")
    assert advice["pick"] in [choice["setting"] for choice in advice["frontier"]]
    assert advice["frontier"][0]["mu"]["low"] <= advice["frontier"][0]["mu"]["value"]
    assert "To publish it" in Path("choice/comparison.html").read_text()


def test_it_says_plainly_when_nothing_satisfies(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["advise", "our ratings.csv", "--methods", METHODS, "--policy", "strict.toml"]
    assert main(words) == 3
    shown = capsys.readouterr().out
    assert "Nothing satisfies the requirements" in shown
    assert "The nearest is gaussian-noise:sigma=" in shown
    assert "recloak publish" not in shown
    assert sorted(path.name for path in here.iterdir()) == [
        "loose.toml",
        "our ratings.csv",
        "strict.toml",
    ]


def test_without_requirements_the_default_policy_is_required(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What keeps most of the use is data as they are: no advice may rest on use alone."""
    Path("grid.toml").write_text('[[method]]\nname = "pseudonymize"\n')
    assert main(["advise", "our ratings.csv", "--grid", "grid.toml"]) == 3
    shown = " ".join(capsys.readouterr().out.split())
    assert "Nothing was required, so every line of the default policy must pass" in shown
    assert "The nearest is pseudonymize, which misses bayes-linkage, knows 8 ratings" in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["compare", "our ratings.csv"], "--out is missing"),
        (["compare", "none.csv", "--out", "c"], "none.csv"),
        (["compare", "our ratings.csv", "--out", "our ratings.csv"], "is a file"),
        (["compare", "our ratings.csv", "--methods", "noise,", "--out", "c"], "gaussian-noise"),
        (["compare", "our ratings.csv", "--methods", " ,", "--out", "c"], "names no method"),
        (["compare", "our ratings.csv", "--grid", "none.toml", "--out", "c"], "none.toml"),
        (["compare", "our ratings.csv", "--jobs", "0", "--out", "c"], "--jobs"),
        (["compare", "our ratings.csv", "--seed", "-1", "--out", "c"], "--seed"),
        (["compare", "our ratings.csv", "--policy", "none.toml", "--out", "c"], "none.toml"),
        (["advise", "our ratings.csv", "--require", "gian<=5"], "Did you mean 'gain'"),
        (["advise", "our ratings.csv", "--require", "be kind"], "cannot be read as a requirement"),
        (
            ["advise", "our ratings.csv", "--require", "gain<=5", "--require", "gain>=6"],
            "contradict",
        ),
        (["advise", "our ratings.csv", "--require", "gain<=5", "--maximise", "x"], "--maximise"),
        (
            ["advise", "our ratings.csv", "--require", "gain<=5", "--methods", "predictve"],
            "Did you mean 'predictive'",
        ),
    ],
)
def test_bad_usage_ends_with_2_and_leaves_nothing(
    words: list[str], message: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(path.name for path in here.iterdir())
    assert main(words) == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert "Traceback" not in shown
    assert sorted(path.name for path in here.iterdir()) == before


@pytest.mark.real
@pytest.mark.parametrize(("data", "reading"), [("ml-100k", []), ("ciaodvd", ["--duplicates=last"])])
def test_two_commands_lead_from_real_data_to_a_release(
    data: str,
    reading: list[str],
    real_data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("grid.toml").write_text('[[method]]\nname = "predictive"\nk = [10, 20]\n')
    words = ["advise", str(real_data / data), *reading, "--grid", "grid.toml", "--out", "choice"]
    assert main([*words, "--require", "record-linkage:known=4 success<=0.2", "--json"]) == 0
    _, *publishing = shlex.split(printed_json(capsys)["command"])
    assert main(publishing) == 0
    manifest = open_release("release").manifest
    assert manifest.method == "predictive"
    assert manifest.config["policy_enforced"] is True


def test_the_next_command_is_told_and_computes_nothing_again(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compare", "our ratings.csv", "--methods", METHODS, "--scale=1..5", "--seed", "3"]
    assert main([*words, "--out", "our choice"]) == 0
    command = capsys.readouterr().out.splitlines()[-1]
    assert command in html.unescape(Path("our choice/comparison.html").read_text())
    trials = Path("our choice/trials")
    made = {path: path.stat().st_mtime_ns for path in trials.iterdir()}
    _, *rest = shlex.split(command)
    assert main(rest) in (0, 3)
    assert made == {path: path.stat().st_mtime_ns for path in trials.iterdir()}


def test_a_value_that_looks_like_a_flag_and_how_many_items_are_in_the_command() -> None:
    given = dict.fromkeys((*ReadOptions.flags(), "methods", "grid", "policy"))
    given |= {"scale": "-10..10", "most_rated": "20"}
    command = advising_command(Namespace(file=["a b.csv"], seed=0, out="c", **given))
    assert "--scale=-10..10" in command
    assert "--most-rated 20" in command
    assert command.startswith("recloak advise 'a b.csv' ")
