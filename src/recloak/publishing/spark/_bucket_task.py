"""Bucket task: all blobs of a bucket of people become one block, sorted and checked.

However often it runs, and in whatever order blobs come, the block is the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from recloak.core.arrays import Labels
from recloak.core.building import DuplicatePairs, EncodedRatings, RankedLabels, assemble
from recloak.core.columns import Duplicates
from recloak.core.frames import label_series
from recloak.core.id_encoder import IdEncoder, Ids, ids_of
from recloak.core.ordering import EncodedBatch
from recloak.core.parallel import at_most_threads
from recloak.core.ratings import Ratings
from recloak.core.staged_ratings.staging import MOST_LEVELS
from recloak.publishing.spark._packing import Array, digest, packed, unpacked

SCHEMA = "bucket int, people binary, items binary, cells binary, digest binary, told string"


@dataclass(frozen=True)
class BucketTask:
    """What becomes of repeated pairs, and who is left out."""

    explicit: bool
    timed: bool
    duplicates: Duplicates
    excluded: frozenset[str]

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For Spark: blobs in, a row for each bucket out."""
        gathered: dict[int, _Gathered] = {}
        for batch in batches:
            for row in batch.to_pylist():
                gathered.setdefault(row["bucket"], _Gathered(self)).add(row)
        with at_most_threads(1):
            for bucket, one in gathered.items():
                yield one.block(bucket)


@dataclass
class _Gathered:
    task: BucketTask
    users: IdEncoder = field(default_factory=IdEncoder)
    items: IdEncoder = field(default_factory=IdEncoder)
    batches: list[EncodedBatch] = field(default_factory=list)
    told: list[Any] = field(default_factory=list)

    def add(self, row: dict[str, Any]) -> None:
        if row["told"] is not None:
            self.told.append(json.loads(row["told"]))
            return
        people, counts, labels, codes, *rest = unpacked(row["blob"])
        values = rest.pop(0) if self.task.explicit else np.ones(len(codes), np.float32)
        users = np.repeat(self.users.codes(_ids(people)), counts)
        items = self.items.codes(_ids(labels))[codes]
        self.batches.append(EncodedBatch(users, items, values, rest[0] if rest else None))

    def block(self, bucket: int) -> pa.RecordBatch:
        rows_read = sum(len(one.users) for one in self.batches)
        facts: dict[str, Any] = {"told": self.told, "rows": rows_read}
        if not self.batches:
            return _row(bucket, facts)
        try:
            rows, facts["repeated"] = self._rows()
        except DuplicatePairs as repeated:
            pairs = [[_plain(label) for label in pair] for pair in repeated.pairs]
            facts["duplicates"] = [repeated.count, pairs]
            return _row(bucket, facts)
        rows, facts["excluded"] = self._without_excluded(rows)
        times = [] if rows.times is None else [rows.times]
        facts["zeros"] = int(np.count_nonzero(rows.values == 0))
        facts["latest"] = max((int(one.max(initial=0)) for one in times), default=0)
        levels = pl.Series(rows.values).unique().sort().to_numpy()[: MOST_LEVELS + 1]
        people = rows.user_labels, rows.user_counts, levels
        items = rows.item_labels, rows.item_support
        cells: list[Array] = [rows.items, rows.values, *times]
        return _row(bucket, facts, packed(*people), packed(*items), packed(*cells), digest(*cells))

    def _rows(self) -> tuple[Ratings, int]:
        """The ratings in order, and how many were merged into others."""
        coded = EncodedRatings(
            self.batches,
            RankedLabels(*self.users.ranked()),
            RankedLabels(*self.items.ranked()),
            explicit=False,
        )
        try:
            return assemble(Ratings, coded), 0
        except DuplicatePairs:
            if self.task.duplicates == "error":
                raise
        ordered = EncodedRatings([_ordered(self.batches)], coded.users, coded.items, False)
        rows = assemble(Ratings, ordered, duplicates=self.task.duplicates)
        return rows, len(coded) - rows.n_ratings

    def _without_excluded(self, rows: Ratings) -> tuple[Ratings, list[str]]:
        """The ratings of the others, and the names that were found."""
        if not self.task.excluded:
            return rows, []
        names = [str(label) for label in rows.user_labels]
        gone = np.array([name in self.task.excluded for name in names], np.bool_)
        others = rows.take_users(np.flatnonzero(~gone)).compact()
        return others, [name for name, one in zip(names, gone, strict=True) if one]


def _ordered(batches: list[EncodedBatch]) -> EncodedBatch:
    """All in one, the latest last and of those the largest: blobs come in no order."""
    users, items, values = (np.concatenate([one[at] for one in batches]) for at in range(3))
    times = [one.times for one in batches if one.times is not None]
    joined = np.concatenate(times) if times else None
    order = np.lexsort((values,) if joined is None else (values, joined))
    return EncodedBatch(
        users[order], items[order], values[order], None if joined is None else joined[order]
    )


def _ids(labels: Labels) -> Ids:
    return ids_of(label_series(labels))


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _row(
    bucket: int,
    facts: dict[str, Any],
    people: bytes | None = None,
    items: bytes | None = None,
    cells: bytes | None = None,
    mark: bytes | None = None,
) -> pa.RecordBatch:
    columns = [pa.array([bucket], pa.int32())]
    columns += [pa.array([blob], pa.binary()) for blob in (people, items, cells, mark)]
    columns.append(pa.array([json.dumps(facts)], pa.string()))
    names = ["bucket", "people", "items", "cells", "digest", "told"]
    return pa.RecordBatch.from_arrays(columns, names)
