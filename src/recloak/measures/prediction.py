"""Measure `prediction`: how well a recommender trained on the release predicts ratings."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from recloak.findings import Figure, Finding
from recloak.measures.base import Measure
from recloak.measures.errors import Errors, linearised, mae_figure, rmse, rmse_figure
from recloak.measures.models import RecommenderParameters, Side, trained, why_no_values
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress
from recloak.scene import Codes, Scene, Shadow


class Prediction(Measure):
    """RMSE and MAE on a probe that neither the recommender nor the method has seen.

    The same recommender is trained on the original without the probe, for comparison.
    """

    name: ClassVar[str] = "prediction"
    summary: ClassVar[str] = "Error of a recommender trained on the release, against the original."
    figures: ClassVar[tuple[str, ...]] = (
        "rmse",
        "rmse_original",
        "rmse_loss",
        "rmse_loss_share",
        "mae",
        "mae_original",
    )
    Parameters: ClassVar[type[Parameters]] = RecommenderParameters
    parameters: RecommenderParameters

    @property
    def label(self) -> str:
        return self.parameters.recommender

    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        summary = f"Ratings predicted by {self.parameters.recommender}."
        shadow, trouble = scene.shadow, why_no_values(scene)
        if shadow is None or trouble:
            return self.finding(summary, (), 0, seed, (trouble or "",))
        rows = shadow.row_for(shadow.users, shadow.items)
        items = shadow.item_in_release[shadow.items]
        after = self._errors(shadow, "release", rows, items, progress)
        before = self._errors(shadow, "original", shadow.users, shadow.items, progress)
        return self.finding(
            summary, _figures(before, after, shadow), len(after), seed, (shadow.note,)
        )

    def _errors(
        self, shadow: Shadow, side: Side, rows: Codes, items: Codes, progress: Progress
    ) -> Errors:
        model = trained(shadow, self.parameters.recommender, side, progress)
        return model.recommender.predict(rows, items, progress) - shadow.truth


def _figures(before: Errors, after: Errors, shadow: Shadow) -> tuple[Figure, ...]:
    users, span = shadow.users, shadow.known.scale.span
    loss = _rmse_loss(before, after, users)
    return (
        rmse_figure("rmse", after, users, "trained on the release"),
        rmse_figure("rmse_original", before, users, "trained on the original"),
        loss,
        _share_of(loss, span),
        mae_figure("mae", after, users, "trained on the release"),
        mae_figure("mae_original", before, users, "trained on the original"),
    )


def _rmse_loss(before: Errors, after: Errors, users: Codes) -> Figure:
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
