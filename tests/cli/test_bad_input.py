"""Bad input ends with 2, a message that says where, nothing written and no traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recloak.cli.main import main

GOOD = "user,item,rating\n1,a,3\n1,b,4\n2,a,5\n"

FILES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "empty"),
    "header only": (b"user,item,rating\n", "no ratings"),
    "binary junk": (bytes(range(256)) * 8, "bad.csv"),
    "wrong separator": (b"user^item^rating\n1^a^3\n", "separator"),
    "missing column": (b"person_x,item,rating\n1,a,3\n", "user"),
    "text for a number": (GOOD.encode() + b"3,c,lots\n", "line 5"),
    "not a number": (GOOD.encode() + b"3,c,nan\n", "line 5"),
    "infinite": (GOOD.encode() + b"3,c,inf\n", "line 5"),
    "duplicate pair": (GOOD.encode() + b"1,b,2\n", "line"),
    "too many fields": (GOOD.encode() + b"3,c,3,9\n", "line 5"),
    "too few fields": (GOOD.encode() + b"3,c\n", "line 5"),
    "missing id": (GOOD.encode() + b",c,3\n", "line 5"),
}


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(list(words))
    output = capsys.readouterr()
    assert "Traceback" not in output.err
    return code, output.err


@pytest.mark.parametrize("kind", FILES)
def test_files_that_cannot_be_used(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    content, message = FILES[kind]
    Path("bad.csv").write_bytes(content)
    code, errors = run(capsys, "publish", "bad.csv", "--method", "pseudonymize", "--out", "release")
    assert code == 2
    assert "bad.csv" in errors
    assert message in errors
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["publish", "none.csv", "--method", "identity", "--out", "r"], "none.csv"),
        (["publish", "folder", "--method", "identity", "--out", "r"], "folder"),
        (["publish", "good.csv", "--method", "idendity", "--out", "r"], "Did you mean 'identity'"),
        (["publish", "good.csv", "--method", "identity", "--sigma", "1", "--out", "r"], "--sigma"),
        (
            ["publish", "good.csv", "--method", "gaussian-noise", "--sigma", "0", "--out", "r"],
            "sigma",
        ),
        (["publish", "good.csv", "--method", "identity", "--out", "good.csv"], "never overwritten"),
        (["publish", "good.csv", "--method", "identity", "--out", "no/r"], "does not exist"),
        (["publish", "good.csv", "--method", "identity"], "--out is missing"),
        (["publish", "--method", "identity", "--out", "r"], "FILE is missing"),
        (["publish", "good.csv", "--out", "r"], "--method is missing"),
        (["publish", "good.csv", "--method", "identity", "--out", "r", "--seed", "x"], "--seed"),
        (
            ["publish", "good.csv", "--method", "identity", "--out", "r", "--scale", "1..4"],
            "line 4",
        ),
        (["publish", "good.csv", "--method", "identity", "--out", "r", "--scale", "?"], "--scale"),
        (
            ["publish", "good.csv", "--method", "identity", "--out", "r", "--columns", "x"],
            "--columns",
        ),
        (
            ["publish", "good.csv", "--method", "identity", "--out", "r", "--columns", "user=z"],
            "'z'",
        ),
        (["publish", "good.csv", "--method", "identity", "--out", "r", "--policy", "no"], "policy"),
        (["publish", "good.csv", "--method", "identity", "--out", "r", "--format", "x"], "format"),
        (
            ["publish", "good.csv", "--method", "identity", "--out", "r", "--exclude-users", "z"],
            "z",
        ),
        (["inspect", "good.csv", "--sed", "1"], "Did you mean --seed"),
        (["verify", "good.csv"], "--claim"),
        (["verify", "good.csv", "--claim", "magic"], "no guarantee called 'magic'"),
        (["verify", "good.csv", "--claim", "k-anonymity:k=1"], "'k'"),
        (["audit", "good.csv"], "RELEASE is missing"),
        (["audit", "good.csv", "good.csv", "--secret", "s", "--mapping", "m"], "either"),
        (["audit", "good.csv", "good.csv", "--secret", "s"], "--mapping"),
        (["unseal", "good.csv", "--out", "w", "--key-file", "good.csv"], "good.csv"),
        (["synth", "--like", "ml-100k"], "--out is missing"),
        (["synth", "--like", "ml-9", "--out", "x.csv"], "ml-9"),
        (["synth", "--like", "ml-100k", "--users", "0", "--out", "x.csv"], "users"),
        (["synth", "--like", "ml-100k", "--users", "many", "--out", "x.csv"], "--users"),
        (["methods", "magic"], "magic"),
        (["policy"], "missing"),
        (["policy", "sign"], "sign"),
        (["policy", "check", "good.csv"], "TOML"),
        (["publsh"], "Did you mean 'publish'"),
    ],
)
def test_words_that_make_no_sense(
    words: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.csv").write_text(GOOD)
    Path("folder").mkdir()
    code, errors = run(capsys, *words)
    assert code == 2
    assert message in errors
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "good.csv"]


def test_errors_are_json_for_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["inspect", "none.csv", "--json"]) == 2
    output = capsys.readouterr()
    assert output.err == ""
    assert json.loads(output.out)["error"]["exit_code"] == 2


def test_latin_1_titles_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("latin.csv").write_bytes("user,item,rating\n1,Amélie,3\n2,Amélie,4\n".encode("latin-1"))
    assert main(["inspect", "latin.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["items"] == 1
