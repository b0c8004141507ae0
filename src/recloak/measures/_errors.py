"""Errors of prediction on the probe, as figures whose intervals count people, not ratings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from recloak.core.arrays import Floats, Indices
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure, Unit
from recloak.evaluation.intervals import Z95, clustered_mean

RMSE = DeclaredFigure(
    "rmse",
    "rating",
    worse="more",
    heading="RMSE",
    meaning=(
        "Root mean square error: how far predicted ratings lie from true ones, in units of the "
        "rating scale, with more weight for large errors. Lower is better."
    ),
)
RMSE_ORIGINAL = DeclaredFigure("rmse_original", "rating")
RMSE_BESIDE_ORIGINAL = replace(RMSE, original="rmse_original")
RMSE_ITEM_MEAN = DeclaredFigure("rmse_item_mean", "rating")
MAE = DeclaredFigure(
    "mae",
    "rating",
    worse="more",
    heading="MAE",
    meaning="Mean absolute error: how far predicted ratings lie from true ones on average, in "
    "units of the rating scale. Lower is better.",
)


def rmse_figure(name: str, errors: Floats, users: Indices, meaning: str) -> Figure:
    """The root mean squared error."""
    mean, deviation = clustered_mean(np.square(errors), users)
    low, high = np.sqrt(max(mean - Z95 * deviation, 0.0)), np.sqrt(mean + Z95 * deviation)
    probe_meaning = f"root mean squared error on the probe, {meaning}"
    return Figure(name, float(np.sqrt(mean)), float(low), float(high), "rating", probe_meaning)


def mae_figure(name: str, errors: Floats, users: Indices, meaning: str) -> Figure:
    """The mean absolute error."""
    mean, deviation = clustered_mean(np.abs(errors), users)
    probe_meaning = f"mean absolute error on the probe, {meaning}"
    return Figure(
        name, mean, mean - Z95 * deviation, mean + Z95 * deviation, "rating", probe_meaning
    )


def linearised(
    name: str, value: float, parts: Floats, users: Indices, unit: Unit, meaning: str
) -> Figure:
    """A figure that is no mean; ``parts`` is by how much each probe rating moves it."""
    _, deviation = clustered_mean(parts, users)
    half = float(Z95 * deviation)
    return Figure(name, value, value - half, value + half, unit, meaning)


def rmse(errors: Floats) -> float:
    """The root mean squared error as a number."""
    return float(np.sqrt(np.square(errors).mean()))
