"""Rows tasks: the rows that are published, made of staged blocks or drawn, block after block.

A task makes a person's rows from the block, from what all share and from draws that follow from the
person's name; a made-up person's from the model and from draws that follow from their number. There
is no other source of randomness in a task: one that runs again, or twice at the same time, gives
the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from recloak.core.arrays import Indices, Integers
from recloak.core.parallel import at_most_threads
from recloak.core.people_draws import PeopleDraws
from recloak.core.randomness import Randomness
from recloak.core.scale import Scale
from recloak.methods import BlockMethod
from recloak.methods.synthetic.model import MadeUpPeople
from recloak.publishing._disk_rows import BlockRows, drawn_block, rows_of_block
from recloak.publishing.spark._block_task import Common, cells_of
from recloak.publishing.spark._packing import packed
from recloak.releases.parts import TableParts

ROWS_SCHEMA = "part int, bucket int, blob binary, told string"
HEAD = -1  # in the place of a part: what the driver is told of the rows of a bucket
Renamed = Mapping[int, tuple[Indices, Integers]]
"""Rows of a bucket that have to draw again, because others drew the same name."""


@dataclass(frozen=True)
class RowsTask:
    """Makes the rows of each block, and sorts them by the part of the table that they go to."""

    common: Common
    recipe: BlockMethod
    shared: Any
    randomness: Randomness
    parts: TableParts
    renamed: Renamed

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For Spark: staged ratings in, rows out."""
        with at_most_threads(1):
            for bucket, block in self.common.blocks(batches):
                people = PeopleDraws.of(self.randomness, block.user_labels)
                made = rows_of_block(self.recipe, self.shared, block, people)
                yield from _sorted_rows(bucket, made, self.parts, self.renamed)


@dataclass(frozen=True)
class DrawTask:
    """Draws made-up people, and sorts them by the part of the table that they go to."""

    made_up: MadeUpPeople
    parts: TableParts
    renamed: Renamed

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For Spark: numbers of blocks in, their rows out."""
        ranges = self.made_up.blocks()
        with at_most_threads(1):
            for batch in batches:
                for number in batch.column("id").to_pylist():
                    made = drawn_block(self.made_up, *ranges[number])
                    yield from _sorted_rows(number, made, self.parts, self.renamed)


def _sorted_rows(
    bucket: int, made: BlockRows, parts: TableParts, renamed: Renamed
) -> Iterator[pa.RecordBatch]:
    """First what the driver is told, then the rows of each part."""
    names = made.names
    if bucket in renamed:
        places, again = renamed[bucket]
        names = names.copy()
        names[places] = again
    rows, founders = made.rows, [] if made.founders is None else [made.founders]
    told = {**_scale_facts(rows.scale), "timed": rows.times is not None}
    told["ratings"] = rows.n_ratings
    head = packed(names, made.owners, np.unique(rows.items), *founders)
    yield _made_row(HEAD, bucket, head, json.dumps(told))
    part = parts.part_of(names)
    for at in np.unique(part).tolist():
        here = np.flatnonzero(part == at)
        cells = packed(names[here], *cells_of(rows.take_users(here)))
        yield _made_row(at, bucket, cells, None)


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
