"""Blending: one confidence from several models, by weights learnt on people who are known."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from recloak.core.arrays import Floats, Indices, Levels
from recloak.core.survey import NULL

PENALTY = 5.0  # on weights that differ from equal ones, so that a few people do not decide them


def cross_fitted(models: Floats, truth: Levels, rng: np.random.Generator) -> Floats:
    """The chance of each level by person and issue, with weights learnt on the other half.

    ``models`` are log-chances by person, issue, level and model; of each half of the people the
    adversary knows the answers of the other half.
    """
    half = rng.permutation(len(truth)) % 2
    found = np.empty(models.shape[:3])
    for side in (0, 1):
        weights = fit(models[half != side], truth[half != side])
        found[half == side] = _chances(models[half == side] @ weights)
    return found


def fit(models: Floats, truth: Levels) -> Floats:
    """The weights under which the true answers are likeliest; equal ones without any answer."""
    given = truth != NULL
    features, levels = models[given], truth[given].astype(np.int64)
    equal = np.full(models.shape[3], 1 / models.shape[3])
    at = np.arange(len(levels))

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds = features @ weights
        total = logsumexp(odds, axis=1, keepdims=True)
        expected = np.einsum("nl,nlm->m", np.exp(odds - total), features)
        off = weights - equal
        value = float((total[:, 0] - odds[at, levels]).sum() + PENALTY / 2 * off @ off)
        return value, expected - features[at, levels].sum(axis=0) + PENALTY * off

    return np.asarray(minimize(loss, equal, jac=True, method="L-BFGS-B").x)


def _chances(odds: Floats) -> Floats:
    return np.asarray(np.exp(odds - logsumexp(odds, axis=2, keepdims=True)))


def most_confident(confidence: Floats, share: float) -> Indices:
    """The share of people of whom the adversary is surest, at least one of them."""
    count = max(1, round(share * len(confidence)))
    return np.argsort(-confidence, kind="stable")[:count]
