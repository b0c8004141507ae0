"""Terms of a Newton step beside the same in matrices."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.attacks._logistic import chances, newton_terms


@pytest.mark.parametrize("rows", [0, 1, 500])
def test_terms_are_those_of_the_matrices(rows: int) -> None:
    rng = np.random.default_rng(rows)
    design, truth = rng.normal(size=(rows, 4)) * 10, rng.random(rows) < 0.3
    weights = rng.normal(size=4)
    gradient, hessian = np.ones(4), np.eye(4)
    newton_terms(design, truth, weights, gradient, hessian)
    chance = chances(design @ weights)
    assert gradient == pytest.approx(1 + design.T @ (chance - truth))
    wanted = np.eye(4) + (design * (chance * (1 - chance))[:, None]).T @ design
    assert hessian == pytest.approx(wanted)
