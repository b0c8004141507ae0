"""Spectrum: the directions of a noisy matrix of products that stand out from its noise.

Baik, Ben Arous, Péché: a symmetric matrix of h rows with noise σ has eigenvalues up to 2σ√h; a
true eigenvalue ℓ above σ√h shows as ℓ + hσ²/ℓ, and its vector with a squared cosine of
1 − hσ²/ℓ².
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from recloak.core.arrays import Floats

_FILLINGS = 2
_MARGIN = 1.05


class Spectrum(NamedTuple):
    """Unit vectors (columns), their true eigenvalues, and their squared cosines."""

    vectors: Floats
    values: Floats
    known: Floats


def spectrum_of(products: Floats, size: int, sigma: float, most: int) -> Spectrum:
    """The directions above the noise of ``products``, the entries above the diagonal.

    The diagonal is not known. It is filled by the directions themselves once their number is
    fixed: filled before, it would lift noise over the edge.
    """
    matrix = np.zeros((size, size))
    above = np.triu_indices(size, 1)
    matrix[above] = products
    matrix += matrix.T
    values, vectors = _leading(matrix, min(most, size))
    edge = _MARGIN * 2 * sigma * np.sqrt(size)
    rank = int((values > edge).sum())
    if rank == 0:
        return Spectrum(np.zeros((size, 0)), np.zeros(0), np.zeros(0))
    for _ in range(_FILLINGS):
        leading, shown = vectors[:, -rank:], values[-rank:]
        true = _true_values(shown, sigma, size)
        matrix[np.diag_indices(size)] = (leading**2 * true).sum(axis=1)
        values, vectors = _leading(matrix, rank)
    true = _true_values(values[-rank:], sigma, size)
    known = np.clip(1 - size * sigma**2 / true**2, 0.0, 1.0)
    order = np.argsort(-true)
    return Spectrum(vectors[:, -rank:][:, order], true[order], known[order])


def _leading(matrix: Floats, count: int) -> tuple[Floats, Floats]:
    """The largest eigenvalues, ascending, and their vectors."""
    size = len(matrix)
    found: tuple[Floats, Floats] = eigh(matrix, subset_by_index=[size - count, size - 1])
    return found


def _true_values(shown: Floats, sigma: float, size: int) -> Floats:
    inside = np.maximum(shown**2 - 4 * size * sigma**2, 0.0)
    return np.asarray((shown + np.sqrt(inside)) / 2)
