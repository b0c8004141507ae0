from __future__ import annotations

import numpy as np
import pytest

from recloak.core.randomness import Randomness
from recloak.evaluation.context import AuditContext
from recloak.measures import measure
from recloak.measures._models import UNBLENDED, trained
from recloak.recommenders.base import split_off
from recloak.recommenders.factorization import Factorization
from recloak.recommenders.item_mean import ItemMean
from recloak.testing import context_of, random_ratings, with_rehearsal
from tests.measures.test_tailoring_utility import rehearsal_of, tasteful


def context() -> AuditContext:
    return with_rehearsal(context_of(tasteful()), "gaussian-noise", sigma=1)


def test_each_side_is_trained_once_for_all_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = []
    learn = Factorization.learn

    def counting(self: Factorization, *given: object) -> None:
        fits.append(self)
        learn(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Factorization, "learn", counting)
    shared = context()
    for name in ("prediction", "tailoring-utility", "ranking"):
        measure(name).run(shared)
    assert len(fits) == 2


def test_the_blend_is_the_least_squares_one_on_cells_that_were_set_aside() -> None:
    rehearsal = rehearsal_of(context())
    model = trained(rehearsal, "factorization", "release")
    generator = Randomness.from_seed(rehearsal.seed).generator("validation", "release")
    split = split_off(rehearsal.released, generator)
    predicted = Factorization().fit(split.training).predict(split.users, split.items)
    average = ItemMean().fit(split.training).predict(split.users, split.items)

    def error(weights: np.ndarray) -> float:
        mixed = weights[0] + weights[1] * average + weights[2] * predicted
        return float(np.square(mixed - split.values).sum())

    best = error(model.weights)
    for step in np.vstack([np.eye(3), -np.eye(3)]):
        assert best < error(model.weights + 1e-3 * step)
    assert best < min(error(np.array([0, 1, 0])), error(UNBLENDED))


def test_no_row_and_an_untrained_row_get_the_item_mean() -> None:
    rehearsal = rehearsal_of(context())
    model = trained(rehearsal, "factorization", "original")
    items = np.arange(rehearsal.known.n_items)
    expected = model.item_mean.predict(np.full(len(items), -1), items)
    assert np.array_equal(model.blended(np.full(len(items), -1), items), expected)
    assert not np.array_equal(model.blended(np.zeros(len(items), np.int64), items), expected)


def test_a_handful_of_ratings_is_not_blended() -> None:
    rehearsal = rehearsal_of(with_rehearsal(context_of(random_ratings(20, 10))))
    assert trained(rehearsal, "factorization", "release").weights is UNBLENDED
