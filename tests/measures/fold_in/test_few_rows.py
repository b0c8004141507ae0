"""The item-item model of few rows beside the same by the inverse of all pairs of items."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.core.progress import SILENT
from recloak.measures.fold_in import _few_rows, _item_model
from recloak.measures.fold_in._few_rows import FewRows
from recloak.measures.fold_in._training_rows import Newcomers, TrainingRows
from recloak.testing import random_ratings


def test_scores_are_those_of_the_whole_inverse() -> None:
    rng, ratings = np.random.default_rng(0), random_ratings(40, 90, 0.03)
    assert (ratings.user_counts == 1).any()
    weights, items = rng.uniform(0.5, 3, ratings.n_users), rng.permutation(ratings.n_items)[:60]
    present = (ratings.to_csr().toarray() > 0)[:, items].astype(float)
    inverse = np.linalg.inv(present.T @ (weights[:, None] * present) + 5.0 * np.eye(60))
    given = (rng.random((7, 60)) < 0.2).astype(np.float32)
    found = FewRows(ratings, weights, items).scores(given, 5.0)
    assert found == pytest.approx(-(given @ inverse) / np.diag(inverse), abs=1e-5)


def test_few_rows_recommend_what_all_pairs_do(monkeypatch: pytest.MonkeyPatch) -> None:
    people = random_ratings(90, 300, 0.05)
    known, items = people.take_users(np.arange(60)), np.arange(people.n_items)
    training = TrainingRows.of_original(known)
    newcomers = Newcomers.split(people.take_users(np.arange(60, 90)), 0)
    assert not FewRows(known, training.weights, items).are_few
    pairs = _item_model.recommended(newcomers, training, 10, SILENT)
    monkeypatch.setattr(_few_rows, "FEWEST_ITEMS", 100)
    assert FewRows(known, training.weights, items).are_few
    rows = _item_model.recommended(newcomers, training, 10, SILENT)
    np.testing.assert_array_equal(rows[0], pairs[0])
