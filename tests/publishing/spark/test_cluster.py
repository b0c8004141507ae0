"""A real cluster publishes the same bytes as one machine, or nothing, whatever happens to it.

All tests share one session; they stand in one module so that they run in one process.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import recloak
import recloak.spark
from recloak.cli.main import main
from recloak.clustering.binned import Binned
from recloak.core import people_draws
from recloak.core.errors import InputError, ParameterError
from recloak.core.randomness import PSEUDONYM_LOW
from recloak.core.ratings import Ratings
from recloak.methods.synthetic import _exact_fit
from recloak.publishing._disk_audit import SampledPeople
from recloak.publishing.spark._staged import SparkRatings
from recloak.publishing.spark._staging import Staging
from recloak.releases.parts import TableParts
from recloak.releases.secret import Lock, open_secret
from recloak.simulation import synthesize
from tests.publishing.spark.faults import (  # noqa: F401 - they share the session
    test_a_driver_that_is_killed_before_the_commit_leaves_no_release,
    test_a_full_disk_leaves_nothing_behind,
    test_a_table_that_changes_while_it_is_read_is_refused,
    test_an_executor_that_is_killed_after_the_shuffle,
    test_entropy_in_a_task_is_refused_by_the_workers_of_these_tests,
    test_jobs_are_named_after_steps_and_a_request_to_stop_ends_them,
    test_what_other_attempts_of_a_task_wrote_does_not_count,
)
from tests.publishing.spark.publishing import in_spark, on_one_machine, published, switched_on
from tests.support.block_recipes import GROUPED, MADE_UP, RECIPES, SEED, digests
from tests.support.clusters import cluster
from tests.support.rivals import Guesses, context_of_audit, guesses_among_all

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cluster")


@pytest.fixture(scope="module")
def spark(place: Path) -> Iterator[Any]:
    with cluster(place) as session:
        yield session


@pytest.fixture(autouse=True)
def several_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Staging, "ratings_per_bucket", 1500)


@pytest.fixture(scope="module")
def made() -> pl.DataFrame:
    ratings = synthesize("ml-1m", users=150, items=120, ratings=4_000, seed=1)
    times = 978_300_000 + np.random.default_rng(1).integers(0, 10**8, ratings.n_ratings)
    timed = ratings.to_polars().with_columns(time=pl.Series(times))
    return timed.sample(fraction=1, shuffle=True, seed=3)


def as_text(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(
        pl.format("u{}", "user").alias("user"), item="ï" + pl.col.item.cast(pl.String)
    )


FURTHER_DOWN = ("pseudonymize", "pseudonymize by month", "gaussian")
"""These are compared with one machine by tests of faults, dates and commands."""
COMPARED = [name for name in RECIPES if name not in FURTHER_DOWN]


@pytest.mark.parametrize("at", range(len(COMPARED)), ids=COMPARED)
def test_bytes_are_the_same(
    spark: Any, made: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    parts = 5 if at % 2 else 1
    monkeypatch.setattr(TableParts, "ratings_per_part", -(-made.height // parts))
    method, parameters = RECIPES[COMPARED[at]]
    table = as_text(made) if at % 2 else made
    done = published(spark, table, method, tmp_path / "spark", **parameters)
    for engine in ("memory", "disk"):
        expected = on_one_machine(table, method, tmp_path, engine=engine, **parameters)
        assert digests(done.folder) == expected
    assert len(expected) == parts + 3
    assert done.release.counts.ratings == made.height


@pytest.mark.parametrize("recipe", MADE_UP)
def test_made_up_people_are_the_same(
    spark: Any, made: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: str
) -> None:
    """Tasks add up what they are learnt from; sums of many items are merged by further tasks."""
    monkeypatch.setattr(TableParts, "ratings_per_part", 1500)
    for steps in ("_POWER_STEPS", "_EM_STEPS"):  # each of which is a job
        monkeypatch.setattr(_exact_fit, steps, 1)
    method, parameters = MADE_UP[recipe]
    if "epsilon" in parameters:
        monkeypatch.setattr(SparkRatings, "most_entries", 0)
    done = published(spark, made, method, tmp_path / "spark", **parameters)
    assert digests(done.folder) == on_one_machine(made, method, tmp_path, **parameters)
    assert done.release.made_up


@pytest.mark.parametrize("recipe", ["bins", "would rate alike"])
def test_groups_are_the_same(
    spark: Any, made: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: str
) -> None:
    """People go to their homes, and are grouped there."""
    monkeypatch.setattr(Binned, "size_for", lambda self, k: 25)
    monkeypatch.setattr("recloak.methods._blocks.SAMPLE_RATINGS", 3000)
    method, parameters = GROUPED[recipe]
    done = published(spark, as_text(made), method, tmp_path / "spark", **parameters)
    assert digests(done.folder) == on_one_machine(as_text(made), method, tmp_path, **parameters)


def test_times_that_are_dates_and_ids_that_are_whole_though_of_another_type(
    spark: Any, made: pl.DataFrame, tmp_path: Path
) -> None:
    frame = in_spark(spark, made).selectExpr(
        "cast(user as double) as user", "item", "rating", "timestamp_seconds(time) as time"
    )
    done = published(spark, frame, "pseudonymize", tmp_path / "r", times="month")
    assert digests(done.folder) == on_one_machine(made, "pseudonymize", tmp_path, times="month")
    odd = frame.selectExpr("user + 0.5 as user", "item", "rating")
    with pytest.raises(InputError, match=r"ids must be whole numbers or text, and one is \d+.5"):
        published(spark, odd, "pseudonymize", tmp_path / "s")


def test_who_opted_out_and_what_is_not_published(
    spark: Any, made: pl.DataFrame, tmp_path: Path
) -> None:
    seen = made.select(pl.col("user").alias("uid"), "item").with_columns(age=pl.lit(33))
    gone = seen["uid"].unique().sort()[:3].to_list()
    given = {"columns": "user=uid", "scale": "implicit", "exclude_users": gone}
    done = published(spark, seen, "pseudonymize", tmp_path / "r", **given)
    assert digests(done.folder) == on_one_machine(seen, "pseudonymize", tmp_path, **given)
    given["exclude_users"] = ["nobody"]
    with pytest.raises(InputError, match="1 of 1 users are not in the data"):
        published(spark, seen, "pseudonymize", tmp_path / "s", **given)


@pytest.mark.parametrize("duplicates", ["last", "mean", "max"])
def test_what_stands_twice_is_merged_alike(spark: Any, tmp_path: Path, duplicates: str) -> None:
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(1, 6, 60) for name in ("user", "item", "rating")}
    table = pl.DataFrame(columns).with_columns(time=pl.int_range(60) + 10**9)
    done = published(spark, table, "pseudonymize", tmp_path / "r", duplicates=duplicates)
    assert digests(done.folder) == on_one_machine(
        table, "pseudonymize", tmp_path, duplicates=duplicates
    )


WRONG: dict[str, tuple[dict[str, list[Any]], dict[str, Any], str]] = {
    "off the scale": ({"rating": [3, 9, 4]}, {"scale": "1..5"}, "rating 9"),
    "twice": ({"user": [7, 7, 7], "item": [5, 5, 5]}, {}, "the DataFrame"),
    "no number": ({"rating": [3.0, float("nan"), 4.0]}, {}, "rating nan"),
    "no rating": ({"rating": [3, None, 4]}, {}, "rating None"),
    "no id": ({"user": [1, None, 2]}, {}, "user None"),
    "no item": ({"item": [4, None, 6]}, {}, "item None"),
    "endless": ({"rating": [3.0, float("inf"), 4.0]}, {}, "rating inf"),
    "no time": ({"time": [1, None, 2]}, {}, "time None"),
    "no column": ({"item": []}, {}, "the DataFrame"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_said_as_for_a_frame(spark: Any, tmp_path: Path, wrong: str) -> None:
    """In the same words, with an example row in the place of a number, which no row has."""
    changed, options, example = WRONG[wrong]
    columns = {"user": [1, 2, 3], "item": [4, 5, 6], "rating": [3, 4, 5]} | changed
    table = pl.DataFrame({name: column for name, column in columns.items() if column})
    with pytest.raises(InputError) as elsewhere:
        on_one_machine(table, "pseudonymize", tmp_path, **options)
    with pytest.raises(InputError) as here:
        frame = spark.createDataFrame(table.to_arrow())
        published(spark, frame, "pseudonymize", tmp_path / "r", **options)
    said = elsewhere.value.what.partition(", first: ")[0]
    assert here.value.what.startswith(said)
    assert here.value.hint == elsewhere.value.hint
    assert here.value.where is not None
    assert example in here.value.where
    assert list(tmp_path.iterdir()) == []


def test_one_person_with_much_and_one_item_of_half(spark: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    users = np.concatenate([np.zeros(200, np.int64), rng.integers(1, 1900, 3800)])
    items = np.where(np.arange(4000) % 2, 0, rng.integers(1, 300, 4000))
    items[:200] = np.arange(200)
    table = pl.DataFrame({"user": users, "item": items, "rating": rng.integers(1, 6, 4000)})
    table = table.unique(("user", "item"), maintain_order=True)
    given = {"fragments": 1.3, "factors": 4}
    done = published(spark, table, "fragmentation", tmp_path / "r", **given)
    assert digests(done.folder) == on_one_machine(table, "fragmentation", tmp_path, **given)


def test_names_that_are_drawn_twice(
    spark: Any, made: pl.DataFrame, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def few(words: np.ndarray) -> np.ndarray:
        return PSEUDONYM_LOW + (words % np.uint64(899)).astype(np.int64) * 10**12

    monkeypatch.setattr(people_draws, "as_pseudonyms", few)
    monkeypatch.setattr(TableParts, "ratings_per_part", 900)
    monkeypatch.setattr("recloak.publishing._publication.scan_for_leaks", lambda *_, **__: ())
    lock = Lock("key file", bytes(32))
    given = {"fragments": 3, "factors": 4, "lock": lock}
    keep = tmp_path / "spark.secret", tmp_path / "memory.secret"
    with switched_on(place, "few names"):
        done = published(spark, made, "fragmentation", tmp_path / "r", keep_secret=keep[0], **given)
    expected = on_one_machine(made, "fragmentation", tmp_path, keep_secret=keep[1], **given)
    assert digests(done.folder) == expected
    tables = [open_secret(path, lock).table() for path in keep]
    assert tables[0].equals(tables[1])
    assert tables[0]["pseudonym"].n_unique() == len(tables[0])


class Stopped(Exception):
    """Raised in the place of an audit."""


def test_the_audit_looks_at_the_people_and_the_rows_that_the_disk_engine_takes(
    spark: Any, made: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same people are sought among all rows, and every try guesses the same."""
    asked: list[tuple[Ratings, Any, Any]] = []
    guesses: list[Guesses] = []

    def caught(original: Ratings, release: Any, *, secret: Any, everyone: Any, **_: Any) -> None:
        asked.append((original, release, secret))
        context = context_of_audit(original, release, secret, everyone)
        guesses.append(guesses_among_all(context, bayes=True))
        raise Stopped

    monkeypatch.setattr(SampledPeople, "most_ratings", 1500)
    monkeypatch.setattr(TableParts, "ratings_per_part", 1500)
    monkeypatch.setattr("recloak.publishing._publication.audit", caught)
    with pytest.raises(Stopped):
        published(spark, made, "gaussian-noise", tmp_path / "r", audited=True)
    with pytest.raises(Stopped):
        on_one_machine(made, "gaussian-noise", tmp_path, engine="disk", audited=True)
    here, there = asked
    assert 0 < here[0].n_users < made["user"].n_unique()
    assert here[0].equals(there[0])
    assert here[1].as_ratings().equals(there[1].as_ratings())
    assert here[2].table().equals(there[2].table())
    assert guesses[0].keys() == guesses[1].keys()
    for name, columns in guesses[0].items():
        for one, other in zip(columns, guesses[1][name], strict=True):
            assert one == pytest.approx(other)


