"""Habits: how often people give each value, from published values with noise on them alone."""

from __future__ import annotations

import numpy as np

from recloak.attacks._cell_levels import shares_by_row
from recloak.attacks._noise_density import NoiseDensity
from recloak.attacks.bayes_linkage._kernels import Habits
from recloak.core.arrays import Codes, Floats, Values
from recloak.core.cache import PerTableCache
from recloak.core.parallel import in_threads, row_blocks
from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings

ROUNDS_OF_EM = 30
ROUNDS_BY_ROW = 5
HABIT = 10.0  # ratings: how many what people give in general counts for beside a person's own
RATINGS_PER_BLOCK = 4_000_000

_HABITS: PerTableCache[Habits] = PerTableCache()


def habits_of(rows: Ratings, density: NoiseDensity, levels: Floats, sigma: float) -> Habits:
    """The habits of rows whose values got noise; found once for a release."""
    return _HABITS.get(rows, (density, sigma), lambda: _habits(rows, density, levels, sigma))


def _habits(rows: Ratings, density: NoiseDensity, levels: Floats, sigma: float) -> Habits:
    """Block by block: of very many ratings, codes for all would not fit into memory."""
    distinct = _distinct(rows.values)
    published = distinct.astype(np.float64)
    masses = density.mass(published[:, None], levels[None, :], sigma)
    blocks = row_blocks(rows.offsets, RATINGS_PER_BLOCK)

    def codes(first: int, end: int) -> Codes:
        here = rows.values[rows.offsets[first] : rows.offsets[end]]
        return np.searchsorted(distinct, here).astype(np.int32)

    def counted(first: int, end: int) -> Floats:
        return np.bincount(codes(first, end), minlength=len(published)).astype(np.float64)

    def found(first: int, end: int) -> Floats:
        offsets = rows.offsets[first : end + 1] - rows.offsets[first]
        return shares_by_row(offsets, codes(first, end), masses, shares, HABIT, ROUNDS_BY_ROW)

    with SILENT.task("") as task:
        shares = _true_values(masses, np.sum(in_threads(counted, blocks, task), axis=0))
        of_row = np.concatenate(in_threads(found, blocks, task))
    return Habits(published, masses, shares, of_row)


def _distinct(values: Values) -> Values:
    """The values that occur, ascending; those of a block are few, so that few are sorted."""
    found = values[:0]
    for start in range(0, len(values), RATINGS_PER_BLOCK):
        found = np.union1d(found, values[start : start + RATINGS_PER_BLOCK])
    return found


def _true_values(masses: Floats, counts: Floats) -> Floats:
    """How often each true value is given, from the published ones alone, by EM."""
    shares = np.full(masses.shape[1], 1.0 / masses.shape[1])
    for _ in range(ROUNDS_OF_EM):
        parts = masses * shares
        parts *= (counts / np.maximum(parts.sum(axis=1), 1e-300))[:, None]
        shares = parts.sum(axis=0) / max(counts.sum(), 1.0)
    return shares
