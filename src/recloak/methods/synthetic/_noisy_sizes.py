"""Ratings per person from noisy bins: a log-normal curve, and as much of the bins as noise leaves.

Only noisy answers are looked at: none of this costs privacy.
"""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Floats, Integers
from recloak.methods.synthetic._traits import Sizes

_MEANS, _SPREADS = 60, 12
_NARROWEST, _WIDEST = 0.3, 1.6  # deviations of the log of ratings per person, over all data we know
_LEAST_SHARE = 1e-3  # of people in a range: fewer cannot be told from noise


def sizes_from(edges: Integers, noisy: Floats, people: float, sigma: float) -> Sizes:
    """The ranges with the shares of people in them.

    Where the noise is louder than a range, its own number tells nothing, but all of them together
    still tell about where people are, and how far apart. So a curve of two numbers is fitted
    first, and what the bins differ from it is shrunk by as much of it as noise would explain.
    """
    curve = _curve(edges, noisy, people, sigma)
    apart = noisy / people - curve
    by_noise = len(noisy) * (sigma / people) ** 2
    reliability = max(0.0, 1 - by_noise / max(float((apart**2).sum()), 1e-300))
    share = curve + reliability * apart
    kept = share >= min(_LEAST_SHARE, float(share.max()))
    return Sizes(edges[:-1][kept], edges[1:][kept], share[kept] / share[kept].sum())


def _curve(edges: Integers, noisy: Floats, people: float, sigma: float) -> Floats:
    """The mean of all log-normal curves, each weighted by how likely it makes the noisy bins."""
    curves = _curves(edges)
    apart = ((noisy / people - curves) ** 2).sum(axis=1) * (people / sigma) ** 2
    weights = np.exp(-(apart - apart.min()) / 2)
    return np.asarray(weights @ curves / weights.sum())


def _curves(edges: Integers) -> Floats:
    """Shares of the ranges under curves of many means and spreads, one in each row."""
    logs = np.log(edges.astype(np.float64))
    means = np.linspace(logs[0], logs[-1], _MEANS)
    spreads = np.geomspace(_NARROWEST, _WIDEST, _SPREADS)
    mean, spread = (one.ravel()[:, None] for one in np.meshgrid(means, spreads))
    middles = (logs[:-1] + logs[1:]) / 2
    density = np.exp(-0.5 * ((middles - mean) / spread) ** 2) * np.diff(logs)
    return np.asarray(density / np.maximum(density.sum(axis=1, keepdims=True), 1e-300))
