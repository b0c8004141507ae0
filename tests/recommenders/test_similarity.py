"""Similarities in whole numbers, against fractions; the ranking, against sorting everything."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.core.kernels.similarity_rows import compare_shares
from recloak.core.ratings import Ratings
from recloak.core.timeline import Timeline
from recloak.recommenders.similarity import SIMILARITIES, rank, whole_units
from tests.lists.plain import raters_of
from tests.lists.samples import timed_ratings

Whole = st.integers(1, 2**62)


@given(one=st.tuples(Whole, Whole, Whole), two=st.tuples(Whole, Whole, Whole))
def test_shares_are_compared_exactly(one: tuple[int, ...], two: tuple[int, ...]) -> None:
    gap = Fraction(one[0] ** 2, one[1] * one[2]) - Fraction(two[0] ** 2, two[1] * two[2])
    assert compare_shares(*one, *two) == (gap > 0) - (gap < 0)
    assert compare_shares(*one, *one) == 0


Small = st.integers(1, 2**31 + 1)


@given(one=st.tuples(Small, Small), two=st.tuples(Small, Small), same=st.booleans())
def test_shares_of_small_numbers_are_compared_exactly(
    one: tuple[int, int], two: tuple[int, int], same: bool
) -> None:
    """Around the number from which on products need more than 128 bits, and equal shares."""
    first = (*one, 1)
    other = (one[0] * 3, one[1] * 9, 1) if same else (*two, 1)
    gap = Fraction(first[0] ** 2, first[1]) - Fraction(other[0] ** 2, other[1])
    assert compare_shares(*first, *other) == (gap > 0) - (gap < 0)
    assert compare_shares(*other, *first) == (gap < 0) - (gap > 0)


def signed_square(name: str, ratings: Ratings, j: int, x: int) -> Fraction:
    """The similarity of two items, squared but with its sign, in fractions."""
    table = np.zeros((ratings.n_users, ratings.n_items), object)
    there = np.zeros(table.shape, bool)
    units = SIMILARITIES.get(name)().units(ratings)
    users = ratings.user_codes()
    table[users, ratings.items], there[users, ratings.items] = units.tolist(), True
    a, b, both = table[:, j], table[:, x], there[:, j] & there[:, x]
    if name == "jaccard":
        return Fraction(int(both.sum()), int((there[:, j] | there[:, x]).sum())) ** 2
    if name == "pearson":
        n, p, q = int(both.sum()), a[both], b[both]
        num = n * sum(p * q) - sum(p) * sum(q)
        den = (n * sum(p * p) - sum(p) ** 2) * (n * sum(q * q) - sum(q) ** 2)
    else:
        num, den = sum(a * b), sum(a * a) * sum(b * b)
    return Fraction(int(num) * abs(int(num)), int(den)) if den else Fraction(0)


@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
@pytest.mark.parametrize("name", list(SIMILARITIES))
def test_the_ranking_is_that_of_exact_fractions(name: str, seed: int) -> None:
    ratings = timed_ratings(seed, n_users=12)
    snapshot = Timeline(ratings).at(ratings.n_ratings)
    found = rank(snapshot, SIMILARITIES.get(name)(), 4)
    for j in range(ratings.n_items):
        score = {x: signed_square(name, ratings, j, x) for x in range(ratings.n_items) if x != j}
        related = [x for x in sorted(score, key=lambda x: (-score[x], x)) if score[x] > 0]
        assert [x for x in found.top[j].tolist() if x >= 0] == related[:4]


def test_candidates_are_known_or_tell_little() -> None:
    ratings = timed_ratings(3, n_users=60)
    snapshot = Timeline(ratings).at(ratings.n_ratings)
    raters, delta = raters_of(snapshot), Fraction(1, 2)
    before = np.full((ratings.n_items, 2), -1, np.int32)
    before[:, 0] = np.where(np.arange(ratings.n_items) == 0, 1, 0)
    found = rank(snapshot, SIMILARITIES.get("cosine")(), 3, depth=20, delta=delta, before=before)
    everything = rank(snapshot, SIMILARITIES.get("cosine")(), ratings.n_items).top
    for j, row in enumerate(found.candidates.tolist()):
        expected = [
            x
            for x in everything[j].tolist()
            if x >= 0 and (x in before[j] or len(raters[x] & raters[j]) <= delta * len(raters[j]))
        ]
        assert [x for x in row if x >= 0] == expected


def test_half_stars_are_doubled_and_odd_values_kept_in_hundredths() -> None:
    assert whole_units(np.array([0.5, 5], np.float32)).tolist() == [1, 10]
    assert whole_units(np.array([1, 5], np.float32)).tolist() == [1, 5]
    assert whole_units(np.array([0.123, 2], np.float32)).tolist() == [12, 200]
