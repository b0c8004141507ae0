"""Distortion by cell where others were measured: 10,000 respondents, a fifth of cells null."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.methods.survey_groups import Cells, fitted, grouped
from recloak.progress import SILENT

RESPONDENTS, LEVELS = 10_000, 5


def answers(issues: int) -> Cells:
    """Answers that share one factor (loading 0.75), and nulls that are independent of all."""
    rng = np.random.default_rng(0)
    shared = 0.75 * rng.normal(size=(RESPONDENTS, 1))
    own = np.sqrt(1 - 0.75**2) * rng.normal(size=(RESPONDENTS, issues))
    cells = np.clip(np.rint(3 + 1.2 * (shared + own)), 1, LEVELS)
    cells[rng.random(cells.shape) < 0.2] = 0
    return cells.astype(np.int8)


@pytest.mark.parametrize(("issues", "k", "width", "most"), [(5, 5, 1, 0.011), (10, 20, 0, 0.569)])
def test_distortion_is_at_most_the_reference(issues: int, k: int, width: int, most: float) -> None:
    cells = answers(issues)
    hidden = np.zeros((RESPONDENTS, 0), np.int8)
    labels = grouped(cells, hidden, LEVELS, k, width, 0.0, SILENT)
    assert np.bincount(labels).min() >= k
    widths = np.full(int(labels.max()) + 1, width)
    assert fitted(cells, labels, LEVELS, widths, SILENT).distortion / cells.size <= most
