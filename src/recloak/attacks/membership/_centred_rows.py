"""Rows of a table about what is usual, kept sparse: the directions in which they differ most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from recloak.attacks._low_rank import orthonormal
from recloak.core.arrays import Floats, Indices
from recloak.core.ratings import Ratings

ROUNDS = 8
SPARE = 8  # directions beyond those that are kept, so that these settle sooner
PEOPLE_PER_BLOCK = 250
LEAST = 1e-9


@dataclass(frozen=True, eq=False)
class CentredRows:
    """The table ``entries`` − ``lengths`` · ``usual``ᵀ, a row for each person.

    It has no zeros where ``usual`` has none, so it is never written out.
    """

    entries: sparse.csr_array
    lengths: Floats
    usual: Floats

    @classmethod
    def of_items(cls, ratings: Ratings, shares: Floats) -> CentredRows:
        """Who rated which items, beyond what follows from ``shares``, in standard deviations.

        Somebody with d ratings has a rating of item j with a chance of about d·p; the entry is
        (x − d·p) / √(d·p). Items that have no share are left out.
        """
        counts = np.maximum(ratings.user_counts, 1).astype(np.float64)
        there = shares[ratings.items] > 0
        usual = np.where(there, shares[ratings.items], 1.0)
        apart = there / np.sqrt(usual * counts[ratings.user_codes()])
        return cls(_table(ratings, apart), np.sqrt(counts), np.sqrt(shares))

    def times(self, columns: Floats) -> Floats:
        """The table times ``columns``, which have a row for each item."""
        return np.asarray(self.entries @ columns - np.outer(self.lengths, self.usual @ columns))

    def turned_times(self, columns: Floats) -> Floats:
        """The transposed table times ``columns``, which have a row for each person."""
        found = self.entries.T @ columns - np.outer(self.usual, self.lengths @ columns)
        return np.asarray(found)

    def squares_times(self, columns: Floats) -> Floats:
        """The table of the squares of all entries, times ``columns``."""
        mixed = self.entries @ (self.usual[:, None] * columns)
        constant = np.square(self.usual) @ columns
        squared = self.entries.power(2) @ columns - 2 * self.lengths[:, None] * mixed
        return np.asarray(squared + np.outer(np.square(self.lengths), constant))

    @property
    def squares(self) -> Floats:
        """The squares of all entries, summed over each row."""
        return self.squares_times(np.ones((len(self.usual), 1)))[:, 0]

    @property
    def squares_of_items(self) -> Floats:
        """The squares of all entries, summed over each column."""
        found = self.entries.power(2).sum(axis=0) + np.square(self.usual) * (self.lengths**2).sum()
        return np.asarray(found - 2 * self.usual * (self.entries.T @ self.lengths))

    def directions(self, count: int) -> Floats:
        """The directions in which rows differ most, a column each, by subspace iteration."""
        rng = np.random.Generator(np.random.Philox(0))
        most = min(count + SPARE, *self.entries.shape)
        basis = rng.standard_normal((len(self.usual), most))
        for _ in range(ROUNDS):
            basis = orthonormal(self.turned_times(self.times(basis)))
        seen = self.times(basis)
        strengths, turn = np.linalg.eigh(seen.T @ seen)
        return np.asarray(basis @ turn[:, np.argsort(-strengths)[:count]])

    def along(self, directions: Floats, counts: tuple[int, ...]) -> list[Floats]:
        """Which part of each row lies along the first directions, so many and so many.

        What an item adds by itself is left out: it lies along some direction for anybody. Where
        rows do not differ there are no directions, and nothing lies along them.
        """
        if directions.shape[1] == 0:
            return [np.zeros(len(self.lengths)) for _ in counts]
        alone = self.squares_times(np.square(directions))
        parts = np.cumsum(np.square(self.times(directions)) - alone, axis=1)
        whole = np.maximum(self.squares, LEAST)
        return [parts[:, min(count, parts.shape[1]) - 1] / whole for count in counts]

    def agreement(self, others: CentredRows, own: Indices | None = None) -> Floats:
        """How much pairs of items go together in the rows of ``others`` as in each row of this.

        Summed over all ``others`` but the ``own`` row of each, if there is one (else -1).
        """
        alone = self.squares_times(others.squares_of_items[:, None])[:, 0]
        found = np.empty(len(self.lengths))
        for at in range(0, len(found), PEOPLE_PER_BLOCK):
            some = np.arange(at, min(at + PEOPLE_PER_BLOCK, len(found)))
            found[some] = np.square(self._products(some, others)).sum(axis=1) - alone[some]
            if own is not None:
                known = some[own[some] >= 0]
                both = self._written_out(known) * others._written_out(own[known])
                found[known] -= np.square(both.sum(axis=1)) - np.square(both).sum(axis=1)
        return found

    def _products(self, people: Indices, others: CentredRows) -> Floats:
        """The products of some rows with all rows of ``others``."""
        some, lengths = self.entries[people], self.lengths[people]
        found = (some @ others.entries.T).toarray() - np.outer(some @ others.usual, others.lengths)
        beyond = others.lengths * (self.usual @ others.usual) - others.entries @ self.usual
        return np.asarray(found + np.outer(lengths, beyond))

    def _written_out(self, people: Indices) -> Floats:
        whole = self.entries[people].toarray() - np.outer(self.lengths[people], self.usual)
        return np.asarray(whole)


def _table(ratings: Ratings, cells: Floats) -> sparse.csr_array:
    shape = (ratings.n_users, ratings.n_items)
    return sparse.csr_array((cells.astype(np.float64), ratings.items, ratings.offsets), shape=shape)
