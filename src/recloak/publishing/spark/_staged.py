"""Staged ratings in Spark: a row for each bucket of people, kept by the workers.

The driver has the names of people and items, and a digest of each bucket. Whoever reads a bucket
again compares: a retry sees the same ratings, or there is no release.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from recloak.core.arrays import Indices, Integers, Labels, offsets_from
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.core.staged_ratings import OfBlock, Sums, stacked
from recloak.publishing.spark._block_task import (
    COLUMNS,
    MOST_TASKS,
    PIECE,
    SAMPLE_SCHEMA,
    SUMS_SCHEMA,
    Common,
    SampleTask,
    SumTask,
    add_pieces,
)
from recloak.publishing.spark._collected import People
from recloak.publishing.spark._packing import unpacked
from recloak.publishing.spark._steps import Steps

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, repr=False)
class SparkRatings:
    """Ratings in the buckets of a persisted DataFrame; of all that is known here no order shows."""

    frame: DataFrame
    common: Common
    people: People
    item_support: Integers
    timed: bool
    steps: Steps
    most_entries: ClassVar[int] = 1 << 23
    """How many numbers of sums the driver takes from tasks; more are added up before."""

    @property
    def user_labels(self) -> Labels:
        return self.people.labels

    @property
    def user_counts(self) -> Integers:
        return self.people.counts

    @property
    def scale(self) -> Scale:
        return self.common.scale

    @property
    def item_labels(self) -> Labels:
        return self.common.item_labels

    @property
    def n_users(self) -> int:
        return len(self.user_labels)

    @property
    def n_items(self) -> int:
        return len(self.item_labels)

    @cached_property
    def n_ratings(self) -> int:
        return int(self.user_counts.sum())

    @property
    def blocks(self) -> DataFrame:
        """A row for each bucket, as tasks take it."""
        return self.frame.select(*COLUMNS)

    def of_people(self, people: Indices) -> Ratings:
        """The ratings of these people (codes, ascending); they must fit into memory."""
        wanted = np.zeros(self.n_users, np.bool_)
        wanted[people] = True
        places = {
            bucket: here
            for bucket, codes in self.people.by_bucket.items()
            if len(here := np.flatnonzero(wanted[codes]))
        }
        found = [self._rows(np.empty(0, np.int64), np.zeros(0, np.int64))]
        codes = [np.empty(0, np.int64)]
        if places:
            task = SampleTask(self.common, places)
            with self.steps.step("Collecting people"):
                rows = self.blocks.mapInArrow(task.run, SAMPLE_SCHEMA).toArrow().to_pylist()
            for row in rows:
                codes.append(self.people.by_bucket[row["bucket"]][places[row["bucket"]]])
                found.append(self._rows(codes[-1], *unpacked(row["blob"])))
        return stacked(found).take_users(np.argsort(np.concatenate(codes), kind="stable"))

    def added_up(
        self, work: OfBlock, shape: tuple[int, ...], label: str, progress: Progress
    ) -> Sums:
        """The sum, of this shape, of what ``work`` gives for each block of people.

        Every task tells one sum. Where all of them would be too much for the driver, they are
        added up by pieces first.
        """
        entries, tasks = math.prod(shape), min(len(self.people.by_bucket), MOST_TASKS)
        with self.steps.step(label):
            task = SumTask(self.common, work)
            told = self.blocks.coalesce(tasks).mapInArrow(task.run, SUMS_SCHEMA)
            if tasks * entries > self.most_entries:
                told = told.groupBy("piece").applyInArrow(add_pieces, SUMS_SCHEMA)
            rows = told.toArrow().to_pylist()
        total = np.zeros(entries, unpacked(rows[0]["blob"])[0].dtype)
        for row in rows:
            piece, start = unpacked(row["blob"])[0], row["piece"] * PIECE
            total[start : start + len(piece)] += piece
        return total.reshape(shape)

    def _rows(
        self,
        people: Indices,
        counts: Integers,
        items: Any = None,
        values: Any = None,
        times: Any = None,
    ) -> Ratings:
        return Ratings(
            offsets=offsets_from(counts),
            items=np.empty(0, np.int32) if items is None else items,
            values=np.empty(0, np.float32) if values is None else values,
            scale=self.scale,
            user_labels=self.user_labels[people],
            item_labels=self.item_labels,
            times=np.empty(0, np.int64) if times is None and self.timed else times,
            scale_inferred=self.common.scale_inferred,
        )


def each_row(table: Any) -> Iterator[dict[str, Any]]:
    """The rows of an Arrow table, one at a time."""
    for batch in table.to_batches():
        yield from batch.to_pylist()
