"""P-values: those of scipy, which is too slow to load with every publication."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from recloak.auditing.leak_scan import _p_values as p_value
from recloak.auditing.leak_scan._incomplete_functions import lower_beta, upper_gamma

SIZES = (20, 21, 400, 30_000)


@pytest.mark.parametrize("n", SIZES)
def test_a_distribution_far_off_has_the_p_value_of_scipy(n: int) -> None:
    rng = np.random.default_rng(n)
    for power in (0.5, 0.8, 1.3, 2.0):
        values = np.sort(rng.random(n) ** power)
        wanted = stats.kstest(values, "uniform").pvalue
        found = p_value.of_distribution(values)
        assert found >= wanted * (1 - 1e-6)
        if wanted < 1e-3:
            assert found == pytest.approx(wanted, rel=1e-4, abs=1e-300)


@pytest.mark.parametrize("n", SIZES)
def test_counts_coins_and_ranks_have_the_p_values_of_scipy(n: int) -> None:
    rng = np.random.default_rng(n)
    for bias in (0.5, 0.52, 0.6):
        digits = np.bincount(rng.binomial(9, bias, n), minlength=10)
        assert p_value.of_even_counts(digits) == pytest.approx(stats.chisquare(digits).pvalue)
        heads = int(rng.binomial(n, bias))
        assert p_value.of_coin(heads, n) == pytest.approx(stats.binomtest(heads, n).pvalue)
        values = np.round(rng.normal(size=n) + np.arange(n) * (bias - 0.5) / 5, 1)
        wanted = stats.pearsonr(np.arange(n, dtype=float), stats.rankdata(values)).pvalue
        assert p_value.of_rank_correlation(values) == pytest.approx(wanted, rel=1e-6, abs=1e-200)


def test_the_ratio_of_variances_has_the_p_value_of_scipy() -> None:
    for ratio in (0.2, 1.0, 3.0, 40.0):
        wanted = stats.f.sf(ratio, 7, 300)
        assert p_value.of_variance_ratio(ratio, 7, 300) == pytest.approx(wanted)


def test_perfect_order_is_beyond_chance_and_two_values_never_are() -> None:
    assert p_value.of_rank_correlation(np.arange(50.0)) == 0
    assert p_value.of_rank_correlation(np.array([1.0, 2.0])) == 1
    assert p_value.of_rank_correlation(np.ones(50)) == 1


@pytest.mark.parametrize("a", [0.5, 1, 4.5, 60, 5000])
def test_incomplete_functions_are_those_of_scipy(a: float) -> None:
    for share in (0.01, 0.3, 0.9, 1.0, 1.4, 3.0):
        assert upper_gamma(a, a * share) == pytest.approx(special.gammaincc(a, a * share), 1e-9)
        for b in (0.5, 3, 400):
            x = min(0.999, share * a / (a + b))
            assert lower_beta(a, b, x) == pytest.approx(special.betainc(a, b, x), 1e-9)
    assert (lower_beta(a, 2, 0), lower_beta(a, 2, 1), upper_gamma(a, 0)) == (0, 1, 1)
