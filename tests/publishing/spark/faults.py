"""Faults: whatever happens to a cluster, it publishes the same bytes or nothing.

`test_cluster` imports these tests, so that they share its session of Spark.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

from recloak.core.errors import Cancelled, MachineError
from recloak.core.files import staging_folder
from recloak.core.progress import SILENT
from recloak.publishing.spark._steps import Steps
from recloak.releases.parts import TableParts
from tests.publishing.spark.publishing import (
    Interrupting,
    on_one_machine,
    published,
    switched_on,
)
from tests.support.block_recipes import digests
from tests.support.clusters import executors
from tests.support.plugins import Unrepeatable


def test_an_executor_that_is_killed_after_the_shuffle(
    spark: Any, made: pl.DataFrame, tmp_path: Path
) -> None:
    killed: list[int] = []

    def kill() -> None:
        killed.append(executors(spark)[0])
        os.kill(killed[0], signal.SIGKILL)

    done = published(
        spark, made, "gaussian-noise", tmp_path / "r", progress=Interrupting("Making rows", kill)
    )
    assert killed
    assert killed[0] not in executors(spark)
    assert digests(done.folder) == on_one_machine(made, "gaussian-noise", tmp_path)


def test_what_other_attempts_of_a_task_wrote_does_not_count(
    spark: Any, made: pl.DataFrame, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Copies of a slow task, and a task that was lost before it ended, leave files behind."""
    monkeypatch.setattr(TableParts, "ratings_per_part", -(-made.height // 4))
    with switched_on(place, "another attempt"):
        done = published(spark, made, "pseudonymize", tmp_path / "r")
    assert digests(done.folder) == on_one_machine(made, "pseudonymize", tmp_path)


def test_a_full_disk_leaves_nothing_behind(
    spark: Any, made: pl.DataFrame, place: Path, tmp_path: Path
) -> None:
    with switched_on(place, "full disk"), pytest.raises(MachineError, match="No space left"):
        published(spark, made, "pseudonymize", tmp_path / "r")
    assert list(tmp_path.iterdir()) == []


def test_entropy_in_a_task_is_refused_by_the_workers_of_these_tests(
    spark: Any, made: pl.DataFrame, tmp_path: Path
) -> None:
    """Every other test here passes under the same guard: nothing draws on its own in a task."""
    with pytest.raises(MachineError, match="entropy inside a task"):
        published(spark, made, Unrepeatable(), tmp_path / "r")
    assert list(tmp_path.iterdir()) == []


def test_jobs_are_named_after_steps_and_a_request_to_stop_ends_them(
    spark: Any, made: pl.DataFrame, tmp_path: Path
) -> None:
    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        published(
            spark,
            made,
            "pseudonymize",
            tmp_path / "r",
            progress=Interrupting("Writing parts", stop),
        )
    assert list(tmp_path.iterdir()) == []
    tracker = spark.sparkContext.statusTracker()
    for step in ("Counting ratings", "Staging ratings by person", "Making rows"):
        assert tracker.getJobIdsForGroup(f"recloak: {step}")
    assert not spark.getTags()
    tags: set[str] = set()
    for _ in range(2):  # of two publications at the same step only one is stopped
        with Steps(spark, SILENT).step("Making rows"):
            tags |= spark.getTags()
    assert len(tags) == 2


def test_a_table_that_changes_while_it_is_read_is_refused(
    spark: Any, made: pl.DataFrame, tmp_path: Path
) -> None:
    """What workers kept is lost, and the ratings are read again: they are others by then."""
    folder = tmp_path / "table"
    folder.mkdir()
    made.write_parquet(folder / "a.parquet")
    frame = spark.read.parquet(folder.as_uri())

    def change() -> None:
        other = made.with_columns(rating=pl.lit(1, made.schema["rating"]))
        other.write_parquet(folder / "a.parquet")
        spark.catalog.clearCache()

    with pytest.raises(MachineError, match="the DataFrame gave different ratings"):
        published(
            spark, frame, "pseudonymize", tmp_path / "r",
            progress=Interrupting("Making rows", change),
        )  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["table"]


def test_a_table_that_has_lost_rows_when_it_is_read_is_refused(spark: Any, tmp_path: Path) -> None:
    """As by a retry, where rows come in no fixed order: nobody would notice a few of them."""
    count = tmp_path / "count"
    count.write_text("9")

    def rows(batches: Any) -> Any:
        users = pa.array(range(int(count.read_text())), pa.int64())
        for _ in batches:
            yield pa.RecordBatch.from_arrays([users] * 3, ["user", "item", "rating"])

    frame = spark.range(1).mapInArrow(rows, "user long, item long, rating long")
    lost = Interrupting("Staging ratings by person", lambda: count.write_text("8"))
    with pytest.raises(MachineError, match="gave 8 ratings, and 9 when they were counted"):
        published(spark, frame, "pseudonymize", tmp_path / "r", progress=lost)
    assert [path.name for path in tmp_path.iterdir()] == ["count"]


KILLED = """
import os, signal, sys
from contextlib import contextmanager
import recloak
from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession
from recloak.core.progress import SILENT

class Killed:
    @contextmanager
    def task(self, label, total=None):
        if label == "Publishing":
            print("written", flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        with SILENT.task(label, total) as task:
            yield task

gateway = launch_gateway()  # that of the session of all tests, which another Java would cost
java = gateway.jvm.JavaSparkContext(gateway.jvm.org.apache.spark.SparkContext.getOrCreate())
context = SparkContext(gateway=gateway, jsc=java, conf=SparkConf(_jconf=java.getConf()))
recloak.publish(
    SparkSession(context).read.parquet(sys.argv[1]), "pseudonymize", out=sys.argv[2],
    engine="spark", audited=False, progress=Killed(),
)
"""


def test_a_driver_that_is_killed_before_the_commit_leaves_no_release(
    spark: Any, tmp_path: Path
) -> None:
    """Its folder stays hidden, without a name that anybody would take for a release."""
    table = pl.DataFrame({"user": [1, 2], "item": [3, 4], "rating": [5, 4]})
    table.write_parquet(tmp_path / "r.parquet")
    gateway = spark.sparkContext._gateway.gateway_parameters
    environment = {
        **os.environ,
        "PYSPARK_GATEWAY_PORT": str(gateway.port),
        "PYSPARK_GATEWAY_SECRET": gateway.auth_token,
    }
    words = [sys.executable, "-c", KILLED, str(tmp_path / "r.parquet"), str(tmp_path / "out")]
    ended = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False, env=environment)
    assert ended.returncode == -signal.SIGKILL
    assert ended.stdout.split() == ["written"]
    left = [path.name for path in tmp_path.iterdir() if path.name != "r.parquet"]
    assert left
    assert all(name.startswith(".recloak-partial-") for name in left)
    with staging_folder(tmp_path / "another"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["r.parquet"]
