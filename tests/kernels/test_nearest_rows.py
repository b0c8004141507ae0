from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recloak.kernels.nearest_rows import distance, row_norms, values_at
from recloak.measures import neighbours
from recloak.measures.neighbours import Search
from recloak.measures.published import Published
from recloak.ratings import Ratings
from tests.samples import random_ratings


def full(ratings: Ratings, base: np.ndarray) -> np.ndarray:
    table = np.tile(base, (ratings.n_users, 1))
    table[ratings.user_codes(), ratings.items] = ratings.values
    return table


def in_order(gaps: np.ndarray) -> float:
    """The sum of squares from the first item to the last, as the definition has it."""
    total = 0.0
    for gap in gaps.tolist():
        total += gap * gap
    return total


def drawn(seed: int, people: int, rows: int) -> tuple[Search, np.ndarray, np.ndarray]:
    """Few different values, so that many rows are equally near."""
    rng = np.random.default_rng(seed)
    one, two = (random_ratings(count, 8, 0.3, seed + at) for at, count in enumerate((people, rows)))
    items = sorted({*one.item_labels.tolist(), *two.item_labels.tolist()})
    one, two = (_coded(ratings, items) for ratings in (one, two))
    base = rng.choice([3.0, 2.7, 3.1], len(items))
    none = np.zeros(people + 1, np.int64)
    published = Published(two, base, none, np.empty(0, np.int64))
    compared = rng.random(len(items)) < 0.8
    search = Search(one, published, np.arange(people), compared)
    return search, full(one, base), full(two, base)


def _coded(ratings: Ratings, items: list[int]) -> Ratings:
    names = np.array(items)
    codes = np.searchsorted(names, ratings.item_labels).astype(np.int32)
    return replace(ratings, items=codes[ratings.items], item_labels=names)


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 30))
def test_both_searches_find_the_first_of_the_nearest(seed: int, people: int, rows: int) -> None:
    search, own, told = drawn(seed, people, rows)
    expected = [
        int(np.argmin([in_order((row - mine)[search.compared]) for row in told])) for mine in own
    ]
    assert search.by_index().tolist() == expected
    assert search.by_tables().tolist() == expected


@given(st.integers(0, 10**6))
def test_blocks_do_not_matter(seed: int) -> None:
    search, _, _ = drawn(seed, 9, 30)
    whole = search.by_tables().tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbours, "CELLS_PER_BLOCK", 24)
        patch.setattr(neighbours, "PEOPLE_PER_BLOCK", 2)
        assert search.by_tables().tolist() == whole
        assert search.by_index().tolist() == whole


@given(st.integers(0, 10**6))
def test_distances_lengths_and_values(seed: int) -> None:
    search, own, told = drawn(seed, 4, 6)
    rows, base, compared = search.published.rows, search.published.base, search.compared
    lengths = row_norms(rows.offsets, rows.items, rows.values, base, compared)
    np.testing.assert_allclose(lengths, ((told - base)[:, compared] ** 2).sum(axis=1))
    for user in range(4):
        gap = distance(*search.original.row(user), *rows.row(2), base, compared)
        assert gap == in_order((own[user] - told[2])[compared])
    asked = np.tile(np.arange(len(base), dtype=np.int32), 6)
    at = np.repeat(np.arange(6), len(base))
    said = values_at(at, asked, rows.offsets, rows.items, rows.values, base)
    assert said.tolist() == told.ravel().tolist()
