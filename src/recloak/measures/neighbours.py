"""Which published row lies nearest to a person's own, exactly, without a table of all distances."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from recloak.kernels.nearest_rows import decide, nearest_rows, row_norms
from recloak.measures.published import Published
from recloak.progress import SILENT, Progress
from recloak.ratings import Ratings
from recloak.scene import Codes
from recloak.threads import in_threads

PEOPLE_PER_BLOCK = 32
CELLS_PER_BLOCK = 1 << 22
FULL_SHARE = 0.02  # of all products of cells that are not 0; from here on full tables are faster


@dataclass(frozen=True, eq=False)
class Search:
    """People of the original, rows of the release, and the items on which they are compared.

    Euclidean, a missing cell of either side counting as the item's base. Both ways to search
    find the same rows: screening only spares comparisons.
    """

    original: Ratings
    published: Published
    people: Codes
    compared: NDArray[np.bool_]

    @cached_property
    def norms(self) -> NDArray[np.float64]:
        """The squared length of each row."""
        rows = self.published.rows
        return row_norms(rows.offsets, rows.items, rows.values, self.published.base, self.compared)

    @property
    def full(self) -> bool:
        """Are both sides so full that products of full tables pay?"""
        return self.original.density * self.published.rows.density > FULL_SHARE

    def nearest(self, progress: Progress = SILENT) -> Codes:
        """The nearest row to each person; of equally near ones the first."""
        return self.by_tables(progress) if self.full else self.by_index(progress)

    def by_index(self, progress: Progress = SILENT) -> Codes:
        """Through the rows that list the items that a person rated."""
        rows, original, published = self.published.rows, self.original, self.published
        own = (self.people, original.offsets, original.items, original.values)
        cells = (rows.offsets, rows.items, rows.values, published.base, self.compared, self.norms)
        told = (*own, *cells, *rows.by_item)
        blocks = _blocks(len(self.people), PEOPLE_PER_BLOCK)
        with progress.task("Finding the nearest rows", len(blocks)) as task:
            return np.concatenate(in_threads(lambda a, b: nearest_rows(a, b, *told), blocks, task))

    def by_tables(self, progress: Progress = SILENT) -> Codes:
        """By products of blocks of full rows."""
        rows, original, published = self.published.rows, self.original, self.published
        least = np.full(len(self.people), np.inf)
        found = np.zeros(len(self.people), dtype=np.int64)
        own = (self.people, original.offsets, original.items, original.values)
        cells = (rows.offsets, rows.items, rows.values, published.base, self.compared, self.norms)
        told = (*own, *cells)
        size = max(1, min(2048, CELLS_PER_BLOCK // max(original.n_items, 1)))
        of_rows, of_people = _blocks(rows.n_users, size), _blocks(len(self.people), size)
        with progress.task("Finding the nearest rows", len(of_rows) * len(of_people)) as task:
            for start, end in of_rows:
                table = self._table(rows, np.arange(start, end))
                for first, last in of_people:
                    mine = self._table(original, self.people[first:last])
                    screened = self.norms[start:end] - 2.0 * (mine @ table.T)
                    decide(first, *told, screened, start, least, found)
                    task.advance()
        return found

    def _table(self, ratings: Ratings, codes: Codes) -> NDArray[np.float64]:
        """Full rows from the base, over the compared items."""
        some = ratings.take_users(codes)
        table = np.zeros((len(codes), ratings.n_items))
        table[some.user_codes(), some.items] = some.values - self.published.base[some.items]
        return table[:, self.compared]


def _blocks(count: int, size: int) -> list[tuple[int, int]]:
    return [(start, min(start + size, count)) for start in range(0, count, size)]
