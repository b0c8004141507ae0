"""Chances that trees tell: beside sums, where signs depend on each other, and on the other half."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.attacks.inference import _tree_chances
from recloak.attacks.inference._confidence import crossed_apart
from recloak.attacks.inference._tree_chances import crossed_by_trees
from recloak.core.arrays import Floats, Integers, Mask, Values


def of_folds(count: int) -> tuple[Values, Mask, Integers]:
    """True mostly where two signs agree, which no weighted sum expresses; two say nothing."""
    rng = np.random.default_rng(5)
    features = rng.normal(size=(count, 4)).astype(np.float32)
    truth = (features[:, 0] * features[:, 1] > 0.3) ^ (rng.random(count) < 0.1)
    return features, truth, np.arange(count) % 4


def by_trees(features: Values, truth: Mask, quarter: Integers) -> Floats:
    return crossed_by_trees(features, truth, quarter, np.random.default_rng(0))


def loss(chance: Floats, truth: Mask) -> float:
    return float(-np.log(np.where(truth, chance, 1 - chance) + 1e-6).mean())


def test_trees_tell_what_sums_cannot() -> None:
    features, truth, quarter = of_folds(3000)
    by_sums = crossed_apart(features, truth, quarter, np.ones(len(truth), np.bool_))
    assert loss(by_trees(features, truth, quarter), truth) < 0.8 * loss(by_sums, truth)


def test_a_chance_comes_true_as_often_as_it_says() -> None:
    features, truth, quarter = of_folds(8000)
    chance = by_trees(features, truth, quarter)
    for low, high in ((0.0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1.01)):
        some = (chance >= low) & (chance < high)
        assert some.sum() > 50
        assert truth[some].mean() == pytest.approx(chance[some].mean(), abs=0.08)


def test_nobody_speaks_for_themselves() -> None:
    """The chances of a half stay as they are whatever is true of it."""
    features, truth, quarter = of_folds(800)
    chance = by_trees(features, truth, quarter)
    other = by_trees(features, np.where(quarter < 2, ~truth, truth), quarter)
    assert np.array_equal(chance[quarter < 2], other[quarter < 2])
    assert not np.array_equal(chance[quarter >= 2], other[quarter >= 2])


def test_of_many_examples_some_are_learnt_from(monkeypatch: pytest.MonkeyPatch) -> None:
    features, truth, quarter = of_folds(4000)
    everything = by_trees(features, truth, quarter)
    nothing = float(truth.mean())
    monkeypatch.setattr(_tree_chances, "MOST_TAUGHT", 500)
    some = by_trees(features, truth, quarter)
    assert not np.array_equal(some, everything)
    assert loss(everything, truth) < loss(some, truth)
    assert loss(some, truth) < 0.8 * loss(np.full(len(truth), nothing), truth)


@pytest.mark.parametrize("true", [False, True])
def test_where_all_are_alike_so_are_the_chances(true: bool) -> None:
    features, _, quarter = of_folds(40)
    assert (by_trees(features, np.full(40, true), quarter) == true).all()


def test_of_nobody_nothing_is_told() -> None:
    features, truth, quarter = of_folds(40)
    assert len(by_trees(features[:0], truth[:0], quarter[:0])) == 0
    assert not by_trees(features, truth, np.zeros(40, np.int64)).any()
