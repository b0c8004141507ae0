"""Reading task: a partition of a DataFrame, checked, becomes a blob for each bucket of people.

What runs here runs in a process of Spark. It draws nothing: a bucket follows from a name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pyarrow as pa

from recloak.core.arrays import Codes, Indices, Labels
from recloak.core.building import OffScale
from recloak.core.id_encoder import IdEncoder
from recloak.core.people_draws import PeopleDraws
from recloak.core.randomness import Randomness
from recloak.core.scale import Scale
from recloak.io.base import Batch
from recloak.io.typed_columns import BadCell, TypedColumns
from recloak.publishing.spark._packing import packed

SCHEMA = "bucket int, blob binary, told string"
SHOWN = 60  # letters of a cell that an example shows


@dataclass(frozen=True)
class ReadingTask:
    """How the rows of a DataFrame are read, and where each person's go."""

    columns: TypedColumns
    """The columns as they are called in the data; here they come in the order of their roles."""
    scale: Scale | None
    not_rated: float | None
    buckets: int
    key: bytes
    """What buckets are drawn with: it must not be the root, and follows from it."""
    shared_file: Path
    """A file that a worker sees if it sees the folder of the release."""
    rows_at_a_time: ClassVar[int] = 1 << 21

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For Spark: rows in, blobs and what there is to tell out."""
        if not self.shared_file.exists():
            yield _told({"unseen": str(self.shared_file.parent)})
            return
        before = 0
        for frame in _gathered(batches, self.rows_at_a_time):
            frame.columns = list(self.columns.roles.values())
            yield from self._read(frame, before)
            before += frame.height

    def _read(self, frame: pl.DataFrame, before: int) -> Iterator[pa.RecordBatch]:
        try:
            batch = self.columns.batch(frame)
            if self.not_rated is not None and batch.values is not None:
                stays = batch.values != np.float32(self.not_rated)
                yield _told({"not rated": int((~stays).sum())})
                frame = frame.filter(pl.Series(stays))
                batch = self.columns.batch(frame)
        except BadCell as bad:
            example = _example(frame, bad.row, bad.column)
            where = [_partition(), before + bad.row, example]
            yield _told({"bad cell": [bad.what, bad.hint, where]})
            return
        off = self._off_scale(batch)
        if off is not None:
            column = self.columns.roles["rating"]
            where = [_partition(), before + off.position, _example(frame, off.position, column)]
            yield _told({"off scale": [off.value, None, where]})
            return
        yield from self._blobs(batch)

    def _off_scale(self, batch: Batch) -> OffScale | None:
        if self.scale is None or batch.values is None:
            return None
        holds = self.scale.holds(batch.values)
        if holds.all():
            return None
        at = int(np.argmin(holds))
        return OffScale(float(batch.values[at]), self.scale, at)

    def _blobs(self, batch: Batch) -> Iterator[pa.RecordBatch]:
        """The ratings of each bucket, those of a person together."""
        users, items = IdEncoder(), IdEncoder()
        user_codes, item_codes = users.codes(batch.users), items.codes(batch.items)
        people, rank = users.ranked()
        item_labels, item_rank = items.ranked()
        bucket = buckets_of(self.key, people, self.buckets)
        by_bucket = np.argsort(bucket, kind="stable")
        place = np.empty(len(people), np.int32)
        place[by_bucket] = np.arange(len(people), dtype=np.int32)
        places = place[rank[user_codes]]
        order = np.argsort(places, kind="stable")
        people_ends = np.searchsorted(bucket[by_bucket], np.arange(self.buckets + 1))
        ends = np.searchsorted(places[order], people_ends)
        counts = np.bincount(places, minlength=len(people))
        rated = item_rank[item_codes][order]
        for at in np.flatnonzero(np.diff(ends)).tolist():
            mine = slice(people_ends[at], people_ends[at + 1])
            here = order[ends[at] : ends[at + 1]]
            used, codes = _used(rated[ends[at] : ends[at + 1]], len(item_labels))
            columns = [people[by_bucket[mine]], counts[mine], item_labels[used], codes]
            columns += [one[here] for one in (batch.values, batch.times) if one is not None]
            yield _row(at, packed(*columns), None)


def buckets_of(key: bytes, people: Labels, buckets: int) -> Codes:
    """The bucket of each person, by name: numbers and their text are the same."""
    drawn = PeopleDraws.of(Randomness(key), people).stream("bucket")
    words = drawn.words(np.ones(len(people), np.int64))
    return (words % np.uint64(buckets)).astype(np.int32)


def _used(codes: Codes, count: int) -> tuple[Indices, Codes]:
    """The codes that occur, ascending, and each code's place among them."""
    occurs = np.bincount(codes, minlength=count) > 0
    place = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
    return np.flatnonzero(occurs), place[codes]


def _gathered(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pl.DataFrame]:
    """Frames of about so many rows: Spark hands over a few thousand at a time."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(one.num_rows for one in waiting) >= rows:
            yield _frame(waiting)
            waiting = []
    if waiting:
        yield _frame(waiting)


def _frame(batches: list[pa.RecordBatch]) -> pl.DataFrame:
    found = pl.from_arrow(pa.Table.from_batches(batches))
    assert isinstance(found, pl.DataFrame)
    return found


def _example(frame: pl.DataFrame, row: int, column: str) -> str:
    cells = frame.row(row, named=True)
    shown = ", ".join(f"{name} {str(cell)[:SHOWN]}" for name, cell in cells.items())
    return f"column {column}, a row with {shown}"


def _partition() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.partitionId() if context is not None else 0


def _told(what: dict[str, Any]) -> pa.RecordBatch:
    return _row(0, None, json.dumps(what))


def _row(bucket: int, blob: bytes | None, told: str | None) -> pa.RecordBatch:
    columns = [
        pa.array([bucket], pa.int32()),
        pa.array([blob], pa.binary()),
        pa.array([told], pa.string()),
    ]
    return pa.RecordBatch.from_arrays(columns, ["bucket", "blob", "told"])
