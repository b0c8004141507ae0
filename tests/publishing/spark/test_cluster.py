"""A real cluster publishes the same bytes as one machine, or nothing, whatever happens to it.

All tests share one session; they stand in one module so that they run in one process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from recloak.clustering.binned import Binned
from recloak.core import people_draws
from recloak.methods.synthetic import _exact_fit
from recloak.publishing.spark import _groups_task
from recloak.publishing.spark._staged import SparkRatings
from recloak.publishing.spark._staging import Staging
from recloak.releases.parts import TableParts
from recloak.releases.secret import Lock, open_secret
from recloak.simulation import synthesize
from tests.publishing.spark.audits import (  # noqa: F401 - they share the session
    test_the_audit_looks_at_the_people_and_the_rows_that_the_disk_engine_takes,
)
from tests.publishing.spark.faults import (  # noqa: F401 - they share the session
    test_a_driver_that_is_killed_before_the_commit_leaves_no_release,
    test_a_full_disk_leaves_nothing_behind,
    test_a_table_that_changes_while_it_is_read_is_refused,
    test_a_table_that_has_lost_rows_when_it_is_read_is_refused,
    test_an_executor_that_is_killed_after_the_shuffle,
    test_entropy_in_a_task_is_refused_by_the_workers_of_these_tests,
    test_jobs_are_named_after_steps_and_a_request_to_stop_ends_them,
    test_what_other_attempts_of_a_task_wrote_does_not_count,
)
from tests.publishing.spark.given import (  # noqa: F401
    test_files_with_other_columns_are_not_mixed_up,
    test_numbers_in_quotes_are_text_unless_everything_is_in_quotes,
    test_text_that_spark_would_read_otherwise_is_refused,
    test_the_command_reads_text,
    test_times_that_are_dates_and_ids_that_are_whole_though_of_another_type,
    test_what_is_wrong_is_said_as_for_a_frame,
    test_what_spark_cannot_do_is_refused_at_once,
    test_what_stands_twice_is_merged_alike,
    test_who_opted_out_and_what_is_not_published,
)
from tests.publishing.spark.publishing import on_one_machine, published, switched_on
from tests.support.block_recipes import GROUPED, MADE_UP, RECIPES, digests
from tests.support.clusters import cluster
from tests.support.few_names import few_names

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
SLOW = ("so many fragments",)
"""Other fragments hardly differ from these, and a session takes long."""


def each_of(names: Iterable[str]) -> list[Any]:
    """A parameter for each name, and for slow ones the mark."""
    return [
        pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else [], id=name)
        for name in names
    ]


@pytest.mark.parametrize("recipe", each_of(COMPARED))
def test_bytes_are_the_same(
    spark: Any, made: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: str
) -> None:
    at = COMPARED.index(recipe)
    parts = 5 if at % 2 else 1
    monkeypatch.setattr(TableParts, "ratings_per_part", -(-made.height // parts))
    method, parameters = RECIPES[recipe]
    table = as_text(made) if at % 2 else made
    done = published(spark, table, method, tmp_path / "spark", **parameters)
    for engine in ("memory", "disk"):
        expected = on_one_machine(table, method, tmp_path, engine=engine, **parameters)
        assert digests(done.folder) == expected
    assert len(expected) == parts + 3
    assert done.release.counts.ratings == made.height


@pytest.mark.parametrize("recipe", each_of(MADE_UP))
def test_made_up_people_are_the_same(
    spark: Any,
    made: pl.DataFrame,
    place: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    recipe: str,
) -> None:
    """Tasks add up what they are learnt from; sums of many items are merged by further tasks.

    Of those with noise some names are drawn twice, and again.
    """
    monkeypatch.setattr(TableParts, "ratings_per_part", 1500)
    for steps in ("_POWER_STEPS", "_EM_STEPS"):  # each of which is a job
        monkeypatch.setattr(_exact_fit, steps, 1)
    method, parameters = MADE_UP[recipe]
    with ExitStack() as switches:
        if "epsilon" in parameters:
            monkeypatch.setattr(SparkRatings, "most_entries", 0)
            monkeypatch.setattr(people_draws, "as_pseudonyms", few_names)
            monkeypatch.setattr(
                "recloak.publishing._publication.scan_for_leaks", lambda *_, **__: ()
            )
            switches.enter_context(switched_on(place, "few names"))
        done = published(spark, made, method, tmp_path / "spark", **parameters)
    assert digests(done.folder) == on_one_machine(made, method, tmp_path, **parameters)
    assert done.release.made_up
    assert len(np.unique(done.release.row_labels)) == done.release.counts.rows


@pytest.mark.parametrize("recipe", ["bins", "would rate alike"])
def test_groups_are_the_same(
    spark: Any, made: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: str
) -> None:
    """People go to their homes, and are grouped there."""
    monkeypatch.setattr(_groups_task, "MOST_TASKS", 7)  # several groups in each home
    monkeypatch.setattr(Binned, "size_for", lambda self, k: 25)
    monkeypatch.setattr("recloak.methods._blocks.SAMPLE_RATINGS", 3000)
    method, parameters = GROUPED[recipe]
    done = published(spark, as_text(made), method, tmp_path / "spark", **parameters)
    assert digests(done.folder) == on_one_machine(as_text(made), method, tmp_path, **parameters)


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
    monkeypatch.setattr(people_draws, "as_pseudonyms", few_names)
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
