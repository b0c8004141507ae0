"""Distortion by cell where others were measured: 10,000 respondents, a fifth of cells null."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.core.arrays import Levels
from recloak.core.progress import SILENT
from recloak.methods.proximity._groups import fit_answers, grouped

RESPONDENTS, LEVELS = 10_000, 5
ONE_FACTOR, TWO_FACTORS = (1, 0.75), (2, 0.7)
REFERENCE = {  # issues, k, width of the interval: distortion
    (5, 5, 1): 0.011,
    (5, 5, 0): 0.100,
    (10, 5, 1): 0.150,
    (10, 5, 0): 0.376,
    (10, 20, 1): 0.308,
    (10, 20, 0): 0.569,
    (20, 5, 1): 0.483,
    (20, 5, 0): 0.711,
}
Point = tuple[int, int, int]


def answers(issues: int, factors: int, loading: float) -> Levels:
    """Answers that depend on a factor each, in turn, and nulls that are independent of all."""
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(RESPONDENTS, factors))[:, np.arange(issues) % factors]
    own = np.sqrt(1 - loading**2) * rng.normal(size=(RESPONDENTS, issues))
    cells = np.clip(np.rint(3 + 1.2 * (loading * shared + own)), 1, LEVELS)
    cells[rng.random(cells.shape) < 0.2] = 0
    return cells.astype(np.int8)


def check(kind: tuple[int, float], point: Point) -> None:
    issues, k, width = point
    cells = answers(issues, *kind)
    hidden = np.zeros((RESPONDENTS, 0), np.int8)
    labels = grouped(cells, hidden, LEVELS, k, width, 0.0, SILENT)
    assert np.bincount(labels).min() >= k
    widths = np.full(int(labels.max()) + 1, width)
    assert (
        fit_answers(cells, labels, LEVELS, widths, SILENT).distortion / cells.size
        <= REFERENCE[point]
    )


@pytest.mark.parametrize(
    ("kind", "point"),
    [(ONE_FACTOR, (5, 5, 1)), (ONE_FACTOR, (10, 20, 0)), (TWO_FACTORS, (10, 5, 0))],
)
def test_distortion_is_at_most_the_reference(kind: tuple[int, float], point: Point) -> None:
    check(kind, point)


@pytest.mark.slow
@pytest.mark.parametrize("point", REFERENCE)
def test_one_factor_meets_every_reference_point(point: Point) -> None:
    check(ONE_FACTOR, point)
