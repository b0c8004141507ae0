from __future__ import annotations

import numpy as np
import pytest

from recloak.core.errors import ParameterError
from recloak.core.ratings import Ratings
from recloak.measures import measure
from recloak.testing import MeasureContract, context_of, random_ratings, with_rehearsal


class TestItemMean(MeasureContract):
    name = "prediction"
    parameters = {"recommender": "item-mean"}


class TestFactorization(MeasureContract):
    name = "prediction"


def test_pseudonyms_cost_nothing_and_noise_does() -> None:
    cells = random_ratings(300, 30, 0.4)
    original = cells.with_values((1 + cells.items % 5).astype(np.float32))
    found = measure("prediction:recommender=item-mean").run(with_rehearsal(context_of(original)))
    figures = {figure.name: figure.value for figure in found.figures}
    assert figures["rmse"] == pytest.approx(figures["rmse_original"])
    assert figures["rmse_loss"] == pytest.approx(0, abs=1e-9)
    noisy = with_rehearsal(context_of(original), "gaussian-noise", sigma=4)
    loss = measure("prediction:recommender=item-mean").run(noisy).figure("rmse_loss")
    assert loss is not None
    assert loss.low is not None
    assert loss.low > 0


def test_rmse_is_that_of_the_probe() -> None:
    """Item means by hand, on the rehearsal's own cells."""
    context = with_rehearsal(context_of(random_ratings(200, 20, 0.4)))
    rehearsal = context.rehearsal
    assert rehearsal is not None
    sums = np.bincount(rehearsal.known.items, rehearsal.known.values, rehearsal.known.n_items)
    means = sums / rehearsal.known.item_support
    errors = means[rehearsal.items] - rehearsal.truth
    found = measure("prediction:recommender=item-mean").run(context)
    rmse, mae = found.figure("rmse_original"), found.figure("mae_original")
    assert rmse is not None
    assert mae is not None
    assert rmse.value == pytest.approx(np.sqrt(np.square(errors).mean()), rel=1e-5)
    assert mae.value == pytest.approx(np.abs(errors).mean(), rel=1e-5)


def test_implicit_data_have_nothing_to_predict() -> None:
    bought = Ratings.from_columns(np.repeat(np.arange(20), 5), np.tile(np.arange(5), 20))
    assert measure("prediction").run(with_rehearsal(context_of(bought))).figures == ()


def test_an_unknown_recommender_is_refused() -> None:
    with pytest.raises(ParameterError, match="one of item-mean, factorization"):
        measure("prediction:recommender=magic")
