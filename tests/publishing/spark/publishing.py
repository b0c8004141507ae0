"""Publishing in a session of Spark and on one machine, for tests that compare the two."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

import recloak
import recloak.spark
from recloak.core.progress import SILENT, Task
from recloak.publishing.published import Published
from tests.support.block_recipes import SEED, digests


def in_spark(spark: Any, table: pl.DataFrame) -> Any:
    """The rows in two partitions."""
    return spark.createDataFrame(table.to_arrow()).repartition(2)


def published(spark: Any, table: Any, method: Any, out: Path, **options: Any) -> Published:
    given = {"seed": SEED, "audited": False, "progress": SILENT, **options}
    frame = in_spark(spark, table) if isinstance(table, pl.DataFrame) else table
    return recloak.spark.publish(frame, method, out=out, **given)


def on_one_machine(table: Any, method: str, out: Path, **options: Any) -> dict[str, str]:
    given = {"seed": SEED, "audited": False, "progress": SILENT, **options}
    engine = given.pop("engine", "memory")
    return digests(recloak.publish(table, method, out=out / engine, engine=engine, **given).folder)


@contextmanager
def switched_on(place: Path, name: str) -> Iterator[Path]:
    """A fault that workers of the session have meanwhile."""
    switch = place / "switches" / name
    switch.touch()
    try:
        yield switch
    finally:
        switch.unlink(missing_ok=True)


class Interrupting:
    """Progress that does something as soon as a step begins."""

    def __init__(self, step: str, action: Any) -> None:
        self.step, self.action = step, action

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[Task]:
        if label == self.step:
            self.action()
        with SILENT.task(label, total) as task:
            yield task
