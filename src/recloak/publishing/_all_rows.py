"""All rows for an audit of a sample: those of a release by parts, those of the original by blocks.

How a block is read and merged stands here; Spark does it in tasks (`spark/_all_rows.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import islice
from threading import Lock
from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Integers, match_labels
from recloak.core.errors import MachineError
from recloak.core.parallel import in_threads, row_blocks
from recloak.core.progress import SILENT, Progress, Task
from recloak.core.ratings import Ratings
from recloak.core.staged_ratings import RatingsElsewhere, StagedRatings
from recloak.evaluation.all_rows import Found, Merge, OfRows, RowsBlock
from recloak.releases.stored import StoredRatings

RATINGS_AT_A_TIME = 1 << 21
BYTES_PER_RATING = 50  # of those that are worked on at a time, in each thread
BLOCKS_AT_ONCE = 8  # are worked on side by side, and merged before more are read


class Search(NamedTuple):
    """What is sought in each block, and how two findings become one."""

    work: OfRows
    merged: Merge

    def added(
        self, found: list[Found], blocks: Iterable[RowsBlock], at_once: int = BLOCKS_AT_ONCE
    ) -> list[Found]:
        """What was ``found`` before and what is found in the blocks, as one; none of nothing."""
        waiting = iter(blocks)
        while some := list(islice(waiting, at_once)):
            found = [reduce(self.merged, [*found, *self._found_in(some)])]
        return found

    def _found_in(self, blocks: list[RowsBlock]) -> list[Found]:
        with SILENT.task("") as task:
            one_by_one = [(at, at + 1) for at in range(len(blocks))]
            return in_threads(lambda at, _: self.work(blocks[at]), one_by_one, task)


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
        search, found = Search(work, merged), list[Found]()
        with self.turn, progress.task(label, self.release.part_count) as task:
            for part in range(self.release.part_count):
                found = search.added(found, blocks_of_part(self.release, self.blank, part))
                task.advance()
        return found[0]

    def called(self, ids: Integers) -> Ratings:
        return in_items(self.release.rows_called(ids), self.blank)


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
class PeopleElsewhere(ABC):
    """The people of an original that is not in memory."""

    staged: RatingsElsewhere
    turn: Lock = field(default_factory=Lock)

    @property
    def blank(self) -> Ratings:
        return self.staged.of_people(np.empty(0, np.int64))

    @property
    def n_rows(self) -> int:
        return self.staged.n_users

    @abstractmethod
    def gathered(self, work: OfRows, merged: Merge, label: str, progress: Progress) -> Found:
        """What ``work`` finds in all blocks, merged in any order."""

    def called(self, ids: Integers) -> Ratings:
        return self.staged.of_people(ids)


@dataclass(frozen=True, eq=False)
class PeopleOnDisk(PeopleElsewhere):
    """The people of an original that is staged on disk."""

    staged: StagedRatings

    def gathered(self, work: OfRows, merged: Merge, label: str, progress: Progress) -> Found:
        with self.turn, progress.task(label, len(self.staged.files)) as task:
            return Search(work, merged).added([], self._blocks(task))[0]

    def _blocks(self, task: Task) -> Iterator[RowsBlock]:
        for at, block in enumerate(self.staged.blocks()):
            yield RowsBlock(at, block.people, block.ratings)
            task.advance()


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
