"""Every command as a user types it, in this process; what each prints, leaves and ends with."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from recloak.cli import demo
from recloak.cli.main import COMMANDS, main
from recloak.io import write
from recloak.releases.base import open_release
from recloak.testing import random_ratings
from tests.support.plugins import plug_in


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(random_ratings(80, 40, 0.3, times=True), tmp_path / "ratings.csv")
    return tmp_path


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def publish(*more: str, method: str = "pseudonymize") -> int:
    return main(["publish", "ratings.csv", "--method", method, "--out", "release", *more])


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    output = capsys.readouterr().out
    assert f"recloak {command}" in output.split("examples:")[1]
    for flag in ("--json", "--quiet", "--config"):
        assert flag in output


def test_the_overview_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    output = capsys.readouterr().out
    assert all(f"  {command}" in output for command in COMMANDS)
    assert main(["--version"]) == 0
    assert "recloak " in capsys.readouterr().out


def test_inspect_shows_shape_tails_and_uniqueness(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["inspect", "ratings.csv"]) == 0
    output = capsys.readouterr().out
    assert "40 items by 80 users" in output
    assert "█" in output
    assert "with ratings" in output
    assert main(["inspect", "ratings.csv", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["users"] == 80
    assert [step["known"] for step in found["singled_out"]] == [1, 2, 3, 4]


def test_inspect_counts_repeated_pairs(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "twice.csv").write_text("user,item,rating\n1,1,3\n1,1,4\n2,1,5\n")
    assert main(["inspect", "twice.csv"]) == 0
    assert "1 repeated" in capsys.readouterr().err
    assert main(["inspect", "twice.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["repeated"] == 1


def test_publish_tells_and_leaves_a_release(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert publish("--sigma", "0.5", "--json", method="gaussian-noise") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["secret"] == "destroyed"
    assert result["manifest"]["parameters"]["sigma"] == 0.5
    assert result["audit"]["attacks"]
    manifest = open_release(here / "release").manifest
    assert manifest.config["method"] == "gaussian-noise"
    assert manifest.config["parameters"]["sigma"] == 0.5
    assert left(here) == ["ratings.csv", "release", "release-report.html", "release-report.json"]


def test_publish_is_silent_when_quiet(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert publish("--quiet") == 0
    assert capsys.readouterr() == ("", "")


def test_person_columns_are_dropped_and_said(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = pl.read_csv("ratings.csv").with_columns(age=pl.lit(421_337), genre=pl.lit("x"))
    rows.write_csv("ratings.csv")
    assert publish("--no-audit") == 0
    assert "about the person were left out: age" in capsys.readouterr().err
    assert publish_again(here)["release"]["columns_left_out"] == ["age", "genre"]
    assert b"age" not in (here / "release" / "manifest.json").read_bytes()
    assert b"421337" not in (here / "release" / "README.md").read_bytes()


def publish_again(here: Path) -> dict[str, dict[str, object]]:
    """The report of a publication with its audit."""
    words = ["publish", "ratings.csv", "--method", "pseudonymize", "--out", "audited", "--quiet"]
    assert main(words) == 0
    report: dict[str, dict[str, object]] = json.loads((here / "audited-report.json").read_text())
    return report


def test_a_seed_marks_the_release(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert publish("--seed", "7", "--no-audit") == 0
    assert "NOT FOR PUBLICATION" in capsys.readouterr().err
    assert open_release(here / "release").manifest.reproducible


def test_excluded_users_are_gone(here: Path) -> None:
    (here / "gone.txt").write_text("100\n101\n\n")
    assert publish("--exclude-users", "gone.txt", "--no-audit") == 0
    assert open_release(here / "release").manifest.rows == 78


def test_a_config_file_says_what_flags_say_and_flags_win(here: Path) -> None:
    (here / "c.toml").write_text(
        'method = "gaussian-noise"\n[publish]\nfile = "ratings.csv"\nout = "release"\n'
        'sigma = 0.5\nno-audit = true\ntable_format = "csv"\n'
    )
    assert main(["publish", "--config", "c.toml", "--sigma", "0.25"]) == 0
    manifest = open_release(here / "release").manifest
    assert manifest.parameters["sigma"] == 0.25
    assert (here / "release" / "ratings.csv").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("sigmas = 1", "Did you mean 'sigma'"),
        ("sigma = ", "not valid TOML"),
        ("sigma = 'wide'", "'sigma'"),
        ("sigma = [1, 2]", "takes a value"),
        ("sigma = true", "takes a value"),
        ("no-audit = 'yes'", "takes true or false"),
        ("publish = 3", "name of a table"),
        ("[columns]\nuser = 1", "takes a value"),
        ("[surprise]\nx = 1", "no option 'surprise'"),
    ],
)
def test_a_wrong_config_is_refused(
    here: Path, capsys: pytest.CaptureFixture[str], content: str, message: str
) -> None:
    (here / "c.toml").write_text(content)
    assert publish("--config", "c.toml", method="gaussian-noise") == 2
    assert message in capsys.readouterr().err
    assert main(["publish", "--config", "none.toml"]) == 2


def test_a_config_file_may_speak_to_several_commands_and_ask_for_json(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "c.toml").write_text(
        'json = true\n[publish]\nmethod = "identity"\n[synth]\nlike = "x"\n'
    )
    assert main(["inspect", "none.csv", "--config", "c.toml"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["exit_code"] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--out", "r", "--report", "r.json"], "name of the JSON file"),
        (["--out", "r", "--report", "r"], "is also the path of --out"),
        (
            ["--out", "r", "--report", "a.html", "--keep-secret", "a.html"],
            "also the path of --report",
        ),
        (
            ["--out", "r", "--report", "a.html", "--keep-secret", "a.json"],
            "also the path of --report",
        ),
        (["--out", "there/inner"], "inside the release"),
        (["--out", "r", "--report", "there/r.html"], "inside the release"),
        (["--out", "r", "--keep-secret", "there/s"], "inside the release"),
        (["--out", "."], "cannot be the name"),
        (["--out", "/"], "cannot be the name"),
        (["--out", ""], "cannot be the name"),
        (["--out", "x" * 300], "cannot be used"),
        (["--out", "x" * 250], "cannot be used"),
        (["--out", "r", "--exclude-users", "everyone"], "nobody is left"),
        (["--out", "r", "--exclude-users", "strangers"], "--exclude-users"),
        (["--out", "r", "--method", ""], "no method called ''"),
    ],
)
def test_outputs_that_would_get_in_each_others_way(
    here: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    (here / "key").write_bytes(os.urandom(32))
    (here / "everyone").write_text("\n".join(map(str, range(100, 180))))
    (here / "strangers").write_text("9999\n")
    assert (
        main(["publish", "ratings.csv", "--method", "pseudonymize", "--out", "there", "--quiet"])
        == 0
    )
    before = left(here)
    words = [*words, "--key-file", "key"] if "--keep-secret" in words else words
    assert main(["publish", "ratings.csv", "--method", "pseudonymize", *words]) == 2
    assert message in capsys.readouterr().err
    assert left(here) == before


def test_what_undoes_a_release_is_never_put_into_it(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "key").write_bytes(os.urandom(32))
    assert publish("--keep-secret", "s", "--key-file", "key", "--no-audit") == 0
    (here / "way").symlink_to(here / "release")
    for words in (
        ["unseal", "s", "--key-file", "key", "--out", "release/who.csv"],
        ["unseal", "s", "--key-file", "key", "--out", "way/who.csv"],
        ["synth", "--like", "survey", "--users", "9", "--out", "release/more.csv"],
        ["policy", "init", "--out", "release/policy.toml"],
        ["audit", "ratings.csv", "release", "--report", "release/report.html"],
    ):
        assert main(words) == 2
        assert "inside the release" in capsys.readouterr().err


def test_a_third_partys_failure_is_said_to_be_theirs(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plug_in(
        monkeypatch,
        failing="tests.support.plugins:Failing",
        greedy="tests.support.plugins:Greedy",
        broken="no_such_module:X",
    )
    assert publish(method="failing") == 1
    assert "the method 'failing' failed: ZeroDivisionError" in capsys.readouterr().err
    assert publish(method="greedy") == 2
    assert "which is a flag of publish" in capsys.readouterr().err
    assert main(["methods"]) == 0
    output = capsys.readouterr()
    assert "greedy" in output.out
    assert "'broken' cannot be loaded" in output.err


def test_values_of_any_size_can_be_published(here: Path) -> None:
    rng = np.random.default_rng(0)
    for name, values in {
        "plays": rng.integers(1, 2_000_000, 900),
        "precise": 12345.678 + rng.random(900) / 10,
        "tiny": rng.random(900) * 1e-6,
    }.items():
        rows = [f"{at % 30},{at // 30:03d},{value}" for at, value in enumerate(values)]
        (here / f"{name}.csv").write_text("user,item,rating\n" + "\n".join(rows))
        for kind in ("csv", "parquet"):
            words = ["--method", "pseudonymize", "--out", f"{name}-{kind}", "--table-format", kind]
            assert main(["publish", f"{name}.csv", *words, "--no-audit", "--quiet"]) == 0
            assert main(["verify", f"{name}-{kind}", "--quiet"]) == 0


def test_keep_audit_verify_and_unseal_a_secret(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "key").write_bytes(os.urandom(32))
    assert publish("--keep-secret", "s", "--key-file", "key", "--no-audit") == 0
    assert stat.S_IMODE((here / "s").stat().st_mode) == 0o600
    capsys.readouterr()
    audit = ["audit", "ratings.csv", "release", "--secret", "s", "--key-file", "key"]
    assert main([*audit, "--report", "report.html"]) == 0
    assert "release's own secret" in capsys.readouterr().out
    assert (here / "report.html").exists()
    assert (here / "report.json").exists()
    unseal = ["unseal", "s", "--out", "who.csv", "--key-file", "key", "--release", "release"]
    assert main(unseal) == 0
    assert stat.S_IMODE((here / "who.csv").stat().st_mode) == 0o600
    assert pl.read_csv("who.csv").shape == (80, 2)
    capsys.readouterr()
    assert main(["audit", "ratings.csv", "release", "--mapping", "who.csv", "--json"]) == 0
    assert "mapping that was given" in capsys.readouterr().out
    monkeypatch.setenv("RECLOAK_PASSPHRASE", "the wrong thing altogether")
    assert main(["unseal", "s", "--out", "other.csv"]) == 2
    assert "locked with a key file" in capsys.readouterr().err


def test_a_passphrase_comes_from_file_or_environment(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert publish("--keep-secret", "s", "--no-audit") == 2
    assert "no terminal to ask on" in capsys.readouterr().err
    monkeypatch.setenv("RECLOAK_PASSPHRASE", "twelve or more")
    assert publish("--keep-secret", "s", "--no-audit") == 0
    monkeypatch.delenv("RECLOAK_PASSPHRASE")
    (here / "phrase").write_text("twelve or more\n")
    assert main(["unseal", "s", "--out", "who.csv", "--passphrase-file", "phrase"]) == 0


def test_a_release_of_another_tool_is_audited(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert publish("--no-audit", "--table-format", "csv") == 0
    (here / "release" / "ratings.csv").rename(here / "theirs.csv")
    capsys.readouterr()
    assert main(["audit", "ratings.csv", "theirs.csv", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert any("matched to the person" in note for note in result["notes"])
    assert any("held out of the release itself" in note for note in result["notes"])


def test_audit_ends_with_3_when_a_claim_or_a_policy_line_does_not_hold(here: Path) -> None:
    assert publish("--no-audit") == 0
    assert main(["audit", "ratings.csv", "release", "--quiet"]) == 0
    assert main(["audit", "ratings.csv", "release", "--quiet", "--claim", "k-anonymity:k=2"]) == 3
    assert main(["policy", "init"]) == 0
    assert main(["audit", "ratings.csv", "release", "--quiet", "--policy", "policy.toml"]) == 3


def test_verify_names_a_witness(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert publish("--no-audit") == 0
    assert main(["verify", "release"]) == 0
    assert "no trace in the row ids" in capsys.readouterr().out
    assert main(["verify", "ratings.csv", "--claim", "k-anonymity:k=3"]) == 3
    assert "first items" in capsys.readouterr().out
    assert main(["verify", "ratings.csv", "--claim", "k-anonymity:k=3", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["verdicts"][0]["status"] == "broken"


def test_a_claim_that_fails_publishes_nothing(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plug_in(monkeypatch, boastful="tests.support.plugins:Boastful")
    assert publish(method="boastful") == 3
    assert "k-anonymity:k=5" in capsys.readouterr().err
    assert left(here) == ["ratings.csv"]


def test_a_policy_line_that_fails_publishes_nothing(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["policy", "init", "--out", "p.toml"]) == 0
    assert main(["policy", "check", "p.toml"]) == 0
    shown = capsys.readouterr().out
    assert "excess of the worst-off tenth" in shown
    assert "singled out at most 10%" in shown
    assert "excess_worst_tenth" not in shown
    assert publish("--policy", "p.toml") == 3
    assert "membership at most 65%" in capsys.readouterr().err
    assert left(here) == ["p.toml", "ratings.csv"]


def test_methods_are_listed_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["methods"]) == 0
    assert "gaussian-noise" in capsys.readouterr().out
    assert main(["methods", "gaussian-noise"]) == 0
    output = capsys.readouterr().out
    for part in ("--sigma", "Promise:", "Reference:", "default"):
        assert part in output
    assert main(["methods", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["methods"]
    assert [one["name"] for one in listed][:2] == ["identity", "pseudonymize"]


def test_synth_writes_what_was_asked_for(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["synth", "--like", "ml-100k", "--users", "50", "--items", "60", "--ratings", "1500"]
    assert main([*words, "--seed", "1", "--out", "a.csv"]) == 0
    assert main([*words, "--seed", "1", "--out", "b.csv", "--json"]) == 0
    assert (here / "a.csv").read_bytes() == (here / "b.csv").read_bytes()
    assert pl.read_csv("a.csv").height == 1500
    assert main([*words, "--out", "a.csv"]) == 2
    assert "never overwritten" in capsys.readouterr().err


@pytest.fixture
def small_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo on so few people that it takes seconds."""
    monkeypatch.setattr(demo, "PEOPLE", 120)
    monkeypatch.setattr(demo, "RATINGS", 4_000)
    monkeypatch.setitem(demo.GIVEN, "synthetic", {"floor": 10})


