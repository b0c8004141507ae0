"""All rows: tables of which an audit has the rows of some people in memory, and reads all others.

Rows are read block by block, by whatever engine keeps them; what an attack finds in a block is
small, and is merged with what it finds in the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from numpy.typing import NDArray

from recloak.core.arrays import Indices, Integers
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings


class RowsBlock(NamedTuple):
    """Some of the rows, in order: their numbers, and what they hold, in the items of all rows.

    ``place`` ascends in the order of rows; rows of a release are in that of their names.
    """

    place: int
    ids: Integers
    rows: Ratings


Found = tuple[NDArray[Any], ...]
OfRows = Callable[[RowsBlock], Found]
"""What is found in a block. It must be picklable, and follow from the block alone."""
Merge = Callable[[Found, Found], Found]


class AllRows(Protocol):
    """The rows of a table, which are read block by block."""

    @property
    def blank(self) -> Ratings:
        """A table of none of the rows, which says what they have in common."""

    @property
    def n_rows(self) -> int: ...

    def gathered(self, work: OfRows, merged: Merge, label: str, progress: Progress) -> Found:
        """What ``work`` finds in all blocks, merged in any order."""

    def called(self, ids: Integers) -> Ratings:
        """Some rows by their numbers, in ascending order of these; they must fit into memory."""


@dataclass(frozen=True, eq=False)
class Everyone:
    """All people of a publication and all rows of its release, where an audit has some in memory.

    Rows of ``original`` are people, and ``people`` are the numbers of those in memory; rows of
    ``released`` have their names as numbers. ``item_support`` is how many people rated each item.
    Items are those of the original that is in memory.
    """

    original: AllRows
    released: AllRows
    people: Indices
    item_support: Integers
