from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recloak.attacks._postings import (
    CANDIDATE,
    matching_range,
    position_of,
    postings_of,
    ranks_of,
    rows_of,
)
from recloak.core.ratings import Ratings
from recloak.testing import random_ratings

floats = st.floats(width=32, allow_nan=False, allow_infinity=False)


def ranks(*values: float) -> list[int]:
    return ranks_of(np.array(values, np.float32).view(np.int32)).tolist()


@given(floats, floats)
def test_ranks_sort_as_the_values_do(one: float, two: float) -> None:
    first, second = ranks(one, two)
    assert (first < second, first == second) == (one < two, one == two)


@given(seed=st.integers(0, 10**6), low=st.floats(-3, 3), width=st.floats(0, 3))
def test_a_range_holds_the_rows_whose_value_lies_in_it(seed: int, low: float, width: float) -> None:
    plain = random_ratings(20, 6, 0.5, seed)
    ratings = plain.with_values((plain.values - 3) / np.float32(2))
    made, ends = postings_of(ratings), ranks(low, low + width)
    for item in range(ratings.n_items):
        start, end = matching_range(made, item, *ends)
        found = made.first[made.keys[start:end] & CANDIDATE]
        wanted = {
            int(made.first[made.candidate_of[user]])
            for user in range(ratings.n_users)
            for one, value in zip(*ratings.row(user), strict=True)
            if one == item and np.float32(low) <= value <= np.float32(low + width)
        }
        assert sorted(found.tolist()) == sorted(wanted)
    assert matching_range(made, -1, *ends) == (0, 0)


def test_identical_rows_are_one_candidate_unless_rows_stand_for_themselves() -> None:
    ratings = Ratings.from_columns([1, 1, 2, 3, 3], [7, 8, 7, 7, 8], [0, 4, 5, -0.0, 4])
    made = postings_of(ratings)
    assert made.candidate_of.tolist() == [0, 1, 0]
    assert made.sizes.tolist() == [2, 1]
    assert made.first.tolist() == [0, 1]
    assert len(made.keys) == 3
    every = postings_of(ratings, distinct=False)
    assert every.candidate_of.tolist() == every.first.tolist() == [0, 1, 2]
    assert len(every.keys) == 5


def test_a_rating_is_found_in_its_row() -> None:
    ratings = random_ratings(10, 8, 0.5)
    rows = rows_of(ratings)
    for user in range(10):
        items = ratings.row(user)[0].tolist()
        places = [position_of(rows, user, item) for item in range(8)]
        assert [item for item in range(8) if places[item] >= 0] == items
        assert [ratings.items[place] for place in places if place >= 0] == items
