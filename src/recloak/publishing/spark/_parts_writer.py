"""Parts writer: a data source of Spark that writes each part of a table as one machine does.

Every attempt writes a file of its own. Spark commits one attempt of each task, and only then the
list of their files appears, in the folder of the release; whatever is not in it does not count.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSource, DataSourceArrowWriter, WriterCommitMessage

from recloak.core.arrays import offsets_from
from recloak.core.errors import MachineError
from recloak.core.frames import to_polars
from recloak.core.ratings import Ratings
from recloak.publishing.spark._packing import Array, unpacked
from recloak.releases.parts import reads_back, write_part

COMMITTED = "committed.json"


@dataclass
class WrittenPart(WriterCommitMessage):
    """A part that a task wrote: its number, its file and how many ratings are in it."""

    part: int
    file: str
    ratings: int


@dataclass(frozen=True)
class PartsWriter(DataSourceArrowWriter):
    """Writes parts into a folder; ``blank`` is a table of none of the rows."""

    blank: Ratings
    folder: Path

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WrittenPart:
        context = TaskContext.get()
        assert context is not None
        part = context.partitionId()
        path = self.folder / f"part-{part:05}.{context.taskAttemptId()}.parquet"
        pa.default_memory_pool().release_unused()  # what earlier tasks of this process held
        table = to_polars(rows_from(self.blank, _blobs(iterator)))
        write_part(table, path)
        if not reads_back(table, path):
            raise MachineError("what is read back differs from what was written", where=str(path))
        return WrittenPart(part, path.name, table.height)

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        listed = [asdict(one) for one in messages if isinstance(one, WrittenPart)]
        beside = self.folder / f"{COMMITTED}.new"
        beside.write_text(json.dumps(listed), encoding="utf-8")
        beside.rename(self.folder / COMMITTED)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Nothing to do: what is not listed does not count, and its folder is removed."""


def source_of(writer: PartsWriter) -> type[DataSource]:
    """The data source with this writer, to be registered under a name that no other one has.

    A session may run several publications at once.
    """
    named = f"recloak_parts_{secrets.token_hex(8)}"

    class PartsSource(DataSource):
        @classmethod
        def name(cls) -> str:
            return named

        def writer(self, schema: Any, overwrite: bool) -> PartsWriter:
            return writer

    return PartsSource


def committed(folder: Path, count: int) -> list[WrittenPart]:
    """What was committed, in the order of the parts; all of them must be there once."""
    path = folder / COMMITTED
    listed = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    found = sorted((WrittenPart(**one) for one in listed), key=lambda one: one.part)
    if [one.part for one in found] != list(range(count)):
        raise MachineError(
            f"Spark committed {len(found)} of {count} parts; nothing was published",
            where=str(folder),
            hint="Driver and workers must see the same folder under the same path.",
        )
    return found


def rows_from(blank: Ratings, blobs: Iterable[list[Array]]) -> Ratings:
    """The rows in some blobs, in the order of their names."""
    columns = [list(column) for column in zip(*blobs, strict=True)]
    if not columns:
        return blank
    names, counts, items, values, *times = map(_joined, columns)
    rows = replace(
        blank,
        offsets=offsets_from(counts),
        items=items,
        values=values,
        user_labels=names,
        times=times[0] if times else None,
    )
    return rows.relabel_users(names)


def _joined(pieces: list[Array]) -> Array:
    """One array of several, which are let go: only one column is held twice at a time."""
    whole: Array = np.concatenate(pieces)
    pieces.clear()
    return whole


def _blobs(batches: Iterable[pa.RecordBatch]) -> Iterator[list[Array]]:
    for batch in batches:
        for blob in batch.column("blob"):
            yield unpacked(blob.as_py())
