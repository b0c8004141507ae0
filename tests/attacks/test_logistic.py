"""Terms of a Newton step beside the same in matrices."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.attacks._logistic import MOST_OF_A_KIND, Logistic, chances, newton_terms


@pytest.mark.parametrize("rows", [0, 1, 500])
def test_terms_are_those_of_the_matrices(rows: int) -> None:
    rng = np.random.default_rng(rows)
    design, truth = rng.normal(size=(rows, 4)) * 10, rng.random(rows) < 0.3
    weights, times = rng.normal(size=4), rng.integers(1, 9, rows).astype(float)
    gradient, hessian = np.ones(4), np.eye(4)
    newton_terms(design, truth, times, weights, gradient, hessian)
    chance = chances(design @ weights)
    assert gradient == pytest.approx(1 + design.T @ (times * (chance - truth)))
    wanted = np.eye(4) + (design * (times * chance * (1 - chance))[:, None]).T @ design
    assert hessian == pytest.approx(wanted)


def test_of_many_examples_some_tell_the_same_chances() -> None:
    rng = np.random.default_rng(1)
    features = rng.normal(size=(8 * MOST_OF_A_KIND, 2))
    truth = rng.random(len(features)) < chances(1.5 + features @ [1.0, -0.5])
    fitted = Logistic.fit(features, truth)
    predicted = chances(fitted.odds(features))
    assert predicted.mean() == pytest.approx(truth.mean(), abs=0.01)
    assert fitted.weights[1:] / fitted.spread == pytest.approx([1.0, -0.5], abs=0.05)
