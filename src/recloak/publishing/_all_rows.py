"""All rows for an audit of a sample: those of a release by parts, those of the original by blocks.

Spark does the same with tasks of its own (`spark/_all_rows.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import islice
from threading import Lock

import numpy as np

from recloak.core.arrays import Integers, match_labels
from recloak.core.errors import MachineError
from recloak.core.parallel import in_threads, row_blocks
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.core.staged_ratings import StagedRatings
from recloak.evaluation.all_rows import Found, Merge, OfRows, RowsBlock
from recloak.releases.stored import StoredRatings

RATINGS_AT_A_TIME = 1 << 21
BYTES_PER_RATING = 50  # of those that are worked on at a time, in each thread
BLOCKS_AT_ONCE = 8  # of the original, which are merged before more are read


@dataclass(frozen=True, eq=False)
class RowsOfRelease:
    """The rows of a release, part by part; of each some at a time."""

    release: StoredRatings
    blank: Ratings
    turn: Lock = field(default_factory=Lock)
    """Of several attacks that run side by side, one reads at a time: a part fills memory."""

    @property
    def n_rows(self) -> int:
        return len(self.release.row_labels)

    def gathered(self, work: OfRows, merged: Merge, label: str, progress: Progress) -> Found:
        found: list[Found] = []
        with self.turn, progress.task(label, self.release.part_count) as task:
            for part in range(self.release.part_count):
                found += found_in(blocks_of_part(self.release, self.blank, part), work)
                found = [reduce(merged, found)]
                task.advance()
        return found[0]

    def called(self, ids: Integers) -> Ratings:
        return in_items(self.release.rows_called(ids), self.blank)


def found_in(blocks: list[RowsBlock], work: OfRows) -> list[Found]:
    """What is found in each block; they are worked on side by side."""
    with SILENT.task("") as task:
        return in_threads(
            lambda at, _: work(blocks[at]), [(at, at + 1) for at in range(len(blocks))], task
        )


def blocks_of_part(release: StoredRatings, blank: Ratings, part: int) -> list[RowsBlock]:
    """The rows of a part, some at a time, in the items that all rows have."""
    rows = in_items(release.part(part), blank)
    ranges = row_blocks(rows.offsets, RATINGS_AT_A_TIME)
    return [
        RowsBlock((part << 20) + start, rows.user_labels[start:end], _between(rows, start, end))
        for start, end in ranges
    ]


def _between(rows: Ratings, start: int, end: int) -> Ratings:
    """Some rows that stand together, without a copy of them."""
    here = slice(rows.offsets[start], rows.offsets[end])
    return replace(
        rows,
        offsets=rows.offsets[start : end + 1] - rows.offsets[start],
        items=rows.items[here],
        values=rows.values[here],
        user_labels=rows.user_labels[start:end],
        times=None if rows.times is None else rows.times[here],
    )


def in_items(rows: Ratings, blank: Ratings) -> Ratings:
    """The rows in the items, and with the times, of ``blank``."""
    code = match_labels(rows.item_labels, blank.item_labels)
    if (code < 0).any():
        raise MachineError("a release on disk has items that were not published")
    items = code.astype(np.int32)[rows.items]  # names ascend, so that items of a row do too
    return replace(rows, items=items, item_labels=blank.item_labels)


@dataclass(frozen=True, eq=False)
class PeopleOnDisk:
    """The people of an original that is staged on disk."""

    staged: StagedRatings
    turn: Lock = field(default_factory=Lock)

    @property
    def blank(self) -> Ratings:
        return self.staged.of_people(np.empty(0, np.int64))

    @property
    def n_rows(self) -> int:
        return self.staged.n_users

    def gathered(self, work: OfRows, merged: Merge, label: str, progress: Progress) -> Found:
        blocks = (
            RowsBlock(at, block.people, block.ratings)
            for at, block in enumerate(self.staged.blocks())
        )
        found: list[Found] = []
        with self.turn, progress.task(label, len(self.staged.files)) as task:
            while some := list(islice(blocks, BLOCKS_AT_ONCE)):
                found += found_in(some, work)
                found = [reduce(merged, found)]
                task.advance(len(some))
        return found[0]

    def called(self, ids: Integers) -> Ratings:
        return self.staged.of_people(ids)


@dataclass(frozen=True)
class ReaderOnDisk:
    """Reads all rows of a publication on disk."""

    staged: StagedRatings

    def people(self) -> PeopleOnDisk:
        """The people of the original."""
        return PeopleOnDisk(self.staged)

    def rows(self, release: StoredRatings, blank: Ratings) -> RowsOfRelease:
        """The rows of a release, in the items that ``blank`` has."""
        return RowsOfRelease(release, blank)
