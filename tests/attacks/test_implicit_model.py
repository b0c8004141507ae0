"""The implicit model beside a whole singular value decomposition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from recloak.attacks._implicit_model import ImplicitModel, _leading
from recloak.testing import random_ratings


@pytest.mark.parametrize("shape", [(40, 30), (30, 70)])
def test_leading_vectors_are_those_of_the_table(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    left, right = (np.linalg.qr(rng.normal(size=(side, 6)))[0] for side in shape)
    table = left @ np.diag([9.0, 7, 5, 4, 1e-3, 1e-3]) @ right.T
    vectors, strengths = _leading(sparse.csr_array(table), 4)
    assert strengths == pytest.approx([9, 7, 5, 4], rel=1e-6)
    assert np.abs(vectors.T @ right[:, :4]) == pytest.approx(np.eye(4), abs=1e-5)


def test_scores_of_some_items_are_those_of_all() -> None:
    people = random_ratings(60, 40, 0.2)
    model, items = ImplicitModel.of(people), np.arange(people.n_items)
    for taste in model.tastes(people.take_users(np.arange(5))):
        everything = model.scores(taste, items)
        assert model.scores(taste, np.array([3, 17])) == pytest.approx(everything[[3, 17]])
