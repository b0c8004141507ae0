"""Errors of prediction on the probe, as figures whose intervals count people, not ratings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.findings import Figure, Unit
from recloak.scene import Codes
from recloak.statistics import Z95, clustered_mean

Errors = NDArray[np.float64]


def rmse_figure(name: str, errors: Errors, users: Codes, meaning: str) -> Figure:
    """The root mean squared error."""
    mean, deviation = clustered_mean(np.square(errors), users)
    low, high = np.sqrt(max(mean - Z95 * deviation, 0.0)), np.sqrt(mean + Z95 * deviation)
    said = f"root mean squared error on the probe, {meaning}"
    return Figure(name, float(np.sqrt(mean)), float(low), float(high), "rating", said)


def mae_figure(name: str, errors: Errors, users: Codes, meaning: str) -> Figure:
    """The mean absolute error."""
    mean, deviation = clustered_mean(np.abs(errors), users)
    said = f"mean absolute error on the probe, {meaning}"
    return Figure(name, mean, mean - Z95 * deviation, mean + Z95 * deviation, "rating", said)


def linearised(
    name: str, value: float, parts: Errors, users: Codes, unit: Unit, meaning: str
) -> Figure:
    """A figure that is no mean; ``parts`` is by how much each probe rating moves it."""
    _, deviation = clustered_mean(parts, users)
    half = float(Z95 * deviation)
    return Figure(name, value, value - half, value + half, unit, meaning)


def rmse(errors: Errors) -> float:
    """The number alone."""
    return float(np.sqrt(np.square(errors).mean()))
