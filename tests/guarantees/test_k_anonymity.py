from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recloak.core.errors import ParameterError
from recloak.core.ratings import Ratings
from recloak.guarantees import guarantee
from recloak.testing import GuaranteeContract, from_rows, random_ratings


class TestKAnonymity(GuaranteeContract):
    name = "k-anonymity"
    parameters = {"k": 2}

    def keeping(self) -> Ratings:
        return from_rows(
            {"a": {"x": 1, "y": 2}, "b": {"x": 1, "y": 2}, "c": {"z": 3}, "d": {"z": 3}}
        )

    def breaking(self) -> Ratings:
        return from_rows(
            {"a": {"x": 1, "y": 2}, "b": {"x": 1, "y": 2}, "c": {"z": 3}, "d": {"z": 4}}
        )

    def test_values_count_only_if_asked_for(self) -> None:
        assert self.make(values=False).check(self.breaking()).holds

    def test_the_witness_is_a_row_that_stands_alone(self) -> None:
        witness = self.make().check(self.breaking()).witness
        assert witness == {
            "row": "c",
            "rows like it": 1,
            "ratings": 1,
            "first items": ["z"],
            "their values": [3.0],
        }

    @pytest.mark.parametrize("k", [1, 0, -3, "x"])
    def test_k_must_be_at_least_two(self, k: object) -> None:
        with pytest.raises(ParameterError):
            self.make(k=k)

    def test_plus_and_minus_zero_are_the_same_rating(self) -> None:
        rows = Ratings.from_columns([1, 2], [1, 1], np.array([0.0, -0.0]), scale="-1..1")
        assert self.make().check(rows).holds


def smallest_group(ratings: Ratings, values: bool) -> int:
    """The plain way: rows as tuples, counted."""
    rows = []
    for user in range(ratings.n_users):
        items, rated = ratings.row(user)
        rows.append(tuple(zip(items, rated, strict=True)) if values else tuple(items))
    return min(Counter(rows).values())


@given(seed=st.integers(0, 10**6), n_items=st.integers(1, 6), values=st.booleans())
def test_agrees_with_counting_tuples(seed: int, n_items: int, values: bool) -> None:
    ratings = random_ratings(30, n_items, 0.5, seed)
    expected = smallest_group(ratings, values)
    for k in (2, 3, 5):
        verdict = guarantee(f"k-anonymity:k={k},values={values}").check(ratings)
        assert verdict.holds == (expected >= k)
