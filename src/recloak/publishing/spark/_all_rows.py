"""All rows for an audit of a sample: tasks read parts of the release, or buckets of people.

A part is read from the folder of the release, which workers and driver share. Every task tells what
it found in all that it read, merged; the driver merges what tasks tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from recloak.core.arrays import Indices
from recloak.core.parallel import at_most_threads
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.all_rows import Found, Merge, OfRows, RowsBlock
from recloak.publishing._all_rows import PeopleElsewhere, RowsOfRelease, Search, blocks_of_part
from recloak.publishing.spark._block_task import MOST_TASKS, Common
from recloak.publishing.spark._packing import packed, unpacked
from recloak.publishing.spark._staged import SparkRatings, each_row
from recloak.releases.stored import StoredRatings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FOUND_SCHEMA = "blob binary"


@dataclass(frozen=True)
class PartsTask:
    """Looks for something in parts of a release."""

    release: StoredRatings
    blank: Ratings
    search: Search

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For Spark: numbers of parts in, what was found in them out."""
        found: list[Found] = []
        with at_most_threads(1):
            for batch in batches:
                for part in batch.column("id").to_pylist():
                    blocks = blocks_of_part(self.release, self.blank, part)
                    found = self.search.added(found, blocks, at_once=1)
        yield from map(_row, found)


@dataclass(frozen=True)
class PeopleTask:
    """Looks for something in the ratings of people; ``codes`` are those of each bucket."""

    common: Common
    codes: Mapping[int, Indices]
    search: Search

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For Spark: staged ratings in, what was found in them out."""
        blocks = (
            RowsBlock(bucket, self.codes[bucket], rows)
            for bucket, rows in self.common.blocks(batches)
        )
        with at_most_threads(1):
            yield from map(_row, self.search.added([], blocks, at_once=1))


def _row(found: Found) -> pa.RecordBatch:
    """What was found as one row; tables travel as columns, with how wide they are."""
    widths = np.array([one.shape[1] if one.ndim > 1 else 0 for one in found], np.int64)
    blob = packed(widths, *(one.reshape(-1) for one in found))
    return pa.RecordBatch.from_arrays([pa.array([blob], pa.binary())], ["blob"])


def _collected(told: DataFrame, merged: Merge) -> Found:
    found = []
    for row in each_row(told.toArrow()):
        widths, *columns = unpacked(row["blob"])
        pairs = zip(widths.tolist(), columns, strict=True)
        found.append(tuple(one.reshape(-1, width) if width else one for width, one in pairs))
    return reduce(merged, found)


@dataclass(frozen=True, eq=False)
class RowsInParts(RowsOfRelease):
    """The rows of a release whose parts tasks read."""

    staged: SparkRatings = field(kw_only=True)

    def gathered(self, work: OfRows, merged: Merge, label: str, progress: Progress) -> Found:
        count, steps = self.release.part_count, self.staged.steps
        there = StoredRatings(self.release.manifest, self.release.folder.absolute())
        task = PartsTask(there, self.blank, Search(work, merged))
        with self.turn, steps.step(label):
            numbers = steps.spark.range(0, count, 1, min(count, MOST_TASKS))
            return _collected(numbers.mapInArrow(task.run, FOUND_SCHEMA), merged)


@dataclass(frozen=True, eq=False)
class PeopleInSpark(PeopleElsewhere):
    """The people of an original that Spark keeps."""

    staged: SparkRatings

    def gathered(self, work: OfRows, merged: Merge, label: str, progress: Progress) -> Found:
        staged, codes = self.staged, self.staged.people.by_bucket
        task = PeopleTask(staged.common, codes, Search(work, merged))
        with self.turn, staged.steps.step(label):
            blocks = staged.blocks.coalesce(min(len(codes), MOST_TASKS))
            return _collected(blocks.mapInArrow(task.run, FOUND_SCHEMA), merged)


@dataclass(frozen=True)
class ReaderInSpark:
    """Reads all rows of a publication in Spark."""

    staged: SparkRatings

    def people(self) -> PeopleInSpark:
        """The people of the original."""
        return PeopleInSpark(self.staged)

    def rows(self, release: StoredRatings, blank: Ratings) -> RowsInParts:
        """The rows of a release, in the items that ``blank`` has."""
        return RowsInParts(release, blank, staged=self.staged)
