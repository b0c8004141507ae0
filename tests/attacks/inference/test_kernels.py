"""What rows list, best guesses and precision curves beside the same written out."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.attacks._cell_levels import CellLevels
from recloak.attacks._logistic import Logistic
from recloak.attacks.inference._confidence import CalibratedLogistic, crossed_apart
from recloak.attacks.inference._kernels import (
    best_levels,
    curved,
    generosity_of,
    linear_odds,
    listed_by_rows,
)
from recloak.attacks.inference._precision import precision_curve


def test_rows_are_added_up_cell_by_cell() -> None:
    rng = np.random.default_rng(0)
    offsets = np.array([0, 3, 5, 9])
    items = np.array([0, 2, 4, 1, 2, 0, 1, 2, 3], np.int32)
    states = rng.integers(0, 2, 9).astype(np.int32)
    fame, honest = np.array([0, 0, 1, 1, 1], np.int32), rng.random((2, 2))
    levels = CellLevels(*(rng.random((count, 3)) for count in (2, 3, 5)))
    rows, chance, weight = (
        np.array([2, 0, -1]),
        np.array([0.7, 0.4, 0.9]),
        np.array([0.6, 0.3, 0.1]),
    )
    evidence, mass, values = np.zeros(5), np.zeros(5), np.zeros((5, 3))
    place = np.array([3, 4, 0, -1, 1], np.int32)  # nobody asks about item 3
    table = (offsets, items, states, place, fame, honest, levels)
    listed_by_rows(rows, chance, weight, *table, evidence, mass, values)
    missed, plain_mass, plain_values = np.ones(5), np.zeros(5), np.zeros((5, 3))
    for row, own, much in ((2, 0.7, 0.6), (0, 0.4, 0.3)):
        for cell in range(offsets[row], offsets[row + 1]):
            if items[cell] == 3:
                continue
            true, at = own * honest[fame[items[cell]], states[cell]], place[items[cell]]
            missed[at] *= 1 - true
            plain_mass[at] += much
            told = levels.given_state[states[cell]] * levels.of_row[row]
            told = told * levels.of_item[items[cell]]
            plain_values[at] += true * told / told.sum()
    assert evidence == pytest.approx(1 - missed)
    assert mass == pytest.approx(plain_mass)
    assert values == pytest.approx(plain_values)


def test_the_best_level_is_that_of_the_mixture() -> None:
    rng = np.random.default_rng(1)
    evidence, values = np.array([0.0, 0.3, 1.0]), rng.random((3, 4))
    values[0] = 0
    usual, rated = rng.dirichlet(np.ones(4), 3), np.array([0.1, 0.05, 0.3])
    guess, certainty = np.zeros(3, np.int32), np.zeros(3)
    best_levels(evidence, values, usual, rated, 0.5, guess, certainty)
    tilted = usual * np.exp(0.5 * np.arange(4))
    tilted /= tilted.sum(axis=1, keepdims=True)
    shares = values / np.maximum(values.sum(axis=1, keepdims=True), 1e-300)
    theirs = (evidence / (1 - (1 - evidence) * (1 - rated)))[:, None]
    mixed = (1 - theirs) * tilted + theirs * shares
    assert guess.tolist() == mixed.argmax(axis=1).tolist()
    assert certainty == pytest.approx(mixed.max(axis=1))


def test_generosity_is_where_known_levels_are_expected() -> None:
    rng = np.random.default_rng(2)
    usual, levels = rng.dirichlet(np.ones(5), 40), rng.integers(2, 5, 40).astype(np.int32)
    tilt = generosity_of(levels, usual, 5.0, 50)
    tilted = usual * np.exp(tilt * np.arange(5))
    tilted /= tilted.sum(axis=1, keepdims=True)
    assert levels.sum() - (tilted @ np.arange(5)).sum() == pytest.approx(5.0 * tilt, abs=1e-6)
    assert tilt > 0


def test_features_are_standardised_squared_and_multiplied() -> None:
    rng = np.random.default_rng(5)
    features = rng.normal(3, 2, (30, 3)).astype(np.float32)
    centre, spread = features.mean(axis=0, dtype=float), features.std(axis=0, dtype=float)
    found = np.empty((30, 9), np.float32)
    curved(features, centre, spread, found)
    one, two, three = ((features - centre) / spread).T
    columns = [one, two, three, one**2, one * two, one * three, two**2, two * three, three**2]
    assert found == pytest.approx(np.column_stack(columns), abs=1e-4)


def test_odds_are_a_weighted_sum() -> None:
    features = np.random.default_rng(6).normal(size=(20, 3)).astype(np.float32)
    odds, slopes = np.empty(20), np.array([0.5, -2.0, 3.0])
    linear_odds(features, slopes, 0.25, odds)
    assert odds == pytest.approx(features @ slopes + 0.25)


def test_equal_confidences_are_not_ranked_by_whose_they_are() -> None:
    truth = np.repeat([True, False], 1000)
    curve = precision_curve(np.full(2000, 0.5), truth, np.repeat([0, 1], 1000), 2)
    assert curve.average_precision(np.ones((1, 2)))[0] == pytest.approx(0.5)


def test_average_precision_is_that_of_the_whole_ranking() -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(20_000) < 0.1
    confidence = rng.random(20_000) + 0.5 * truth
    person = rng.integers(0, 50, 20_000)
    curve = precision_curve(confidence, truth, person, 50)
    ranked = truth[np.argsort(-confidence)]
    precision = np.cumsum(ranked) / np.arange(1, 20_001)
    everybody = np.ones((1, 50))
    assert curve.average_precision(everybody)[0] == pytest.approx(
        precision[ranked].mean(), abs=0.005
    )
    most = np.cumsum(ranked)[precision >= 0.5].max() / 50
    assert curve.true_at(0.5, everybody)[0] == pytest.approx(most, rel=0.03)
    alone = curve.of(np.array([7])).average_precision(np.ones((1, 1)))[0]
    assert curve.each()[7] == pytest.approx(alone)


def test_chances_come_true_as_often_as_they_say() -> None:
    rng = np.random.default_rng(4)
    features = rng.normal(size=(40_000, 2)).astype(np.float32)
    truth = rng.random(40_000) < 1 / (1 + np.exp(-(features[:, 0] ** 3)))  # no straight line
    times = np.ones(40_000, np.float32)
    one, other = (
        (features[some], truth[some], times[some])
        for some in (slice(10_000), slice(10_000, 20_000))
    )
    chances = CalibratedLogistic.fit(one, other).chances(features[20_000:])
    for low in (0.1, 0.5, 0.85):
        claimed = (chances >= low) & (chances < low + 0.1)
        assert truth[20_000:][claimed].mean() == pytest.approx(chances[claimed].mean(), abs=0.05)


def test_examples_count_as_many_times_as_they_stand_for() -> None:
    """Of false examples every tenth is kept; learnt and calibrated is as if all were there."""
    rng = np.random.default_rng(5)
    features = rng.normal(size=(40_000, 2)).astype(np.float32)
    truth = rng.random(40_000) < 1 / (1 + np.exp(1 - features[:, 0]))
    kept = truth | (rng.random(40_000) < 0.1)
    times = np.where(truth, 1, 10).astype(np.float32)
    parts = [np.flatnonzero(kept)[at::4] for at in range(4)]
    one, other = ((features[some], truth[some], times[some]) for some in parts[:2])
    fitted = CalibratedLogistic.fit(one, other)
    assert fitted.chances(features).mean() == pytest.approx(truth.mean(), abs=0.02)
    both = (np.concatenate(pair) for pair in zip(one, other, strict=True))
    assert fitted.fitted.weights == pytest.approx(Logistic.fit(*both).weights)
    quarter = np.zeros(40_000, np.int64)
    for at, some in enumerate(parts):
        quarter[some] = at
    some = np.concatenate(parts)
    given = features[some], truth[some], quarter[some], np.zeros(len(some), np.bool_), times[some]
    crossed = crossed_apart(*given)
    assert np.average(crossed, weights=times[some]) == pytest.approx(truth.mean(), abs=0.02)
