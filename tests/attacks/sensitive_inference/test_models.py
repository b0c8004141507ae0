"""The models of sensitive answers agree with plain readings of them, and so does their blend."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.attacks._answer_distances import UNKNOWN
from recloak.attacks.sensitive_inference._models import log_chances, weigh_rows
from recloak.attacks.sensitive_inference._outcomes import StatedAnswers, fit
from recloak.core.progress import SILENT
from recloak.core.survey import Survey
from tests.attacks.survey_linking.test_kernels import R, between


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), n=st.integers(1, 20), issues=st.integers(1, 4))
def test_rows_weigh_as_a_plain_reader_weighs_them(seed: int, n: int, issues: int) -> None:
    rng = np.random.default_rng(seed)
    known = rng.integers(-1, R, (n, issues)).astype(np.int8)
    hidden = rng.integers(-1, R, (n, 2)).astype(np.int8)
    queries = rng.integers(UNKNOWN, R, (5, issues)).astype(np.int8)
    weights = np.array([[1.0, 0.5, 0.25], [1.0, 0.1, 0.01]])
    votes = np.zeros((5, 2, 2, R))
    weigh_rows(0, 5, queries, known, hidden, R, weights, votes)
    for person, wanted in enumerate(queries.tolist()):
        far = [
            sum(between(w, k) for w, k in zip(wanted, row, strict=True) if w != UNKNOWN)
            for row in known.tolist()
        ]
        expected = np.zeros((2, 2, R))
        for row, distance in enumerate(far):
            for issue in range(2):
                if distance - min(far) < 3 and hidden[row, issue] >= 0:
                    expected[:, issue, hidden[row, issue]] += weights[:, distance - min(far)]
        assert np.allclose(votes[person], expected)


def small_survey() -> Survey:
    known = np.array([[0, 1], [0, 0], [1, -1], [1, 1]], np.int8)
    hidden = np.array([[0], [0], [1], [-1]], np.int8)
    return Survey(known, hidden, ("a", "b"), ("s",), 2, np.arange(4))


def test_naive_bayes_by_hand() -> None:
    """One is added to each count; no answer is an answer; who gave no sensitive one is left out."""
    learnt = log_chances(np.array([[0, UNKNOWN], [1, -1]], np.int8), small_survey(), SILENT)
    prior = np.array([2.5, 1.5]) / 4
    first = prior * [3 / 5, 1 / 4]
    second = prior * [1 / 5, 2 / 4] * [1 / 5, 2 / 4]
    for at, expected in enumerate((first, second)):
        assert np.allclose(np.exp(learnt[at, 0, :, 2]), expected / expected.sum())


def test_the_nearest_rows_count_beside_half_a_row_of_everybody() -> None:
    nearest = log_chances(np.array([[1, -1]], np.int8), small_survey(), SILENT)[0, 0, :, 1]
    overall = np.array([2.5, 1.5]) / 4
    far = [3, 3, 0]  # of the rows that answered, in levels; an answer and none are 2 apart
    weighed = [math.exp(-5 * at) for at in far]
    votes = np.array([weighed[0] + weighed[1], weighed[2]]) + 0.5 * overall
    assert np.allclose(np.exp(nearest), votes / votes.sum())


def test_the_blend_trusts_the_model_that_is_right() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, (200, 1)).astype(np.int8)
    right = np.where(np.arange(3) == truth[:, :, None], np.log(0.8), np.log(0.1))
    models = np.stack([right, rng.permuted(right, axis=2)], axis=3)
    weights = fit(models, truth)
    assert weights[0] > 5 * abs(weights[1])
    assert fit(models, np.full_like(truth, -1)).tolist() == [0.5, 0.5], "nothing was learnt"


def test_equal_chances_are_guessed_among() -> None:
    chances = np.array([[[0.5, 0.5, 0.0]], [[0.1, 0.2, 0.7]], [[0.1, 0.9, 0.0]], [[1, 0, 0]]])
    truth = np.array([[1], [2], [0], [-1]], np.int8)
    stated = StatedAnswers.of(chances, truth, np.array([0], np.int8))
    assert stated.inferred.tolist() == [0.5, 1, 0]
    assert [each.tolist() for each in stated.surely()] == [[0, 0, 1], [0, 0, 0], [1, 1, 1]]
    assert stated.of_the_surest.tolist() == [0]
    assert stated.guessed[:, 0].tolist() == [0, 0, 1]
