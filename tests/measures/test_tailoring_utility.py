from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from recloak.auditing.rehearsal import rehearsed
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, Rehearsal
from recloak.evaluation.findings import Finding
from recloak.measures import measure
from recloak.measures._models import trained
from recloak.measures.tailoring_utility import TailoringUtility
from recloak.testing import MeasureContract, context_of, random_ratings, with_rehearsal
from tests.support.split_by_item import SplitByItem


class TestFactorization(MeasureContract):
    name = "tailoring-utility"
    exact = ("acceptable",)


class TestPlainFactorization(MeasureContract):
    name = "tailoring-utility"
    parameters = {"recommender": "plain-factorization"}
    exact = ("acceptable",)


def tasteful(n_users: int = 300, n_items: int = 60) -> Ratings:
    """People whose ratings follow from two tastes and how generous they are."""
    rng = np.random.default_rng(8)
    tastes = rng.normal(size=(n_users, 2)) @ rng.normal(size=(2, n_items))
    complete = 3 + 0.8 * tastes + rng.normal(0, 0.7, (n_users, 1))
    users, items = np.nonzero(rng.random(complete.shape) < 0.4)
    values = np.clip(complete[users, items], 1, 5)
    return Ratings.from_columns(users, items, values, scale="1..5 continuous")


def torn(original: Ratings, parts: int = 2, whole_row: bool = False) -> AuditContext:
    rehearsal = rehearsed(original, SplitByItem(parts), whole_row=whole_row)
    return replace(context_of(original), rehearsal=rehearsal)


def rehearsal_of(context: AuditContext) -> Rehearsal:
    assert context.rehearsal is not None
    return context.rehearsal


def values_of(finding: Finding) -> dict[str, float]:
    return {figure.name: figure.value for figure in finding.figures}


def test_is_what_the_rmse_says() -> None:
    context = with_rehearsal(context_of(tasteful()), "gaussian-noise", sigma=1)
    found = values_of(measure("tailoring-utility").run(context))
    assert found["mu"] == pytest.approx(1 - found["rmse"] / found["rmse_item_mean"])
    assert found["mu_original"] == pytest.approx(
        1 - found["rmse_original"] / found["rmse_item_mean"]
    )
    assert found["mu_kept"] == pytest.approx(found["mu"] / found["mu_original"])
    assert 0 < found["mu"] < found["mu_original"]
    assert found["acceptable"] == 1
    assert "mu_recombined" not in found, "nobody has several rows"


def test_the_averages_are_those_of_the_original_without_the_probe() -> None:
    context = with_rehearsal(context_of(tasteful()), "gaussian-noise", sigma=3)
    rehearsal = rehearsal_of(context)
    sums = np.bincount(rehearsal.known.items, rehearsal.known.values, rehearsal.known.n_items)
    errors = (sums / rehearsal.known.item_support)[rehearsal.items] - rehearsal.truth
    found = values_of(measure("tailoring-utility").run(context))
    assert found["rmse_item_mean"] == pytest.approx(np.sqrt(np.square(errors).mean()), rel=1e-5)


def test_pseudonyms_keep_everything() -> None:
    found = measure("tailoring-utility").run(with_rehearsal(context_of(tasteful())))
    kept = found.figure("mu_kept")
    assert kept is not None
    assert kept.value == pytest.approx(1, abs=0.1)


def test_a_row_without_training_data_gets_the_item_mean() -> None:
    """One rating in each row: whatever is held out leaves nothing to learn from."""
    context = torn(tasteful(), parts=60, whole_row=True)
    rehearsal = rehearsal_of(context)
    model = trained(rehearsal, "factorization", "release")
    rows = rehearsal.row_for(rehearsal.users, rehearsal.items)
    assert (rows >= 0).all()
    assert not model.was_trained_on(rows).any()
    found = values_of(measure("tailoring-utility").run(context))
    assert found["mu"] == pytest.approx(0, abs=1e-6)
    assert found["mu_original"] > 0.3


