from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recloak.core.kernels.layout import (
    by_item,
    expand,
    in_item_order,
    offsets_of,
    stable_order,
    transpose,
)
from recloak.testing import random_ratings

codes = st.lists(st.integers(0, 9), max_size=50).map(lambda some: np.array(some, dtype=np.int32))


@given(codes)
def test_stable_order_is_argsort(some: np.ndarray) -> None:
    assert stable_order(some, 10).tolist() == np.argsort(some, kind="stable").tolist()


@given(codes)
def test_offsets_are_cumulated_counts(some: np.ndarray) -> None:
    offsets = offsets_of(some, 10)
    assert offsets.tolist() == [0, *np.cumsum(np.bincount(some, minlength=10)).tolist()]
    assert expand(offsets).tolist() == sorted(some.tolist())


def test_ratings_by_item_are_in_stable_order() -> None:
    ratings = random_ratings(30, 20)
    numbers = np.arange(ratings.n_ratings, dtype=np.int32)
    order = stable_order(ratings.items, ratings.n_items)
    offsets, users, moved = by_item(ratings.offsets, ratings.items, numbers, ratings.n_items)
    assert offsets.tolist() == offsets_of(ratings.items, ratings.n_items).tolist()
    assert moved.tolist() == order.tolist()
    assert users.tolist() == expand(ratings.offsets)[order].tolist()
    assert in_item_order(ratings.items, numbers, offsets).tolist() == order.tolist()


def test_transpose_is_that_of_the_matrix() -> None:
    ratings = random_ratings(30, 20)
    offsets, users, values = transpose(
        ratings.offsets, ratings.items, ratings.values, ratings.n_items
    )
    dense = np.zeros((20, 30), dtype=np.float32)
    for item in range(20):
        here = slice(offsets[item], offsets[item + 1])
        dense[item, users[here]] = values[here]
    assert (dense == ratings.to_csr().toarray().T[:20]).all()