def test_the_command_reads_text(
    spark: Any, made: pl.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ratings.csv"
    made.with_columns(pl.format("u{}", "user").alias("user")).write_csv(file)
    words = ["publish", str(file), "--method", "gaussian-noise", "--no-audit", "--seed", SEED]
    for engine in ("spark", "memory"):
        assert main([*words, "--engine", engine, "--out", str(tmp_path / engine)]) == 0
    assert digests(tmp_path / "spark") == digests(tmp_path / "memory")
    capsys.readouterr()
    assert main([*words, "--engine", "spark", "--master", "local[9]", "--out", "x"]) == 2
    assert "a session is active already" in capsys.readouterr().err


def test_what_spark_cannot_do_is_refused_at_once(
    spark: Any, made: pl.DataFrame, tmp_path: Path
) -> None:
    refused: list[tuple[str, dict[str, Any], str]] = [
        ("disassociation", {}, "needs all people at once"),
        ("gaussian-noise", {"cells": "all"}, "fills a table of all people"),
        ("pseudonymize", {"table_format": "csv"}, "CSV table is written as a whole"),
        ("pseudonymize", {"duplicates": "last", "columns": "time=none"}, "no column 'none'"),
    ]
    for name, given, why in refused:
        with pytest.raises((ParameterError, InputError), match=why):
            published(spark, made, name, tmp_path / "r", **given)
    with pytest.raises(ParameterError, match="no rating is the last"):
        published(spark, made.drop("time"), "pseudonymize", tmp_path / "r", duplicates="last")
    with pytest.raises(ParameterError, match="cannot read a DataFrame"):
        recloak.publish(made, "pseudonymize", out=tmp_path / "r", engine="spark")
    assert list(tmp_path.iterdir()) == []
