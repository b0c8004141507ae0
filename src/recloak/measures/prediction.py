"""Measure `prediction`: how well a recommender trained on the release predicts ratings."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from recloak.core.arrays import Floats, Indices
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.evaluation.context import AuditContext, Rehearsal
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure, Finding
from recloak.measures._errors import (
    MAE,
    RMSE_BESIDE_ORIGINAL,
    RMSE_ORIGINAL,
    linearised,
    mae_figure,
    rmse,
    rmse_figure,
)
from recloak.measures._models import RecommenderParameters, Side, trained, why_no_values
from recloak.measures.base import Measure

_FIGURES = (
    replace(
        RMSE_BESIDE_ORIGINAL,
        role="prediction error",
        change="rmse_loss",
        change_in_scale="rmse_loss_share",
    ),
    RMSE_ORIGINAL,
    DeclaredFigure("rmse_loss", "rating", worse="more"),
    DeclaredFigure("rmse_loss_share", worse="more", bounded=False),
    replace(MAE, original="mae_original"),
    DeclaredFigure("mae_original", "rating"),
)


class Prediction(Measure):
    """RMSE and MAE on a probe that neither the recommender nor the method has seen.

    The same recommender is trained on the original without the probe, for comparison.
    """

    name: ClassVar[str] = "prediction"
    summary: ClassVar[str] = "Error of a recommender trained on the release, against the original."
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    audited_with: ClassVar[tuple[str, ...]] = ("recommender=item-mean", "recommender=factorization")
    compared_with: ClassVar[tuple[str, ...]] = ("recommender=factorization",)
    takes_turns: ClassVar[str] = "recommenders of the rehearsal"
    Parameters: ClassVar[type[Parameters]] = RecommenderParameters
    parameters: RecommenderParameters

    @property
    def label(self) -> str:
        return self.parameters.recommender

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        summary = f"Ratings predicted by {self.parameters.recommender}."
        rehearsal, reason = context.rehearsal, why_no_values(context, self.parameters.recommender)
        if rehearsal is None or reason:
            return self.finding(summary, (), 0, seed, (reason or "",))
        rows = rehearsal.row_for(rehearsal.users, rehearsal.items)
        items = rehearsal.item_in_release[rehearsal.items]
        after = self._errors(rehearsal, "release", rows, items, progress)
        before = self._errors(rehearsal, "original", rehearsal.users, rehearsal.items, progress)
        return self.finding(
            summary, _figures(before, after, rehearsal), len(after), seed, (rehearsal.note,)
        )

    def _errors(
        self, rehearsal: Rehearsal, side: Side, rows: Indices, items: Indices, progress: Progress
    ) -> Floats:
        model = trained(rehearsal, self.parameters.recommender, side, progress)
        return model.recommender.predict(rows, items, progress) - rehearsal.truth


def _figures(before: Floats, after: Floats, rehearsal: Rehearsal) -> tuple[Figure, ...]:
    users, span = rehearsal.users, rehearsal.known.scale.span
    loss = _rmse_loss(before, after, users)
    return (
        rmse_figure("rmse", after, users, "trained on the release"),
        rmse_figure("rmse_original", before, users, "trained on the original"),
        loss,
        _share_of(loss, span),
        mae_figure("mae", after, users, "trained on the release"),
        mae_figure("mae_original", before, users, "trained on the original"),
    )


def _rmse_loss(before: Floats, after: Floats, users: Indices) -> Figure:
    """The difference of two RMSEs on the same cells."""
    root_before, root_after = rmse(before), rmse(after)
    parts = np.square(after) / (2 * max(root_after, 1e-12)) - np.square(before) / (
        2 * max(root_before, 1e-12)
    )
    value = root_after - root_before
    return linearised("rmse_loss", value, parts, users, "rating", "how much the RMSE rose")


def _share_of(loss: Figure, span: float) -> Figure:
    low, high = (loss.low or 0.0) / span, (loss.high or 0.0) / span
    meaning = "how much the RMSE rose, as a share of the scale"
    return Figure("rmse_loss_share", loss.value / span, low, high, "share", meaning)
