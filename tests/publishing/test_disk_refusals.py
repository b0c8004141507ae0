"""What the disk engine refuses, and when it is taken: input, methods and memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from recloak.cli.main import main
from recloak.core import memory
from recloak.core.errors import InputError, MachineError, ParameterError, RecloakError
from recloak.core.people_draws import PeopleDraws
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.core.staged_ratings.spill import Spill
from recloak.io.options import ReadOptions
from recloak.io.staging import FileToRead, stage
from recloak.io.writing import write
from recloak.methods import OwnedRows
from recloak.methods.pseudonymize import Pseudonymize
from recloak.publishing.run import publish
from tests.publishing.on_disk import timed_ratings, written
from tests.support import wrong_tables
from tests.support.block_recipes import SEED, digests
from tests.support.plugins import Numbered


@pytest.fixture(scope="module")
def made() -> Ratings:
    return timed_ratings()


@pytest.fixture
def file(made: Ratings, tmp_path: Path) -> Path:
    return written(made, tmp_path, text=False)


WRONG = {
    "off the scale": ("1,2,3\n1,3,9\n", {"scale": "1..5"}),
    "twice": ("1,2,3\n7,3,4\n1,2,5\n0,4,4\n0,4,3\n", {}),
    "no number": ("1,2,3\n1,3,nan\n", {}),
    "no id": ("1,2,3\n,3,4\n", {}),
    "nothing": ("", {}),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_in_a_file_is_said_alike(
    wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, options = WRONG[wrong]
    (tmp_path / "r.csv").write_text("user,item,rating\n" + rows)
    flags = [word for name, value in options.items() for word in (f"--{name}", value)]
    said = []
    for engine in ("memory", "disk"):
        words = ["publish", str(tmp_path / "r.csv"), "--method", "pseudonymize", *flags]
        code = main([*words, "--out", str(tmp_path / "out"), "--engine", engine])
        said.append((code, capsys.readouterr().err))
    assert said[0][0] == 2
    assert said[0] == said[1]
    assert [path.name for path in tmp_path.iterdir()] == ["r.csv"]


@pytest.mark.parametrize("wrong", wrong_tables.WRONG)
def test_what_is_wrong_in_a_table_is_said_alike(wrong: str, tmp_path: Path) -> None:
    """With the row of a file where it stands, before anything is published."""
    table, options, _ = wrong_tables.wrong_table(wrong)
    table.write_parquet(tmp_path / "r.parquet")
    said = []
    for source in (tmp_path / "r.parquet", table):
        for engine in ("memory", "disk"):
            with pytest.raises(InputError) as caught:
                publish(source, "pseudonymize", out=tmp_path / "out", engine=engine, **options)
            said.append((caught.value.what, caught.value.where, caught.value.hint))
    assert said[0] == said[1]
    assert said[2] == said[3]
    assert "r.parquet" in str(said[0][1])
    assert wrong == "no column" or "row" in f"{said[0][0]} {said[0][1]}"
    assert [path.name for path in tmp_path.iterdir()] == ["r.parquet"]


@pytest.mark.parametrize("duplicates", ["last", "mean", "max"])
def test_what_stands_twice_is_merged_alike(
    duplicates: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(1, 6, 60) for name in ("user", "item", "rating")}
    pl.DataFrame(columns).write_csv(tmp_path / "r.csv")
    said = []
    for engine in ("memory", "disk"):
        words = ["publish", str(tmp_path / "r.csv"), "--method", "pseudonymize", "--seed", SEED]
        words += ["--no-audit", "--duplicates", duplicates, "--engine", engine]
        assert main([*words, "--out", str(tmp_path / engine)]) == 0
        said.append(capsys.readouterr().err.replace(engine, ""))
    assert digests(tmp_path / "memory") == digests(tmp_path / "disk")
    assert "repeated pairs merged" in said[0]
    assert said[0] == said[1]


def test_auto_takes_the_disk_when_memory_does_not_suffice_and_says_so(
    made: Ratings, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {"seed": SEED, "audited": False}
    fits = publish(file, "pseudonymize", out=tmp_path / "a", **given)
    assert fits.notes == ()
    monkeypatch.setattr("recloak.publishing._engines.ON_DISK", 0)
    size = f"{made.n_ratings * 30 // 1024}KB"
    for name, source in {"b": file, "c": made}.items():
        done = publish(source, "pseudonymize", out=tmp_path / name, memory=size, **given)
        assert "The disk engine was used: about" in done.notes[0]
        assert digests(done.folder) == digests(fits.folder)
    with pytest.raises(MachineError, match="needs about"):
        publish(made, "microaggregation", out=tmp_path / "d", memory=size, **given)
    with pytest.raises(MachineError, match="needs about"):
        publish(made, "pseudonymize", out=tmp_path / "d", memory=size, engine="memory", **given)
    assert memory.available() > 2**20  # what was said of one publication holds for that alone


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_a_file_that_would_not_fit_is_read_for_the_disk(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    """What reading takes in memory is not asked for where ratings go to the disk."""
    monkeypatch.setattr("recloak.publishing._engines.ON_DISK", 0)
    write(made, tmp_path / f"r.{ending}")
    given = {"audited": False, "memory": f"{made.n_users * 120 // 1024}KB"}
    done = publish(tmp_path / f"r.{ending}", "pseudonymize", out=tmp_path / "r", **given)
    assert "The disk engine was used" in done.notes[0]
    assert done.release.counts.ratings == made.n_ratings
    with pytest.raises(MachineError, match="needs about"):
        publish(
            tmp_path / f"r.{ending}", "pseudonymize", out=tmp_path / "s", engine="memory", **given
        )


def test_what_the_disk_engine_cannot_do_is_refused_at_once(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused: list[tuple[str, dict[str, Any], str]] = [
        ("disassociation", {}, "needs all people at once"),
        ("microaggregation", {}, "clustering = refined compares all people"),
        ("microaggregation", {"clustering": "binned", "imputation": "user-mean"}, "every cell"),
        ("synthetic", {"data": "survey"}, "a column for each question"),
        ("gaussian-noise", {"cells": "all"}, "fills a table of all people"),
        ("predictive", {"mode": "padded"}, "lists every item of every group"),
        ("predictive", {"l": 2}, "gives groups items of others"),
        ("pseudonymize", {"table_format": "csv"}, "CSV table is written as a whole"),
    ]
    for name, given, why in refused:
        with pytest.raises(ParameterError, match=why) as caught:
            publish(made, name, out=tmp_path / "r", engine="disk", **given)
        assert caught.value.where == "--engine disk"
    with pytest.raises(ParameterError, match="a catalogue needs all ratings in memory"):
        publish(made, "synthetic", out=tmp_path / "r", engine="disk", public_items=["1"])
    with pytest.raises(MachineError, match="the disk engine needs about"):
        publish(made, "pseudonymize", out=tmp_path / "r", engine="disk", memory="10KB")
    monkeypatch.setattr("recloak.publishing._engines.ON_DISK", 0)
    place = f"duckdb:///{tmp_path}/r.db?table=t"
    with pytest.raises(MachineError, match="the disk engine needs about"):
        publish(
            made, "pseudonymize", out=tmp_path / "r", engine="disk", memory="100KB", export=place,
            audited=False,
        )  # fmt: skip
    for wrong in ("much", "0GB", "-1GB"):
        with pytest.raises(ParameterError, match="is not an amount of memory"):
            publish(made, "pseudonymize", out=tmp_path / "r", memory=wrong)
    with pytest.raises(ParameterError, match="needs all ratings in memory"):
        stage(FileToRead("r.csv", ReadOptions(most_rated=5)), tmp_path, (), SILENT)
    assert list(tmp_path.iterdir()) == []


def test_methods_of_others_that_do_not_fit_are_refused(made: Ratings, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="gives rows names of its own"):
        publish(made, Numbered(), out=tmp_path / "r", engine="disk")
    with pytest.raises(RecloakError, match="publishes a different number of ratings"):
        publish(made, Dropping(), out=tmp_path / "r", engine="disk")
    assert list(tmp_path.iterdir()) == []


class Dropping(Pseudonymize):
    """Leaves the first person of a block out."""

    def part(
        self, rows: Ratings, shared: None, people: PeopleDraws, progress: Progress
    ) -> OwnedRows:
        return OwnedRows(rows.take_users(some := np.arange(1, rows.n_users)), some)


def test_a_full_disk_leaves_nothing_behind(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Spill, "_file", full)
    with pytest.raises(MachineError, match="the disk is full"):
        publish(made, "pseudonymize", out=tmp_path / "r", engine="disk")
    assert list(tmp_path.iterdir()) == []
