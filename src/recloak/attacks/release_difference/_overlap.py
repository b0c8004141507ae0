"""Rows cut anew: a row of one release overlaps with several of the other, and so links them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from recloak.attacks._pair_scorer import owners_of, sibling_rows
from recloak.core.arrays import Floats, Indices
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, EarlierRelease, match_items
from recloak.evaluation.findings import Figure
from recloak.evaluation.intervals import share_figure

CELLS_AT_MOST = 2e9
FEWEST_ROWS = 20
SHARPNESS = 2  # so that a few rows that mostly agree count more than many that agree by chance
HOW = (
    "The releases give rows different names and cut people's ratings differently. An earlier row "
    "that shares much with a row leads to the later rows that hold the rest of it."
)


def compared_cuts(
    context: AuditContext,
    previous: EarlierRelease,
    trials: int,
    rng: np.random.Generator,
    progress: Progress,
) -> tuple[tuple[Figure, ...], int, tuple[str, ...]]:
    """Figures, on how many rows, and how it was done."""
    cells = context.rows.n_ratings + previous.rows.n_ratings
    limit = max(int(CELLS_AT_MOST / max(cells, 1)), FEWEST_ROWS)
    rows = sibling_rows(context, min(trials, limit), rng)
    if len(rows) == 0:
        return (), 0, ("Nobody has several rows in the later release: not measured.",)
    owners = owners_of(context)
    later, earlier, items = _tables(context.rows, previous.rows)
    right = np.zeros(len(rows))
    with progress.task("Comparing how rows were cut", len(rows)) as task:
        for at, row in enumerate(rows):
            partner = _partner(later, earlier, items, int(row))
            right[at] = partner >= 0 and owners[partner] == owners[row]
            task.advance()
    counts = np.diff(context.linkage.offsets)[owners[rows]]
    blind = (counts - 1) / max(context.rows.n_users - 1, 1)
    meaning = "rows for which another row of the same person is named"
    figures = (
        share_figure("linked", right, meaning),
        share_figure("linked_random", blind, "the same for a row taken at random"),
    )
    return figures, len(rows), (HOW,)


def _tables(
    later: Ratings, earlier: Ratings
) -> tuple[sparse.csr_array, sparse.csr_array, sparse.csr_array]:
    """Rows by cells (an item with its value) in both releases, and the later ones by items.

    A cell weighs the more, the fewer rows have it.
    """
    places = match_items(earlier, later)[earlier.items]
    there = places >= 0
    codes = np.concatenate([later.items.astype(np.int64), places[there]])
    values = np.concatenate([later.values, earlier.values[there]]).view(np.int32)
    _, cell = np.unique(codes << 32 | (values.astype(np.int64) & 0xFFFFFFFF), return_inverse=True)
    width = int(cell.max(initial=-1)) + 1
    mine, theirs = cell[: later.n_ratings], cell[later.n_ratings :]
    weight = 1 / np.log1p(np.bincount(mine, minlength=width) + 1.0)
    kept = earlier.keep(there)
    return (
        _sparse(weight[mine], mine, later.offsets, width),
        _sparse(np.ones(len(theirs)), theirs, kept.offsets, width),
        _sparse(np.ones(later.n_ratings), later.items, later.offsets, later.n_items),
    )


def _sparse(
    weights: Floats, columns: NDArray[np.integer], offsets: Indices, width: int
) -> sparse.csr_array:
    return sparse.csr_array((weights, columns, offsets), shape=(len(offsets) - 1, width))


def _partner(
    later: sparse.csr_array, earlier: sparse.csr_array, items: sparse.csr_array, row: int
) -> int:
    """The later row that shares most with the earlier rows which agree with this one; -1: none.

    Rows that have an item in common are not one person's.
    """
    agreed = earlier @ _dense(later, row)
    size = np.maximum(np.diff(earlier.indptr), 1)
    agreed = (agreed / np.sqrt(size)) ** SHARPNESS
    score = later @ (earlier.T @ agreed) / np.sqrt(np.maximum(np.diff(later.indptr), 1))
    score[(items @ _dense(items, row)) > 0] = 0
    best = int(score.argmax())
    return best if score[best] > 0 else -1


def _dense(table: sparse.csr_array, row: int) -> Floats:
    start, end = table.indptr[row], table.indptr[row + 1]
    dense = np.zeros(table.shape[1])
    dense[table.indices[start:end]] = table.data[start:end]
    return dense
