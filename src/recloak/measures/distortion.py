"""Measure `distortion`: how far a release lies from the original, person by person."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from recloak.clustering import item_variances
from recloak.core.arrays import Codes, Floats, Integers, Offsets, Values
from recloak.core.kernels import kernel
from recloak.core.kernels.record_groups import item_moments
from recloak.core.parallel import in_threads, row_blocks
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure, Finding
from recloak.evaluation.published_cells import PublishedCells, why_not_by_person
from recloak.measures.base import Measure


@kernel
def squared_errors(
    first: int,
    end: int,
    offsets: Offsets,
    items: Codes,
    values: Values,
    owned_offsets: Offsets,
    owned_rows: Integers,
    row_offsets: Offsets,
    row_items: Codes,
    row_values: Values,
    base: Floats,
) -> tuple[float, float]:
    """Of the people first..end: the squared error over all cells, and over those they rated.

    A cell that one side lacks counts as the item's ``base`` there. If several rows of a person
    hold the same item, the first of them counts.
    """
    truth = np.empty(len(base), np.float64)
    state = np.zeros(len(base), np.int64)  # 2u + 1: rated by u; 2u + 2: also seen in a row of u
    every, known = 0.0, 0.0
    for user in range(first, end):
        _mark_rated(user, offsets, items, values, truth, state)
        for at in range(owned_offsets[user], owned_offsets[user + 1]):
            row = owned_rows[at]
            for cell in range(row_offsets[row], row_offsets[row + 1]):
                item, value = row_items[cell], np.float64(row_values[cell])
                if state[item] == 2 * user + 1:
                    known += (value - truth[item]) ** 2
                elif state[item] != 2 * user + 2:
                    every += (value - base[item]) ** 2
                state[item] = 2 * user + 2
        known += _unseen(user, offsets, items, values, base, state)
    return every + known, known


@kernel
def _mark_rated(
    user: int,
    offsets: Offsets,
    items: Codes,
    values: Values,
    truth: Floats,
    state: Integers,
) -> None:
    """Write what a person rated into ``truth`` and ``state``."""
    for cell in range(offsets[user], offsets[user + 1]):
        truth[items[cell]] = values[cell]
        state[items[cell]] = 2 * user + 1


@kernel
def _unseen(
    user: int,
    offsets: Offsets,
    items: Codes,
    values: Values,
    base: Floats,
    state: Integers,
) -> float:
    """The squared error over what a person rated and no row of theirs holds."""
    error = 0.0
    for cell in range(offsets[user], offsets[user + 1]):
        if state[items[cell]] == 2 * user + 1:
            error += (np.float64(values[cell]) - base[items[cell]]) ** 2
    return error


RATINGS_PER_BLOCK = 1_000_000

_FIGURES = (
    DeclaredFigure(
        "sse",
        "count",
        worse="more",
        heading="SSE",
        meaning=(
            "Sum of squared errors: the differences between what people rated and what the release "
            "says of them, squared and added up over all cells. A cell without a rating counts as "
            "the value for a missing one, on either side. It grows with the size of the data."
        ),
    ),
    DeclaredFigure("sse_known", "count", worse="more"),
    DeclaredFigure(
        "sse_share",
        worse="more",
        heading="SSE share",
        meaning="The sum of squared errors as a share of what would be lost if everyone were "
        "published as the average of each item: 0% if nothing was changed, 100% if only averages "
        "are left, and more if the release misleads more than averages would.",
        bounded=False,
    ),
    DeclaredFigure("per_cell", "rating", worse="more"),
)


class Distortion(Measure):
    """The sum of squared errors, in rating units, over all cells of the table.

    Each person's ratings are compared with what the release says of them: their row, their rows
    joined, or their group's profile. A cell that either side lacks counts as the value for a
    missing rating: the one that a grouped release states, else the middle of the scale. All
    figures are exact.
    """

    name: ClassVar[str] = "distortion"
    summary: ClassVar[str] = "The squared error between original and release, person by person."
    reference: ClassVar[str] = (
        "Casino, Domingo-Ferrer, Patsakis, Puig, Solanas: A k-Anonymous Approach to Privacy "
        "Preserving Collaborative Filtering. JCSS 2015."
    )
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    compared_with: ClassVar[tuple[str, ...]] = ()

    @property
    def label(self) -> str:
        return "squared error"

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        summary = "What people rated against what the release says of them."
        reason = why_not_by_person(context)
        if reason:
            return self.finding(summary, (), 0, seed, (reason,))
        errors = errors_of(context.original, PublishedCells.of(context), progress)
        figures = _figures(errors, len(context.original))
        return self.finding(summary, figures, context.original.n_users, seed, _notes(context))


class SquaredErrors(NamedTuple):
    """Squared errors over all cells and over rated cells, and the total to compare them with."""

    every: float
    known: float
    total: float
    """The sum of squares of the imputed original around its item means."""


def errors_of(
    original: Ratings, published: PublishedCells, progress: Progress = SILENT
) -> SquaredErrors:
    """Sums over all people, by blocks of them."""
    own = (original.offsets, original.items, original.values)
    rows, base = published.rows, published.base
    value = (published.offsets, published.owned, rows.offsets, rows.items, rows.values)
    cells = (*own, *value, base)
    blocks = row_blocks(original.offsets, RATINGS_PER_BLOCK)
    with progress.task("Comparing cells", 2 * len(blocks)) as task:
        moments = in_threads(lambda a, b: item_moments(a, b, *own, base), blocks, task)
        errors = in_threads(lambda a, b: squared_errors(a, b, *cells), blocks, task)
    variances = item_variances(np.sum(moments, axis=0), original.n_users)
    total = original.n_users * float(variances.sum())
    every, known = np.sum(errors, axis=0).tolist()
    return SquaredErrors(every, known, total)


def _figures(errors: SquaredErrors, cells: int) -> tuple[Figure, ...]:
    imputed = "where missing ones count as the value for a missing rating"
    figures = [
        Figure(
            "sse",
            errors.every,
            unit="count",
            meaning=f"the sum of squared errors over all cells, {imputed}",
        ),
        Figure(
            "sse_known",
            errors.known,
            unit="count",
            meaning="the sum of squared errors over the cells that people rated",
        ),
        Figure(
            "per_cell",
            float(np.sqrt(errors.known / cells)),
            unit="rating",
            meaning="how far the release is off where people rated (root mean square)",
        ),
    ]
    if errors.total > 0:
        meaning = "squared errors over all cells as a share of the squares around the item means"
        figures.insert(2, Figure("sse_share", errors.every / errors.total, meaning=meaning))
    return tuple(figures)


def _notes(context: AuditContext) -> tuple[str, ...]:
    without = context.original.n_users - len(context.linkage.linked)
    if without == 0:
        return (context.linkage.note,)
    missing = f"{without:,} people have no row that is known to be theirs: it counts as empty."
    return context.linkage.note, missing