def test_a_release_worth_less_than_averages_is_not_acceptable() -> None:
    cells = tasteful()
    quality = 2 + cells.items / 30 + 0.4 * (cells.values - 3)
    original = cells.with_values(np.clip(quality, 1, 5).astype(np.float32))
    context = with_rehearsal(context_of(original), "gaussian-noise", sigma=50)
    found = values_of(measure("tailoring-utility").run(context))
    assert found["mu"] < 0 < found["mu_original"]
    assert found["acceptable"] == 0
    figure = measure("tailoring-utility").run(context).figure("acceptable")
    assert figure is not None
    assert figure.shown() == "fail"


def test_where_there_was_no_utility_none_can_be_lost() -> None:
    found = values_of(
        measure("tailoring-utility").run(with_rehearsal(context_of(random_ratings())))
    )
    assert found["mu_original"] < 0
    assert found["acceptable"] == 1
    assert "mu_kept" not in found


def test_recombining_averages_the_rows_of_a_person() -> None:
    context = torn(tasteful(), parts=3)
    rehearsal = rehearsal_of(context)
    found = values_of(measure("tailoring-utility").run(context))
    model = trained(rehearsal, "factorization", "release")
    errors = []
    for user, item, truth in zip(rehearsal.users, rehearsal.items, rehearsal.truth, strict=True):
        code = rehearsal.item_in_release[item]
        rows = [row for row in rehearsal.linkage.rows_of(user) if model.trained_rows[row]]
        predicted = [model.blended(np.array([row]), np.array([code]))[0] for row in rows or [-1]]
        errors.append(np.mean(predicted) - truth)
    assert found["rmse_recombined"] == pytest.approx(np.sqrt(np.square(errors).mean()))
    without = measure("tailoring-utility:recombine=no").run(context)
    assert without.figure("mu_recombined") is None


class InSmallBlocks(TailoringUtility):
    asked_per_block = 7


def test_recombining_is_the_same_in_small_blocks() -> None:
    context = torn(tasteful(100))
    whole = measure("tailoring-utility").run(context)
    assert values_of(InSmallBlocks().run(context)) == pytest.approx(values_of(whole))


def test_intervals_agree_with_a_bootstrap_over_people() -> None:
    context = with_rehearsal(context_of(tasteful()), "gaussian-noise", sigma=1)
    rehearsal = rehearsal_of(context)
    found = measure("tailoring-utility").run(context)
    rows, items = (
        rehearsal.row_for(rehearsal.users, rehearsal.items),
        rehearsal.item_in_release[rehearsal.items],
    )
    new = trained(rehearsal, "factorization", "release").blended(rows, items) - rehearsal.truth
    old = trained(rehearsal, "factorization", "original").blended(rehearsal.users, rehearsal.items)
    plain = trained(rehearsal, "item-mean", "original").blended(rehearsal.users, rehearsal.items)
    squares = [
        np.bincount(rehearsal.users, np.square(e))
        for e in (new, old - rehearsal.truth, plain - rehearsal.truth)
    ]
    people = np.random.default_rng(0).integers(0, len(squares[0]), (2000, len(squares[0])))
    new_, old_, plain_ = (np.sqrt(one[people].sum(axis=1)) for one in squares)
    drawn = {"mu": 1 - new_ / plain_, "mu_kept": (1 - new_ / plain_) / (1 - old_ / plain_)}
    for name, values in drawn.items():
        figure = found.figure(name)
        assert figure is not None
        assert figure.low is not None
        assert figure.high is not None
        low, high = np.quantile(values, [0.025, 0.975])
        assert figure.high - figure.low == pytest.approx(high - low, rel=0.15)


def test_averages_that_are_always_right_leave_nothing_to_tailor() -> None:
    cells = random_ratings(100, 20, 0.5)
    constant = cells.with_values((1 + cells.items % 5).astype(np.float32))
    finding = measure("tailoring-utility").run(with_rehearsal(context_of(constant)))
    assert finding.figures == ()
    assert "always right" in finding.notes[0]