@pytest.mark.usefixtures("small_demo")
def test_the_demo_has_a_warning_and_replaces_only_its_own_folder(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "--out", "demo", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["warning"]["status"] == "fail"
    assert {"release", "report.html", "report.json"} <= set(left(here / "demo"))
    first, warning = (
        json.loads((here / "demo" / name / "manifest.json").read_text())
        for name in ("release", "pseudonymize")
    )
    assert [first["method"], warning["method"]] == ["synthetic", "pseudonymize"]
    assert "Does not pass" in (here / "demo" / "pseudonymize-report.html").read_text()
    assert main(["demo", "--out", "demo", "--method", "pseudonymize"]) == 0
    output = capsys.readouterr().out
    assert "demo/report.html" in output
    assert "pseudonymize-report" not in output
    again = json.loads((here / "demo" / "release" / "manifest.json").read_text())
    assert again["release_id"] != first["release_id"]
    (here / "mine").mkdir()
    (here / "mine" / "thesis.txt").touch()
    assert main(["demo", "--out", "mine"]) == 2
    assert left(here / "mine") == ["thesis.txt"]


@pytest.mark.slow
def test_the_release_of_the_demo_passes_and_the_warning_does_not(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [told[one]["status"] for one in ("audit", "warning")] == ["pass", "fail"]
