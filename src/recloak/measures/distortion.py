"""Measure `distortion`: how far a release lies from the original, person by person."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from recloak.clusterings.points import item_variances
from recloak.findings import Figure, Finding
from recloak.kernels.distortion import squared_errors
from recloak.kernels.microaggregation_groups import item_moments
from recloak.measures.base import Measure
from recloak.measures.published import Published, why_not
from recloak.progress import SILENT, Progress
from recloak.ratings import Ratings
from recloak.scene import Scene
from recloak.threads import in_threads, row_blocks

RATINGS_PER_BLOCK = 1_000_000


class Distortion(Measure):
    """The sum of squared errors, in rating units, over all cells of the table.

    Each person's ratings are held against what the release says of them: their row, their rows
    joined, or their group's profile. A cell that either side lacks counts as what stands for a
    missing rating: as a grouped release says, else the middle of the scale. All figures are exact.
    """

    name: ClassVar[str] = "distortion"
    summary: ClassVar[str] = "The squared error between original and release, person by person."
    reference: ClassVar[str] = (
        "Casino, Domingo-Ferrer, Patsakis, Puig, Solanas: A k-Anonymous Approach to Privacy "
        "Preserving Collaborative Filtering. JCSS 2015."
    )
    figures: ClassVar[tuple[str, ...]] = ("sse", "sse_known", "sse_share", "per_cell")

    @property
    def label(self) -> str:
        return "squared error"

    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        summary = "What people rated against what the release says of them."
        trouble = why_not(scene)
        if trouble:
            return self.finding(summary, (), 0, seed, (trouble,))
        errors = errors_of(scene.original, Published.of(scene), progress)
        figures = _figures(errors, len(scene.original))
        return self.finding(summary, figures, scene.original.n_users, seed, _notes(scene))


class SquaredErrors(NamedTuple):
    """Over all cells, over those that were rated, and what their total could be."""

    every: float
    known: float
    total: float
    """The sum of squares of the imputed original around its item means."""


def errors_of(
    original: Ratings, published: Published, progress: Progress = SILENT
) -> SquaredErrors:
    """Sums over all people, by blocks of them."""
    own = (original.offsets, original.items, original.values)
    rows, base = published.rows, published.base
    told = (published.offsets, published.owned, rows.offsets, rows.items, rows.values)
    cells = (*own, *told, base)
    blocks = row_blocks(original.offsets, RATINGS_PER_BLOCK)
    with progress.task("Comparing cells", 2 * len(blocks)) as task:
        moments = in_threads(lambda a, b: item_moments(a, b, *own, base), blocks, task)
        errors = in_threads(lambda a, b: squared_errors(a, b, *cells), blocks, task)
    variances = item_variances(np.sum(moments, axis=0), original.n_users)
    total = original.n_users * float(variances.sum())
    every, known = np.sum(errors, axis=0).tolist()
    return SquaredErrors(every, known, total)


def _figures(errors: SquaredErrors, cells: int) -> tuple[Figure, ...]:
    imputed = "missing ones counting as what stands for them"
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


def _notes(scene: Scene) -> tuple[str, ...]:
    without = scene.original.n_users - len(scene.linkage.linked)
    if without == 0:
        return (scene.linkage.note,)
    missing = f"{without:,} people have no row that is known to be theirs: it counts as empty."
    return scene.linkage.note, missing
