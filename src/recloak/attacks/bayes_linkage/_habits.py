"""Habits: how often people give each value, from published values with noise on them alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.attacks._cell_levels import shares_by_row
from recloak.attacks._noise_density import NoiseDensity
from recloak.attacks.bayes_linkage._kernels import Habits
from recloak.core.arrays import Floats, Integers, Values
from recloak.core.cache import PerTableCache
from recloak.core.parallel import in_threads, row_blocks
from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings

ROUNDS_OF_EM = 30
ROUNDS_BY_ROW = 5
HABIT = 10.0  # ratings: how many what people give in general counts for beside a person's own
RATINGS_PER_BLOCK = 4_000_000

_HABITS: PerTableCache[Habits] = PerTableCache()


class UsualHabits(NamedTuple):
    """The values that are published, their chances given each true one, and how often people in
    general give each true value.
    """

    values: Values
    masses: Floats
    shares: Floats

    @classmethod
    def of(
        cls, published: PublishedValues, density: NoiseDensity, levels: Floats, sigma: float
    ) -> UsualHabits:
        """What the values that are published tell, each with how often it is."""
        values, counts = published
        masses = density.mass(values.astype(np.float64)[:, None], levels[None, :], sigma)
        return cls(values, masses, _true_values(masses, counts.astype(np.float64)))

    def of_rows(self, rows: Ratings) -> Habits:
        """These and the habits of some rows, in which no other value occurs.

        Block by block: of very many ratings, codes for all would not fit into memory.
        """

        def found(first: int, end: int) -> Floats:
            here = slice(rows.offsets[first], rows.offsets[end])
            codes = np.searchsorted(self.values, rows.values[here]).astype(np.int32)
            offsets = rows.offsets[first : end + 1] - rows.offsets[first]
            return shares_by_row(offsets, codes, self.masses, self.shares, HABIT, ROUNDS_BY_ROW)

        with SILENT.task("") as task:
            blocks = row_blocks(rows.offsets, RATINGS_PER_BLOCK)
            of_row = np.concatenate(in_threads(found, blocks, task))
        return Habits(self.values.astype(np.float64), self.masses, self.shares, of_row)


class PublishedValues(NamedTuple):
    """The values that occur, ascending, and how often each does."""

    values: Values
    counts: Integers

    @classmethod
    def of(cls, values: Values) -> PublishedValues:
        """Those of some cells; the values of a block are few, so that few are sorted."""
        found = cls(values[:0], np.empty(0, np.int64))
        for start in range(0, len(values), RATINGS_PER_BLOCK):
            here = np.unique(values[start : start + RATINGS_PER_BLOCK], return_counts=True)
            found = found.and_those(cls(*here))
        return found

    def and_those(self, others: PublishedValues) -> PublishedValues:
        """These and others together."""
        values = np.union1d(self.values, others.values)
        counts = np.zeros(len(values), np.int64)
        for one in (self, others):
            counts[np.searchsorted(values, one.values)] += one.counts
        return PublishedValues(values, counts)


def habits_of(rows: Ratings, density: NoiseDensity, levels: Floats, sigma: float) -> Habits:
    """The habits of rows whose values got noise; found once for a release."""

    def made() -> Habits:
        published = PublishedValues.of(rows.values)
        return UsualHabits.of(published, density, levels, sigma).of_rows(rows)

    return _HABITS.get(rows, (density, sigma), made)


def _true_values(masses: Floats, counts: Floats) -> Floats:
    """How often each true value is given, from the published ones alone, by EM."""
    shares = np.full(masses.shape[1], 1.0 / masses.shape[1])
    for _ in range(ROUNDS_OF_EM):
        parts = masses * shares
        parts *= (counts / np.maximum(parts.sum(axis=1), 1e-300))[:, None]
        shares = parts.sum(axis=0) / max(counts.sum(), 1.0)
    return shares
