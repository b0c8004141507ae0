"""Measure `prediction`: how well a recommender trained on the release predicts ratings."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from recloak.findings import Figure, Finding
from recloak.measures.base import Measure
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress
from recloak.ratings import Ratings
from recloak.recommenders import RECOMMENDERS
from recloak.scene import Codes, Scene, Shadow
from recloak.statistics import Z95, clustered_mean

Errors = NDArray[np.float64]


class PredictionParameters(Parameters):
    """Which recommender is trained."""

    recommender: str = Field(default="factorization")
    """The recommender that is trained on the release: item-mean, factorization or neighbours."""

    @field_validator("recommender")
    @classmethod
    def _is_known(cls, name: str) -> str:
        if name not in RECOMMENDERS.names():
            raise ValueError(f"should be one of {', '.join(RECOMMENDERS.names())}")
        return name


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
    Parameters: ClassVar[type[Parameters]] = PredictionParameters
    parameters: PredictionParameters

    @property
    def label(self) -> str:
        return self.parameters.recommender

    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        shadow = scene.shadow
        if shadow is None:
            return self._finding((), 0, seed, ("There is no probe.",))
        if scene.original.scale.span == 0:
            return self._finding((), 0, seed, ("There are no values to predict.",))
        if len(np.unique(shadow.users)) < 2:
            return self._finding((), 0, seed, ("Fewer than two people are in the probe.",))
        rows = shadow.row_for(shadow.users, shadow.items)
        items = shadow.item_in_release[shadow.items]
        after = self._errors(shadow, shadow.released, rows, items, progress)
        before = self._errors(shadow, shadow.known, shadow.users, shadow.items, progress)
        return self._finding(_figures(before, after, shadow), len(after), seed, (shadow.note,))

    def _errors(
        self, shadow: Shadow, trained_on: Ratings, rows: Codes, items: Codes, progress: Progress
    ) -> Errors:
        recommender = RECOMMENDERS.get(self.parameters.recommender)()
        recommender.fit(trained_on, progress)
        return recommender.predict(rows, items) - shadow.truth

    def _finding(
        self, figures: tuple[Figure, ...], sample: int, seed: int, notes: tuple[str, ...]
    ) -> Finding:
        return Finding(
            family="measure",
            name=self.name,
            parameters=self.parameters.public(),
            summary=f"Ratings predicted by {self.parameters.recommender}.",
            label=self.label,
            figures=figures,
            sample=sample,
            seed=seed,
            notes=notes,
        )


def _figures(before: Errors, after: Errors, shadow: Shadow) -> tuple[Figure, ...]:
    users, span = shadow.users, shadow.known.scale.span
    loss = _rmse_loss(before, after, users)
    return (
        _rmse("rmse", after, users, "trained on the release"),
        _rmse("rmse_original", before, users, "trained on the original"),
        loss,
        _share_of(loss, span),
        _mae("mae", after, users, "trained on the release"),
        _mae("mae_original", before, users, "trained on the original"),
    )


def _rmse(name: str, errors: Errors, users: Codes, meaning: str) -> Figure:
    mean, deviation = clustered_mean(np.square(errors), users)
    low, high = np.sqrt(max(mean - Z95 * deviation, 0.0)), np.sqrt(mean + Z95 * deviation)
    said = f"root mean squared error on the probe, {meaning}"
    return Figure(name, float(np.sqrt(mean)), float(low), float(high), "rating", said)


def _mae(name: str, errors: Errors, users: Codes, meaning: str) -> Figure:
    mean, deviation = clustered_mean(np.abs(errors), users)
    said = f"mean absolute error on the probe, {meaning}"
    return Figure(name, mean, mean - Z95 * deviation, mean + Z95 * deviation, "rating", said)


def _rmse_loss(before: Errors, after: Errors, users: Codes) -> Figure:
    """The difference of two RMSEs on the same cells, its interval by linearisation."""
    root_before, root_after = np.sqrt(np.square(before).mean()), np.sqrt(np.square(after).mean())
    parts = np.square(after) / (2 * max(root_after, 1e-12)) - np.square(before) / (
        2 * max(root_before, 1e-12)
    )
    _, deviation = clustered_mean(parts, users)
    value = float(root_after - root_before)
    low, high = value - Z95 * deviation, value + Z95 * deviation
    return Figure("rmse_loss", value, low, high, "rating", "how much the RMSE rose")


def _share_of(loss: Figure, span: float) -> Figure:
    low, high = (loss.low or 0.0) / span, (loss.high or 0.0) / span
    meaning = "how much the RMSE rose, as a share of the scale"
    return Figure("rmse_loss_share", loss.value / span, low, high, "share", meaning)
