"""The command that advice prints: it says all that shaped the trial, and it publishes."""

from __future__ import annotations

import json
import shlex
from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest

from recloak.cli import advise
from recloak.cli._shared.arguments import Parser, parse
from recloak.cli._shared.next_command import advising_command
from recloak.cli._shared.reading import Reading, add_reading
from recloak.cli.main import main
from recloak.comparison import protocol
from recloak.core.ratings import Ratings
from recloak.io import FORMATS, write
from recloak.releases.base import open_release
from recloak.testing import random_ratings

FEW = ("--methods", "pseudonymize,gaussian-noise")
SURVEYED = ("--sensitive", "income", "--sensitive", "health,age")


class Case(NamedTuple):
    """A format and shape of data: how a file of it is made, and what is said about it."""

    format: str
    make: Callable[[], list[str]]
    flags: tuple[str, ...] = FEW


def _rated() -> Ratings:
    """Ratings whose times are days, which every format can hold."""
    rated = random_ratings(60, 30, 0.3, times=True)
    assert rated.times is not None
    return replace(rated, times=rated.times // 86400 * 86400)


def _columns() -> pl.DataFrame:
    rows = _rated()
    return pl.DataFrame(
        {
            "who": rows.user_labels[rows.user_codes()],
            "film": rows.item_labels[rows.items],
            "stars": rows.values.astype(int),
            "when": rows.times,
        }
    )


def _lines(name: str, line: Callable[..., str]) -> list[str]:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text("".join(line(*row) + "\n" for row in _columns().rows()))
    return [name]


def _written(name: str, format: str | None = None) -> list[str]:  # noqa: A002
    write(_rated(), name, format)
    return [name]


def _movielens(name: str, header: str, line: str) -> list[str]:
    _lines(name, line.format)
    Path(name).write_text(header + Path(name).read_text())
    return [name]


def _two_files() -> list[str]:
    rows = _columns()
    for at, name in enumerate(("first part.txt", "second part.txt")):
        rows.filter(pl.col("who") % 2 == at).write_csv(name, separator="|")
    return ["first part.txt", "second part.txt"]


def _jester() -> list[str]:
    rng = np.random.default_rng(1)
    jokes = np.where(rng.random((60, 12)) < 0.5, rng.uniform(-10, 10, (60, 12)).round(2), 99)
    rows = [[int((row != 99).sum()), *row.tolist()] for row in jokes]
    Path("jester.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    return ["jester.csv"]


def _baskets() -> list[str]:
    rows = _rated()
    parts = np.split(rows.items, rows.offsets[1:-1])
    Path("baskets.dat").write_text("".join(" ".join(map(str, part)) + "\n" for part in parts))
    return ["baskets.dat"]


def _survey() -> pl.DataFrame:
    rng = np.random.default_rng(1)
    names = ("schools", "roads", "buses", "income", "health", "age")
    return pl.DataFrame({"id": range(1, 81)} | {name: rng.integers(1, 6, 80) for name in names})


def _wide(name: str) -> list[str]:
    table = _survey()
    writers = {".csv": table.write_csv, ".parquet": table.write_parquet, ".arrow": table.write_ipc}
    writers[Path(name).suffix](name)
    return [name]


def _with_schema() -> list[str]:
    Path("our schema.toml").write_text('sensitive = ["income"]\nid-column = "id"\n')
    return _wide("survey.csv")


CASES = {
    "csv": Case("csv", lambda: _written("ratings.csv"), (*FEW, "--scale=-1..5 step 0.5")),
    "odd columns": Case(
        "csv",
        _two_files,
        (*FEW, "--columns", "user=who,item=film,rating=stars", "--separator", "|"),
    ),
    "most rated": Case("csv", lambda: _written("r.csv"), (*FEW, "--most-rated", "9")),
    "declared items": Case(
        "csv", lambda: _written("r.csv"), ("--most-rated", "3", "--sensitive", "1,2")
    ),
    "parquet": Case("parquet", lambda: _written("our ratings.parquet")),
    "arrow": Case("arrow", lambda: _written("ratings.arrow")),
    "jsonl": Case("jsonl", lambda: _written("ratings.jsonl")),
    "netflix": Case("netflix", lambda: _written("combined_data_1.txt", "netflix")),
    "movielens-100k": Case("movielens-100k", lambda: _movielens("ml/u.data", "", "{}\t{}\t{}\t{}")),
    "movielens-1m": Case(
        "movielens-1m", lambda: _movielens("ml/ratings.dat", "", "{}::{}::{}::{}")
    ),
    "movielens-10m": Case(
        "movielens-10m",
        lambda: _movielens("ml-10m/ratings.dat", "", "{}::{}::{}::{}"),
        (*FEW, "--format", "movielens-10m"),
    ),
    "movielens-20m": Case(
        "movielens-20m",
        lambda: _movielens("ml/ratings.csv", "userId,movieId,rating,timestamp\n", "{},{},{},{}"),
    ),
    "ciaodvd": Case(
        "ciaodvd",
        lambda: _lines("movie-ratings.txt", lambda u, i, r, _: f"{u},{i},1,2,{r},2013-01-02"),
        (*FEW, "--duplicates=last"),
    ),
    "jester": Case("jester", _jester),
    "baskets": Case("baskets", _baskets, ("--methods", "pseudonymize", "--format", "baskets")),
    "survey": Case("survey", lambda: _wide("survey.csv"), SURVEYED),
    "survey as Parquet": Case("survey", lambda: _wide("survey.parquet"), SURVEYED),
    "survey as Arrow": Case(
        "survey", lambda: _wide("s.arrow"), (*SURVEYED, "--non-sensitive", "roads,schools")
    ),
    "survey by schema": Case("survey", _with_schema, ("--schema", "our schema.toml")),
    "nothing sensitive": Case("survey", lambda: _wide("survey.csv"), ("--format", "survey")),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, and a protocol of little work: what is tested is the command."""
    few = {"attack": ("record-linkage:known=4",), "measure": ("ranking", "fold-in")}
    monkeypatch.setattr(protocol, "compared_by_default", lambda family, **_: few[family])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_format_is_tried() -> None:
    from_elsewhere = {"duckdb"}  # a URL, not a file: its own tests publish from it
    assert {case.format for case in CASES.values()} == set(FORMATS) - from_elsewhere


@pytest.mark.parametrize("name", CASES)
def test_the_command_publishes_what_was_tried(
    name: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = CASES[name]
    words = [*case.make(), *case.flags, "--require", "record-linkage:known=4 success<=1"]
    assert main(["advise", *words, "--json"]) == 0
    advice = json.loads(capsys.readouterr().out)
    _, *command = shlex.split(advice["command"])
    assert main([*command, "--json"]) == 0
    published = json.loads(capsys.readouterr().out)
    read_as = Reading(parse(advise, "advise", words)).facts
    assert published["manifest"]["config"]["reading"] == read_as
    _is_the_pick(open_release("release").manifest, advice["pick"])


def _is_the_pick(manifest: Any, pick: str) -> None:
    method, _, given = pick.partition(":")
    assert manifest.method == method
    for key, _, value in (one.partition("=") for one in given.split(",") if one):
        assert manifest.parameters[key] == pytest.approx(float(value))


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "survey" in case.format])
def test_a_survey_is_tried_with_methods_for_surveys(
    name: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = CASES[name]
    assert main(["compare", *case.make(), *case.flags, "--out", "c", "--json"]) == 0
    trials = json.loads(capsys.readouterr().out)["trials"]
    methods = {trial["method"] for trial in trials}
    assert methods == {"pseudonymize", "proximity", "proximity-deletion", "synthetic"}
    declared = Reading(parse(advise, "advise", list(case.flags))).declared.values()
    for trial in trials:
        if trial["method"] == "pseudonymize":
            assert bool(trial["not_for_publication"]) == bool(declared)
        elif trial["method"] == "synthetic":  # no answer is anybody's, whatever is declared
            assert trial["parameters"]["data"] == "survey"
            assert not trial["not_for_publication"]
        else:
            assert declared.items() <= trial["parameters"].items()
            assert trial["parameters"]["l"] or "sensitive" not in declared


def test_what_would_ignore_sensitive_issues_is_never_advised(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["advise", *_wide("survey.csv"), *SURVEYED, "--require", "success<=1"]
    assert main([*words, "--methods", "pseudonymize"]) == 3
    shown = capsys.readouterr().out
    assert "pseudonymize cannot protect sensitive issues" in shown
    assert "recloak publish" not in shown


def test_a_claim_that_is_required_is_about_what_is_declared(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("grid.toml").write_text('[[method]]\nname = "proximity"\nk = [3]\n')
    words = ["advise", *_wide("survey.csv"), "--sensitive", "income", "--grid", "grid.toml"]
    assert main([*words, "--require", "proximity:k=3,epsilon=0", "--json"]) == 0
    (required,) = json.loads(capsys.readouterr().out)["requirements"]
    assert "sensitive=income" in required


def test_every_flag_about_the_data_is_in_the_next_command() -> None:
    parser = Parser()
    add_reading(parser)
    given: list[str] = []
    for one in parser.declared:
        flag = one.action.option_strings[-1]
        if flag != "--help":
            value = str(next(iter(one.action.choices or ["7"])))
            given += [flag] if one.action.nargs == 0 else [flag, value]
            given += [flag, "8"] if one.many else []
    read = parser.parse_args(given)
    beside = {"file": ["a b.csv"], "seed": 0, "out": "c", "methods": None, "grid": None}
    command = advising_command(Namespace(**vars(read), **beside, policy=None))
    words = shlex.split(command)
    assert all(words.count(word) >= given.count(word) for word in given), command
