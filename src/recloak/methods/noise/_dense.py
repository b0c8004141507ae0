"""Noise on every cell of the table: missing ones imputed, items standardised, noise, the scale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from recloak.clustering import item_variances
from recloak.core.arrays import Floats
from recloak.core.errors import MachineError
from recloak.core.kernels.record_groups import item_moments
from recloak.core.memory import require_memory
from recloak.core.parallel import in_threads
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale

Clipping = Literal["once", "paper"]

BYTES_PER_CELL = (
    50  # the table, a copy in the order of the new names, and where its cells come from
)


@dataclass(frozen=True)
class ItemStandardisation:
    """What each item is standardised with: mean and population deviation over all cells.

    Missing cells count as the middle of the scale. An item that does not vary has deviation 0,
    and no noise: the paper's figures come out so, and its cells tell nobody from anybody.
    """

    means: Floats
    deviations: Floats
    scale: Scale

    @classmethod
    def of(cls, ratings: Ratings) -> ItemStandardisation:
        """From all cells of the table, without making it."""
        base = np.full(ratings.n_items, ratings.scale.middle)
        cells = (ratings.offsets, ratings.items, ratings.values)
        moments = item_moments(0, ratings.n_users, *cells, base)
        deviations = np.sqrt(item_variances(moments, ratings.n_users))
        return cls(base + moments[0] / max(ratings.n_users, 1), deviations, ratings.scale)

    def noisy(self, table: Floats, noise: Floats, clipping: Clipping) -> Floats:
        """Rows of the table with noise in units of each item's deviation.

        ``paper`` clips standardised values to the ends of the rating scale, as the paper's
        figures for MovieLens show that it did: almost all that lies below the mean is lost.
        """
        if clipping == "once":
            return self.scale.clip(table + noise * self.deviations)
        spread = np.where(self.deviations > 0, self.deviations, 1.0)
        standardised = self.scale.clip((table - self.means) / spread + noise)
        return self.scale.clip(standardised * self.deviations + self.means)


def with_every_cell(
    ratings: Ratings,
    noisy: Callable[[Floats, int, int], Floats],
    progress: Progress,
    *,
    cells_per_block: int,
) -> Ratings:
    """The full table with noise; ``noisy(table, start, end)`` gives the values of some rows of it.

    Blocks of rows, of about ``cells_per_block`` cells, are made side by side.
    """
    values = np.empty(ratings.n_users * ratings.n_items, dtype=np.float32)
    size = max(1, cells_per_block // max(ratings.n_items, 1))

    def fill(start: int, end: int) -> None:
        here = slice(start * ratings.n_items, end * ratings.n_items)
        values[here] = noisy(rows_of(ratings, start, end), start, end)

    starts = range(0, ratings.n_users, size)
    blocks = [(start, min(start + size, ratings.n_users)) for start in starts]
    with progress.task("Adding noise to every cell", len(blocks)) as task:
        in_threads(fill, blocks, task)
    return replace(
        ratings,
        offsets=np.arange(ratings.n_users + 1, dtype=np.int64) * ratings.n_items,
        items=np.tile(np.arange(ratings.n_items, dtype=np.int32), ratings.n_users),
        values=values,
        times=None,
    )


def rows_of(ratings: Ratings, start: int, end: int) -> Floats:
    """The rows start..end of the table, the middle of the scale where nothing was rated."""
    table = np.full((end - start, ratings.n_items), ratings.scale.middle)
    rows = np.repeat(np.arange(end - start), ratings.user_counts[start:end])
    here = slice(ratings.offsets[start], ratings.offsets[end])
    table[rows, ratings.items[here]] = ratings.values[here]
    return table


def refuse_too_large(n_users: int, n_items: int) -> None:
    """A full table that this machine cannot hold is refused before anything is drawn."""
    cells = n_users * n_items
    try:
        require_memory(BYTES_PER_CELL * cells, f"a full table of {cells:,} cells")
    except MachineError as problem:
        advice = "With --cells rated only the cells that were rated are published."
        raise MachineError(problem.what, hint=advice) from None
