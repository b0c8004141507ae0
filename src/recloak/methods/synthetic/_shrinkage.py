"""Shrinkage: noisy numbers, pulled together as far as their noise and their spread say.

Only noisy answers are looked at: none of this costs privacy.
"""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Floats

_POINTS, _ROUNDS = 160, 120
_LEAST_SHARE = 1e-4  # of the average share: no item is quite without fame


def shrunk_shares(shares: Floats, deviations: Floats) -> Floats:
    """Shares of items given noisy ones: posterior means under a prior learnt from all of them.

    The prior is any distribution on a grid of sizes, fitted by maximum likelihood (EM).
    """
    average = 1.0 / max(len(shares), 1)
    top = max(float(shares.max()), 2 * average)
    grid = np.geomspace(_LEAST_SHARE * average, top, _POINTS)
    distance = (shares[:, None] - grid) / deviations[:, None]
    likelihood = np.exp(-0.5 * np.minimum(distance**2 - (distance**2).min(axis=1)[:, None], 1400))
    prior = np.full(_POINTS, 1.0 / _POINTS)
    for _ in range(_ROUNDS):
        posterior = likelihood * prior
        posterior /= posterior.sum(axis=1, keepdims=True)
        prior = posterior.mean(axis=0)
    posterior = likelihood * prior
    posterior /= posterior.sum(axis=1, keepdims=True)
    found = posterior @ grid
    return np.asarray(found / found.sum())


def shrunk_effects(effects: Floats, variances: Floats, fame: Floats) -> Floats:
    """Item effects, pulled towards what items of the same fame have."""
    weights = 1.0 / (variances + max(_spread(effects, variances), 1e-6))
    features = np.column_stack([np.ones(len(fame)), fame - np.average(fame, weights=weights)])
    weighted = features * weights[:, None]
    line = np.linalg.lstsq(weighted.T @ features + 1e-9 * np.eye(2), weighted.T @ effects, None)[0]
    usual = features @ line
    spread = max(_spread(effects - usual, variances), 1e-6)
    return np.asarray(usual + (effects - usual) * spread / (spread + variances))


def _spread(values: Floats, variances: Floats) -> float:
    """The variance that noise does not explain, where noise is small counting most."""
    weights = 1.0 / (variances + np.median(variances) + 1e-12) ** 2
    return float(np.average(values**2 - variances, weights=weights))


def combined(first: Floats, first_var: Floats, second: Floats, second_var: Floats) -> Floats:
    """Two noisy numbers for the same thing, each weighted by how well it is known."""
    return np.asarray((first * second_var + second * first_var) / (first_var + second_var))


def kept_share(values: Floats, variances: Floats) -> Floats:
    """The share of each value that is likely to be signal: spread / (spread + variance)."""
    spread = max(_spread(values, variances), 0.0)
    return np.asarray(spread / (spread + variances)) if spread > 0 else np.zeros_like(variances)
