"""Block tasks: what is made of the blocks of staged ratings, one after the other.

A task makes a person's rows from the block, from what all share and from draws that follow from the
person's name. There is no other source of randomness in a task: one that runs again, or twice at
the same time, gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from recloak.core.arrays import Indices, Integers, Labels, offsets_from
from recloak.core.errors import MachineError
from recloak.core.parallel import at_most_threads
from recloak.core.people_draws import PeopleDraws
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.methods import BlockMethod
from recloak.publishing._disk_rows import rows_of_block
from recloak.publishing.spark._packing import digest, packed, unpacked
from recloak.releases.parts import TableParts

SUPPORT_SCHEMA = "number long, text string, count long"
COLUMNS = ["bucket", "people", "items", "cells", "digest"]
ROWS_SCHEMA = "part int, bucket int, blob binary, told string"
SAMPLE_SCHEMA = "bucket int, blob binary"
HEAD = -1  # in the place of a part: what the driver is told of the rows of a bucket


@dataclass(frozen=True)
class Common:
    """What blocks have in common, and the digest that each had when it was staged."""

    item_labels: Labels
    scale: Scale
    scale_inferred: bool
    time_unit: int
    digests: Mapping[int, bytes]

    def blocks(self, batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, Ratings]]:
        """The blocks in some rows of staged ratings; none of them is empty."""
        for batch in batches:
            for row in batch.to_pylist():
                block = self._block(row) if row["people"] is not None else None
                if block is not None and block.n_users:
                    yield row["bucket"], block

    def _block(self, row: Mapping[str, Any]) -> Ratings:
        people, counts, *_ = unpacked(row["people"])
        labels, _ = unpacked(row["items"])
        items, values, *times = cells = unpacked(row["cells"])
        if digest(*cells) != self.digests[row["bucket"]]:
            raise MachineError(
                "the DataFrame gave different ratings when it was read again",
                where="--engine spark",
                hint="Nothing was published. Write it to a table first, and publish that.",
            )
        place = np.searchsorted(self.item_labels, labels).astype(np.int32)
        return Ratings(
            offsets=offsets_from(counts),
            items=place[items],
            values=values,
            scale=self.scale,
            user_labels=people,
            item_labels=self.item_labels,
            times=times[0] // self.time_unit if times else None,
            scale_inferred=self.scale_inferred,
        )


def support_of_items(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """For Spark: the items of buckets in, each with how often it was rated there out."""
    for batch in batches:
        for blob in batch.column("items"):
            if blob.is_valid:
                labels, support = unpacked(blob.as_py())
                texts = labels.dtype == object
                names = pa.array(labels.tolist(), pa.string() if texts else pa.int64())
                other = pa.nulls(len(labels), pa.int64() if texts else pa.string())
                columns = [other, names] if texts else [names, other]
                columns.append(pa.array(support, pa.int64()))
                yield pa.RecordBatch.from_arrays(columns, ["number", "text", "count"])


@dataclass(frozen=True)
class SampleTask:
    """Gives the ratings of some people to the driver: of each bucket those at some places."""

    common: Common
    wanted: Mapping[int, Indices]

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For Spark: staged ratings in, a row for each bucket with people in the sample out."""
        for bucket, block in self.common.blocks(batches):
            if bucket in self.wanted:
                blob = packed(*_cells(block.take_users(self.wanted[bucket])))
                columns = [pa.array([bucket], pa.int32()), pa.array([blob], pa.binary())]
                yield pa.RecordBatch.from_arrays(columns, ["bucket", "blob"])


@dataclass(frozen=True)
class RowsTask:
    """Makes the rows of each block, and sorts them by the part of the table that they go to."""

    common: Common
    recipe: BlockMethod
    shared: Any
    randomness: Randomness
    parts: TableParts
    renamed: Mapping[int, tuple[Indices, Integers]]
    """Rows of a bucket that have to draw again, because others drew the same name."""

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For Spark: staged ratings in, rows out."""
        with at_most_threads(1):
            for bucket, block in self.common.blocks(batches):
                yield from self._rows(bucket, block)

    def _rows(self, bucket: int, block: Ratings) -> Iterator[pa.RecordBatch]:
        people = PeopleDraws.of(self.randomness, block.user_labels)
        made = rows_of_block(self.recipe, self.shared, block, people)
        names = made.names
        if bucket in self.renamed:
            places, again = self.renamed[bucket]
            names = names.copy()
            names[places] = again
        rows, founders = made.rows, [] if made.founders is None else [made.founders]
        told = {**_scale_facts(rows.scale), "timed": rows.times is not None}
        told["ratings"] = rows.n_ratings
        head = packed(names, made.owners, *founders)
        yield _made_row(HEAD, bucket, head, json.dumps(told))
        part = self.parts.part_of(names)
        for at in np.unique(part).tolist():
            here = np.flatnonzero(part == at)
            cells = packed(names[here], *_cells(rows.take_users(here)))
            yield _made_row(at, bucket, cells, None)


def _cells(rows: Ratings) -> list[Any]:
    times = [] if rows.times is None else [rows.times]
    return [rows.user_counts, rows.items, rows.values, *times]


def _scale_facts(scale: Scale) -> dict[str, Any]:
    return {"scale": [scale.low, scale.high, scale.step, scale.implicit]}


def _made_row(part: int, bucket: int, blob: bytes, told: str | None) -> pa.RecordBatch:
    columns = [
        pa.array([part], pa.int32()),
        pa.array([bucket], pa.int32()),
        pa.array([blob], pa.binary()),
        pa.array([told], pa.string()),
    ]
    return pa.RecordBatch.from_arrays(columns, ["part", "bucket", "blob", "told"])
