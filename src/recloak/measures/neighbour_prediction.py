"""Measure `neighbour-prediction`: ratings read from the published row that lies nearest."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from recloak.core.arrays import Floats, Indices, Mask
from recloak.core.kernels.record_distances import values_at
from recloak.core.nearest_records import CandidateRecords
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure, Finding, Unit
from recloak.evaluation.intervals import Z95, clustered_mean
from recloak.evaluation.published_cells import (
    PredictedCells,
    PublishedCells,
    means_of_others,
    why_not,
)
from recloak.measures._errors import MAE
from recloak.measures.base import Measure

PREDICTED_SHARE = 0.2


class NeighbourPredictionParameters(Parameters):
    """How many people are predicted."""

    people: int = Field(default=2000, ge=2)
    """For how many people at most, drawn at random."""


_FIGURES = (
    MAE,
    DeclaredFigure("mae_share", worse="more", bounded=False),
    DeclaredFigure(
        "mae_midpoint",
        "rating",
        heading="MAE midpoint, MAE item mean",
        meaning=(
            "The mean absolute error without any row: of the middle of the scale for every "
            "rating, and of the average that others gave the same item. A release whose error is "
            "no lower is worth no more than these."
        ),
    ),
    DeclaredFigure("mae_item_mean", "rating"),
)


class NeighbourPrediction(Measure):
    """The paper's mean absolute error.

    Items are split at random, 80 to 20. For each person the published row nearest to their
    ratings of the 80 % is found (Euclidean; missing cells count as the value for a missing
    rating), and its values for the other 20 % are compared with the person's ratings. The row was
    made from the same ratings that it predicts, so this says how much of a person is left in the
    release rather than how well it recommends; for that there is `prediction`. For comparison:
    the middle of the scale for everything, and for each item the mean that all others gave.
    """

    name: ClassVar[str] = "neighbour-prediction"
    summary: ClassVar[str] = "Error of ratings read from the published row nearest to a person."
    reference: ClassVar[str] = (
        "Casino, Domingo-Ferrer, Patsakis, Puig, Solanas: A k-Anonymous Approach to Privacy "
        "Preserving Collaborative Filtering. JCSS 2015 (section on prediction accuracy)."
    )
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    compared_with: ClassVar[tuple[str, ...]] = ()
    Parameters: ClassVar[type[Parameters]] = NeighbourPredictionParameters
    parameters: NeighbourPredictionParameters

    @property
    def label(self) -> str:
        return "nearest row"

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        summary = (
            "A fifth of the items, predicted by the published row nearest to a person on the rest."
        )
        reason = why_not(context)
        if reason:
            return self.finding(summary, (), 0, seed, (reason,))
        published = PublishedCells.of(context)
        compared = _split(context.original.n_items, seed)
        people = self._drawn(context.original, compared, seed)
        if len(people) < 2 or published.rows.n_users == 0:
            read = "Fewer than two people could be predicted: too few ratings, or no rows."
            return self.finding(summary, (), 0, seed, (read,))
        cells = _predicted_cells(context.original, people, compared)
        rows = _nearest(context.original.take_users(people), published, compared, progress)
        figures = _figures(context.original, cells, _read_values(published, rows[cells.who], cells))
        return self.finding(summary, figures, len(cells.truth), seed, self._notes(people, context))

    def _drawn(self, original: Ratings, compared: Mask, seed: int) -> Indices:
        """Whom to predict: all who rated an item that is left out, or a sample of them."""
        able = np.flatnonzero(np.bincount(original.user_codes()[~compared[original.items]]))
        if len(able) <= self.parameters.people:
            return able
        generator = Randomness.from_seed(seed).generator("people to predict for")
        return np.sort(generator.choice(able, self.parameters.people, replace=False))

    def _notes(self, people: Indices, context: AuditContext) -> tuple[str, ...]:
        return (f"{len(people):,} of {context.original.n_users:,} people were predicted.",)


def _split(n_items: int, seed: int) -> Mask:
    """Which items people are compared on; the others are predicted."""
    generator = Randomness.from_seed(seed).generator("items to predict")
    compared = np.ones(n_items, dtype=np.bool_)
    compared[generator.permutation(n_items)[: round(PREDICTED_SHARE * n_items)]] = False
    return compared


def _predicted_cells(original: Ratings, people: Indices, compared: Mask) -> PredictedCells:
    """What these people rated among the items that are predicted."""
    own = original.take_users(people)
    left_out = ~compared[own.items]
    who = own.user_codes()[left_out].astype(np.int64)
    return PredictedCells(who, own.items[left_out], own.values[left_out].astype(np.float64))


def _nearest(
    own: Ratings, published: PublishedCells, compared: Mask, progress: Progress
) -> Indices:
    """The published row nearest to each person on the compared items; of equally near the first."""
    rows = published.rows
    candidates = CandidateRecords.in_order(
        rows.keep(compared[rows.items]), published.base, close=0.0
    )
    return candidates.first_nearest(own.keep(compared[own.items]), progress)


def _read_values(published: PublishedCells, rows: Indices, cells: PredictedCells) -> Floats:
    table = published.rows
    return values_at(rows, cells.items, table.offsets, table.items, table.values, published.base)


def _figures(original: Ratings, cells: PredictedCells, read: Floats) -> tuple[Figure, ...]:
    span, middle = original.scale.span, original.scale.middle
    error = np.abs(read - cells.truth)
    meaning = "how far ratings lie from what the nearest row says"
    return (
        _figure("mae", error, cells, meaning),
        _figure("mae_share", error / span, cells, f"{meaning}, as a share of the scale"),
        _figure(
            "mae_midpoint", np.abs(middle - cells.truth), cells, "from the middle of the scale"
        ),
        _figure(
            "mae_item_mean",
            np.abs(means_of_others(original, cells) - cells.truth),
            cells,
            "from the mean of what all others rated the item",
        ),
    )


def _figure(name: str, errors: Floats, cells: PredictedCells, meaning: str) -> Figure:
    mean, deviation = clustered_mean(errors, cells.who)
    half = Z95 * deviation
    unit: Unit = "share" if name == "mae_share" else "rating"
    return Figure(name, mean, max(mean - half, 0.0), mean + half, unit, meaning)
