from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recloak.measures.distortion import squared_errors
from recloak.testing import random_ratings


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 9))
def test_equals_two_full_tables(seed: int, people: int, items: int) -> None:
    """People with no, one or several rows, some rows with several people, cells told twice."""
    rng = np.random.default_rng(seed)
    original, rows = (random_ratings(count, items, 0.4, seed + count) for count in (people, 7))
    base = rng.normal(3, 1, items)
    owned = [np.sort(rng.choice(7, rng.integers(0, 4), replace=False)) for _ in range(people)]
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in owned])]).astype(np.int64)
    own = (original.offsets, original.items, original.values)
    published = (rows.offsets, rows.items, rows.values)
    found = squared_errors(
        0, people, *own, offsets, np.concatenate(owned).astype(np.int64), *published, base
    )
    truth, known = np.tile(base, (people, 1)), np.zeros((people, items), bool)
    predicted = truth.copy()
    for user in range(people):
        cells, values = original.row(user)
        truth[user, cells], known[user, cells] = values, True
        for row in owned[user][::-1]:
            cells, values = rows.row(row)
            predicted[user, cells] = values
    errors = (truth - predicted) ** 2
    assert found == pytest.approx((errors.sum(), errors[known].sum()))
