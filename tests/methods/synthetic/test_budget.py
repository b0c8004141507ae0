"""The account: μ, ε and δ against an independent library, and noise that is what is recorded."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from recloak.core.randomness import Randomness
from recloak.guarantees.differential_privacy import delta_by_integration
from recloak.methods.synthetic._exact_queries import ItemsKept, WeightedItemCounts
from recloak.methods.synthetic._noise import LEAST_SIGMA, discrete_gaussian
from recloak.methods.synthetic._private_data import Budget, PrivateRatings, Queryable
from recloak.methods.synthetic._queries import DegreeHistogram
from recloak.methods.synthetic.budget import budget_for, delta_of, epsilon_for
from recloak.testing import random_ratings
from tests.methods.synthetic.fits import RecordingQueryable, ask_everything, fit_through

EPSILONS = (0.1, 0.5, 1.0, 2.0, 8.0, 50.0)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_budget_agrees_with_another_accountant(epsilon: float) -> None:
    from dp_accounting.pld import privacy_loss_distribution as pld

    mu = budget_for(epsilon, 1e-6)
    step = 1e-4 if epsilon <= 2 else 1e-3
    theirs = pld.from_gaussian_mechanism(1 / mu, value_discretization_interval=step)
    assert theirs.get_epsilon_for_delta(1e-6) == pytest.approx(epsilon, rel=2e-3)
    assert theirs.get_delta_for_epsilon(epsilon) >= delta_of(mu, epsilon) * 0.999


def test_budgets_of_several_queries_add_up_as_another_accountant_says() -> None:
    from dp_accounting.pld import privacy_loss_distribution as pld

    mu, shares = budget_for(2.0, 1e-6), (0.05, 0.35, 0.6)
    each = [
        pld.from_gaussian_mechanism(1 / (mu * math.sqrt(share)), value_discretization_interval=1e-4)
        for share in shares
    ]
    together = each[0].compose(each[1]).compose(each[2])
    assert together.get_epsilon_for_delta(1e-6) == pytest.approx(2.0, rel=5e-3)


def test_the_budgets_of_the_table_come_out() -> None:
    found = [round(budget_for(epsilon, 1e-6), 3) for epsilon in (0.5, 1, 2, 4, 8)]
    assert found == [0.124, 0.237, 0.448, 0.838, 1.532]


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_verifier_integrates_to_what_the_formula_says(epsilon: float) -> None:
    mu = budget_for(epsilon, 1e-5)
    assert delta_by_integration(mu, epsilon) == pytest.approx(delta_of(mu, epsilon), rel=1e-5)
    assert epsilon_for(mu, 1e-5) == pytest.approx(epsilon, abs=1e-4)


def test_noise_is_normal_whole_numbers() -> None:
    for sigma in (LEAST_SIGMA, 3.7e9, 1.3e12):
        drawn = discrete_gaussian(Randomness.from_seed(5).stream("test"), sigma, 60_000)
        assert drawn.dtype == np.int64
        assert stats.kstest(drawn / sigma, "norm").pvalue > 1e-4
        assert drawn.std() / sigma == pytest.approx(1, abs=0.02)
        assert len(np.unique(drawn & 0xFFF)) == 4096  # the last bits are as random as the first


def test_too_coarse_a_grid_is_refused() -> None:
    with pytest.raises(ValueError, match="grid"):
        discrete_gaussian(Randomness.from_seed(1).stream("test"), LEAST_SIGMA / 2, 3)


def test_every_entry_of_every_query_has_the_noise_of_the_account() -> None:
    ratings = random_ratings(n_users=80, n_items=24, density=0.4)
    noise: dict[int, list[np.ndarray]] = {}
    sigmas: dict[int, float] = {}
    fits = 120
    for seed in range(fits):
        queryable = RecordingQueryable(ratings, 40, seed)
        fit_through(queryable, ratings.n_items, ratings.scale)
        for place, (asked, one, two) in enumerate(
            zip(queryable.asked[:5], queryable.answers, queryable.sums, strict=False)
        ):
            noise.setdefault(place, []).append((one - two).ravel())
            sigmas[place] = asked.sigma
    for place, drawn in noise.items():
        table = np.array(drawn)
        ratio = table.std(axis=0, ddof=1) / sigmas[place]
        assert (np.abs(ratio - 1) < 0.45).all(), place  # no entry is left exact
        chance = 4.5 / math.sqrt(2 * table.size)
        assert table.std() / sigmas[place] == pytest.approx(1, abs=chance)
        assert np.abs(table.mean(axis=0)).max() < 6 * sigmas[place] / math.sqrt(fits)


@pytest.mark.parametrize("step", ["support", "support step", "taste", "taste step"])
def test_matrices_have_noise_in_every_entry(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.methods.synthetic.test_sensitivity import _queries, crowd, ratings_of

    ask_everything(monkeypatch)
    ratings = ratings_of(crowd(0), times=True)
    query = next(query for query in _queries(0) if query.name == step)
    budget = Budget(0.5)
    exact = np.asarray(query.add_up(ratings, 0, ratings.n_users), np.float64) * 2.0**-32
    drawn = []
    for seed in range(150):
        queryable = Queryable(PrivateRatings(ratings), budget, Randomness.from_seed(seed))
        drawn.append((queryable.ask(query, 0.3) - exact).ravel())
    ratio = np.array(drawn).std(axis=0, ddof=1) / queryable.asked[0].sigma
    assert ratio.min() > 0.65
    assert ratio.max() < 1.4


def test_nothing_is_asked_beyond_the_budget() -> None:
    ratings = random_ratings()
    queryable = Queryable(PrivateRatings(ratings), Budget(1.0), Randomness.from_seed(1))
    query = DegreeHistogram(np.array([1, 10, 41]))
    queryable.ask(query, 0.7)
    with pytest.raises(ValueError, match="spent"):
        queryable.ask(query, 0.31)
    with pytest.raises(ValueError, match="no bound"):
        everything = ItemsKept.of(np.ones(ratings.n_items, np.bool_))
        queryable.ask(WeightedItemCounts(everything, 40.0), 0.1)
    with pytest.raises(ValueError, match="share"):
        queryable.ask(query)
    assert len(queryable.asked) == 1
