"""Block tasks: what is told of the blocks of staged ratings, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from recloak.core.arrays import Codes, Indices, Integers, Labels, Values, offsets_from
from recloak.core.errors import MachineError
from recloak.core.parallel import at_most_threads
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.core.staged_ratings import OfBlock, Sums, sum_of
from recloak.publishing.spark._packing import digest, packed, unpacked

SUPPORT_SCHEMA = "number long, text string, count long"
COLUMNS = ["bucket", "people", "items", "cells", "digest"]
SAMPLE_SCHEMA = "bucket int, blob binary"
SUMS_SCHEMA = "piece int, blob binary"
MOST_TASKS = 1 << 8  # that draw people, or add up: sums of more would be many to merge
PIECE = 1 << 20  # entries of a sum that travel as one row


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
        moments = times[0] // self.time_unit if times else None
        return self.ratings(people, counts, place[items], values, moments)

    def ratings(
        self,
        people: Labels,
        counts: Integers,
        items: Codes,
        values: Values,
        times: Integers | None = None,
    ) -> Ratings:
        """The ratings of some people, items in codes of all."""
        return Ratings(
            offsets=offsets_from(counts),
            items=items,
            values=values,
            scale=self.scale,
            user_labels=people,
            item_labels=self.item_labels,
            times=times,
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
                blob = packed(*cells_of(block.take_users(self.wanted[bucket])))
                columns = [pa.array([bucket], pa.int32()), pa.array([blob], pa.binary())]
                yield pa.RecordBatch.from_arrays(columns, ["bucket", "blob"])


@dataclass(frozen=True)
class SumTask:
    """Adds up what ``work`` gives for each block; a task tells one sum of all its blocks."""

    common: Common
    work: OfBlock

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For Spark: staged ratings in, the sum in pieces out."""
        with at_most_threads(1):
            total = sum_of(self.work(block) for _, block in self.common.blocks(batches))
        if total is not None:
            flat = total.reshape(-1)
            for at in range(0, len(flat), PIECE):
                yield _piece(at // PIECE, flat[at : at + PIECE])


def add_pieces(group: pa.Table) -> pa.Table:
    """For Spark: the same piece of several sums in, its sum out."""
    total = sum_of(unpacked(blob.as_py())[0] for blob in group["blob"])
    assert total is not None
    return pa.Table.from_batches([_piece(group["piece"][0].as_py(), total)])


def _piece(number: int, sums: Sums) -> pa.RecordBatch:
    columns = [pa.array([number], pa.int32()), pa.array([packed(sums)], pa.binary())]
    return pa.RecordBatch.from_arrays(columns, ["piece", "blob"])


def cells_of(rows: Ratings) -> list[Any]:
    """What travels of rows beside their names."""
    times = [] if rows.times is None else [rows.times]
    return [rows.user_counts, rows.items, rows.values, *times]
