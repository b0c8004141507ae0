"""Extremely randomised trees beside those of scikit-learn, and where the answer is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from recloak.attacks import _trees
from recloak.attacks._tree_kernels import LEAST_LEAF
from recloak.attacks._trees import TreeShares, tree_shares
from recloak.core.arrays import Floats, Mask


class Counted:
    """A task that only counts."""

    done = 0.0

    def advance(self, amount: float = 1) -> None:
        self.done += amount


def shares(examples: Floats, truth: Mask, asked: Floats, seed: int = 0) -> TreeShares:
    return tree_shares(examples, truth, asked, np.random.default_rng(seed), Counted())


def area(scored: Floats, truth: Mask) -> float:
    """The area under the ROC curve."""
    found = stats.mannwhitneyu(scored[truth], scored[~truth]).statistic
    return float(found / (truth.sum() * (~truth).sum()))


def of_folds(count: int, seed: int) -> tuple[Floats, Mask]:
    """True in places that no weighted sum bounds, one in ten wrong; six features say nothing."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(count, 9))
    height = np.abs(features[:, 0]) + features[:, 1] * (features[:, 2] > 0)
    return features, (height > 0.8) ^ (rng.random(count) < 0.1)


def test_tell_what_those_of_scikit_learn_tell() -> None:
    ensemble = pytest.importorskip("sklearn.ensemble", reason="scikit-learn is not installed")
    features, truth = of_folds(900, 1)
    theirs = ensemble.ExtraTreesClassifier(
        100, min_samples_leaf=LEAST_LEAF, bootstrap=True, random_state=0
    )
    chance = theirs.fit(features[:400], truth[:400]).predict_proba(features[400:])[:, 1]
    ours = shares(features[:400], truth[:400], features[400:]).asked
    assert area(ours, truth[400:]) == pytest.approx(area(chance, truth[400:]), abs=0.03)
    assert area(ours, truth[400:]) > 0.8
    assert ours == pytest.approx(chance, abs=0.11)  # random thresholds alone: .12 to .17


def test_nothing_is_learnt_where_nothing_is_to_be_learnt() -> None:
    rng = np.random.default_rng(3)
    features, truth = rng.normal(size=(1200, 6)), rng.random(1200) < 0.5
    found = shares(features[:600], truth[:600], features[600:])
    assert 0.44 < area(found.examples, truth[:600]) < 0.56
    assert 0.44 < area(found.asked, truth[600:]) < 0.56


def test_shares_of_two_leaves() -> None:
    """All trees ask for the one feature that says something, whatever else there is."""
    features = np.column_stack([np.ones(60), np.repeat([0.0, 1.0], 30), np.zeros(60)])
    truth = features[:, 1] == 1
    found = shares(features, truth, np.array([[1.0, -7, 0], [1, 7, 0]]))
    assert found.asked.tolist() == [0, 1]
    assert found.examples.tolist() == truth.astype(float).tolist()


@pytest.mark.parametrize(("grown_on", "parted"), [(2 * LEAST_LEAF - 1, False), (12, True)])
def test_a_leaf_holds_five_examples(grown_on: int, parted: bool) -> None:
    count = grown_on * 3 // 2
    features = np.linspace(0, 1, count)[:, None]
    found = shares(features, features[:, 0] > 0.5, np.array([[0.0], [1.0]])).asked
    assert (found[1] > found[0]) == parted


def test_follows_from_the_seed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    features, truth = of_folds(200, 4)
    before, counted = features.copy(), Counted()
    first = shares(features, truth, features)
    monkeypatch.setattr(_trees, "TREES_AT_ONCE", 150)
    again = tree_shares(features, truth, features, np.random.default_rng(0), counted)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, shares(features, truth, features, seed=1))
    assert np.array_equal(features, before)
    assert counted.done == pytest.approx(1)


@pytest.mark.parametrize("count", [0, 1, 2, 40])
@pytest.mark.parametrize("width", [1, 3])
def test_few_rows_one_kind_and_features_that_say_nothing(count: int, width: int) -> None:
    rng = np.random.default_rng(count)
    asked = np.ones((2, width))
    for features in (np.ones((count, width)), rng.normal(size=(count, width))):
        for truth in (np.zeros(count, np.bool_), np.ones(count, np.bool_)):
            found = shares(features, truth, asked)
            expected = float(truth.any()) if count > 1 else 0.0
            assert found.asked.tolist() == [expected] * 2
            assert len(found.examples) == count
    assert len(shares(np.ones((30, width)), np.arange(30) > 9, np.empty((0, width))).asked) == 0
