"""Made-up ratings behave like the real ones: tails, tastes, times, uniqueness."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recloak.core.ratings import Ratings
from recloak.simulation import DATASET_MODELS, synthesize


@pytest.fixture(scope="module")
def films() -> Ratings:
    """As large as MovieLens 100k."""
    return synthesize("ml-100k", seed=1)


def top_tenth(counts):
    return np.sort(counts)[::-1][: len(counts) // 10].sum() / counts.sum()


def singled_out(ratings: Ratings, picked: str, values: bool = True) -> float:
    """Share of users whom four of their items leave as the only candidate."""
    rng, alone = np.random.default_rng(0), 0
    view = ratings.by_item
    for user in range(ratings.n_users):
        items, rated = ratings.row(user)
        rarest_first = np.argsort(ratings.item_support[items])
        known = rng.choice(len(items), 4, False) if picked == "random" else rarest_first[:4]
        fits = np.zeros(ratings.n_users, int)
        for at in known:
            here = slice(view.offsets[items[at]], view.offsets[items[at] + 1])
            fits[view.users[here][(view.values[here] == rated[at]) if values else slice(None)]] += 1
        alone += (fits == 4).sum() == 1
    return alone / ratings.n_users


def test_most_people_are_singled_out_by_four_known_items(films):
    assert singled_out(films, "rarest") >= 0.95
    assert 0.84 <= singled_out(films, "random") <= 0.95
    assert 0.02 <= singled_out(films, "random", values=False) <= 0.2


def test_few_users_and_few_items_hold_much_of_the_ratings(films):
    assert 0.28 <= top_tenth(films.user_counts) <= 0.38
    assert 0.38 <= top_tenth(films.item_support) <= 0.48


def test_values_have_the_shares_asked_for(films):
    shares = np.bincount(films.values.astype(int), minlength=6)[1:] / films.n_ratings
    np.testing.assert_allclose(shares, DATASET_MODELS["ml-100k"].shares, atol=0.015)


def holdout_errors(ratings: Ratings, factors: int = 8, penalty: float = 8.0):
    """RMSE of the item mean, of biases and of factors by alternating least squares."""
    test = np.random.default_rng(0).random(ratings.n_ratings) < 0.1
    train = ratings.keep(~test)
    users, items, values = ratings.user_codes()[test], ratings.items[test], ratings.values[test]
    matrix = train.to_csr().astype(np.float64)
    cells = matrix.copy()
    cells.data[:] = 1.0
    mean = matrix.data.mean()
    support, activity = cells.sum(axis=0), cells.sum(axis=1)
    item_bias = (matrix.sum(axis=0) - mean * support) / (support + 3)
    user_bias = (matrix.sum(axis=1) - mean * activity - cells @ item_bias) / (activity + 8)
    guess = mean + user_bias[users] + item_bias[items]
    left = matrix.copy()
    left.data -= mean + np.repeat(user_bias, np.diff(matrix.indptr)) + item_bias[matrix.indices]
    q = np.random.default_rng(1).normal(0, 0.3, (ratings.n_items, factors))
    for _ in range(8):
        p = solved(left, cells, q, penalty)
        q = solved(left.T.tocsr(), cells.T.tocsr(), p, penalty)
    taste = (p[users] * q[items]).sum(axis=1)
    guesses = (mean + item_bias[items], guess, guess + taste)
    return [float(np.sqrt(np.mean((values - each) ** 2))) for each in guesses]


def solved(left, cells, other, penalty):
    factors = other.shape[1]
    squares = (other[:, :, None] * other[:, None, :]).reshape(len(other), -1)
    normal = (cells @ squares).reshape(-1, factors, factors) + penalty * np.eye(factors)
    return np.linalg.solve(normal, (left @ other)[:, :, None])[:, :, 0]


def test_tastes_can_be_learnt():
    item_mean, biases, factorisation = holdout_errors(synthesize("ml-1m", users=3000, seed=1))
    assert 0.93 <= item_mean <= 1.03
    assert 0.05 <= item_mean - biases <= 0.1
    assert 0.02 <= biases - factorisation <= 0.08


def unevenness(ratings: Ratings) -> float:
    """How far pairs of popular items are from being rated together as often as by chance."""
    popular = np.argsort(-ratings.item_support)[:100]
    rated = (ratings.to_csr().toarray()[:, popular] > 0).astype(float)
    share, keen = rated.mean(axis=0), rated.sum(axis=1) / rated.sum(axis=1).mean()
    expected = np.outer(share, share) * len(rated) * (keen**2).mean()
    pairs = np.triu_indices(100, 1)
    return float(np.log((rated.T @ rated)[pairs] / expected[pairs]).std())


def test_what_people_rate_depends_on_their_tastes(films, monkeypatch):
    indifferent = replace(DATASET_MODELS["ml-100k"], choosiness=0.0)
    monkeypatch.setitem(DATASET_MODELS, "indifferent", indifferent)
    assert unevenness(films) > 1.5 * unevenness(synthesize("indifferent", seed=1))


def test_times_lie_in_the_span_and_most_people_come_once(films):
    time_model = DATASET_MODELS["ml-100k"].time_model
    assert films.times.min() >= time_model.begin
    assert films.times.max() <= time_model.end
    stays = [
        np.ptp(films.times[a:b]) for a, b in zip(films.offsets, films.offsets[1:], strict=False)
    ]
    assert 0.5 <= np.mean(np.array(stays) < 86_400) <= 0.8
    assert max(stays) > 30 * 86_400


def test_popularity_drifts():
    ratings = synthesize("ml-10m", users=4000, seed=1)
    thirds = np.digitize(ratings.times, np.quantile(ratings.times, [1 / 3, 2 / 3]))
    early, middle, late = (
        np.bincount(ratings.items[thirds == t], minlength=ratings.n_items) for t in range(3)
    )
    near = np.corrcoef(np.log1p(early), np.log1p(middle))[0, 1]
    far = np.corrcoef(np.log1p(early), np.log1p(late))[0, 1]
    assert far < near < 0.98


def test_netflix_times_are_days():
    assert (synthesize("netflix", users=50, seed=1).times % 86_400 == 0).all()


def test_jester_is_dense_and_has_two_decimals():
    ratings = synthesize("jester", users=500, seed=1)
    assert ratings.times is None
    assert np.mean(ratings.user_counts == 100) >= 0.25
    hundredths = 100 * ratings.values.astype(float)
    np.testing.assert_allclose(hundredths, np.rint(hundredths), atol=1e-3)


def test_of_book_crossing_most_people_rate_one_book_and_most_books_are_rated_once():
    ratings = synthesize("book-crossing", users=20_000, seed=1)
    people, books = ratings.user_counts, ratings.item_support
    assert np.median(people) == np.median(books) == 1
    assert people.mean() == pytest.approx(10.9, abs=0.1)
    assert 1.8 <= books.mean() <= 3.4
    # of the real people 899 in 105,283 have 200 ratings or more, and nearly half of all ratings
    assert 0.007 <= np.mean(people >= 200) <= 0.011
    assert 0.42 <= people[people >= 200].sum() / ratings.n_ratings <= 0.5
    assert top_tenth(books) > 0.5
    assert 0.58 <= np.mean(ratings.values == 0) <= 0.67


def test_survey_answers_and_gaps_go_together():
    ratings = synthesize("survey", users=4000, seed=1)
    answered = ratings.to_csr().toarray() > 0
    assert np.mean(answered.all(axis=1)) == pytest.approx(0.6, abs=0.001)
    blocks = answered.reshape(len(answered), 4, 5)
    mixed = blocks.any(axis=2) & ~blocks.all(axis=2)
    assert mixed.sum() <= 1
    answers = np.corrcoef(ratings.to_csr().toarray()[answered.all(axis=1)], rowvar=False)
    within = [answers[5 * b : 5 * b + 5, 5 * b : 5 * b + 5].mean() for b in range(4)]
    assert np.mean(within) > answers.mean() + 0.05
    assert np.abs(answers[np.triu_indices(20, 1)]).mean() > 0.15


@pytest.mark.real
def test_close_to_the_real_movielens(real_data: Path, films):
    table = np.loadtxt(real_data / "ml-100k" / "u.data", dtype=np.int64)
    real = Ratings.from_columns(*table.T, scale="1..5")
    assert top_tenth(films.user_counts) == pytest.approx(top_tenth(real.user_counts), abs=0.03)
    assert top_tenth(films.item_support) == pytest.approx(top_tenth(real.item_support), abs=0.03)
    assert films.values.mean() == pytest.approx(real.values.mean(), abs=0.05)
    for picked in ("random", "rarest"):
        known = singled_out(real, picked)
        assert singled_out(films, picked) == pytest.approx(known, abs=0.04)
    np.testing.assert_allclose(holdout_errors(films), holdout_errors(real), atol=0.02)
