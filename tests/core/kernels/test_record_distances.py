"""The kernels of nearest records against plain dense arrays."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from recloak.core.kernels.record_distances import (
    OwnCandidates,
    SearchedRecords,
    centred_norms,
    decide,
    fill_dense,
    screen_by_items,
    screening_slack,
    squared_distance,
    values_at,
)
from recloak.core.ratings import Ratings
from recloak.testing import random_ratings


def dense(ratings: Ratings, base: NDArray[np.float64]) -> NDArray[np.float64]:
    full = np.tile(base, (ratings.n_users, 1))
    full[ratings.user_codes(), ratings.items] = ratings.values
    return full


def two_tables(seed: int, n_items: int = 9) -> tuple[Ratings, Ratings, NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    one, two = (random_ratings(8, n_items, 0.5, seed=seed + at) for at in (0, 1000))
    items = min(one.n_items, two.n_items)
    one, two = (table.keep(table.items < items) for table in (one, two))
    return one, two, rng.uniform(1, 5, max(one.n_items, two.n_items))


def plain_nearest(
    queries: NDArray[np.float64], candidates: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Which candidates are nearest to each query, ties included."""
    gaps = np.square(queries[:, None, :] - candidates[None, :, :]).sum(axis=2)
    return np.asarray(gaps <= gaps.min(axis=1, keepdims=True) * (1 + 1e-6))


@given(seed=st.integers(0, 300))
def test_the_canonical_distance_is_over_all_cells(seed: int) -> None:
    one, two, base = two_tables(seed)
    apart = dense(one, base)[0] - dense(two, base)[1]
    found = squared_distance(*one.row(0), *two.row(1), base)
    assert np.isclose(found, np.square(apart).sum())


@given(seed=st.integers(0, 300))
def test_both_ways_of_screening_agree_with_dense_arrays(seed: int) -> None:
    one, two, base = two_tables(seed)
    norms = centred_norms(two.offsets, two.items, two.values, base)
    rows = np.array([3, 0, 5])
    queries = (dense(one, base) - base)[rows]
    candidates = dense(two, base) - base
    filled = np.zeros(queries.shape, np.float32)
    fill_dense(rows, one.offsets, one.items, one.values, base, filled)
    assert np.array_equal(filled, queries.astype(np.float32))
    out = np.empty((len(rows), two.n_users), np.float32)
    index = two.by_item
    ends = np.concatenate([index.offsets, np.full(len(base), index.offsets[-1])])
    arrays = (one.offsets, one.items, one.values)
    own_norms = norms.astype(np.float32)
    screen_by_items(rows, *arrays, base, ends, index.users, index.values, own_norms, out)
    expected = np.square(candidates).sum(axis=1) - 2 * queries @ candidates.T
    for line, row in enumerate(rows):
        own, cells = np.square(queries[line]).sum(), len(one.row(row)[0])
        allowed = screening_slack(own, norms.max(), cells, 0.0, 0.0) / 2
        assert np.abs(out[line] - expected[line]).max() <= allowed


@given(
    seed=st.integers(0, 300),
    error=st.sampled_from([0.0, 1e-7]),
    copies=st.integers(1, 3),
)
def test_the_nearest_and_ties_are_those_of_dense_arrays(
    seed: int, error: float, copies: int
) -> None:
    one, two, base = two_tables(seed)
    two = two.take_users(np.repeat(np.arange(two.n_users), copies))
    rng = np.random.default_rng(seed)
    tables = [(table.offsets, table.items, table.values) for table in (one, two)]
    own_norms, norms = (centred_norms(*table, base) for table in tables)
    searched = SearchedRecords(*tables[0], *tables[1], base, own_norms, norms.max(), 1e-6)
    queries, candidates = dense(one, base), dense(two, base)
    near = plain_nearest(queries, candidates)
    rough = np.square(candidates - base).sum(axis=1) - 2 * (queries - base) @ (candidates - base).T
    rough += error * rng.uniform(-1, 1, rough.shape) * norms.max()
    weights, ranks = rng.integers(1, 4, len(norms)), rng.permutation(len(norms))
    own = rng.integers(0, len(norms), one.n_users)
    ties, first = np.zeros(one.n_users, np.int64), np.zeros(one.n_users, np.int64)
    own_tied = np.zeros(one.n_users, np.bool_)
    decide(
        rough.astype(np.float32),
        np.arange(one.n_users),
        searched,
        OwnCandidates(np.arange(one.n_users), np.arange(1, one.n_users + 1), own),
        weights,
        ranks,
        ties,
        first,
        own_tied,
    )
    assert ties.tolist() == (near * weights).sum(axis=1).tolist()
    assert first.tolist() == [ranks[line].min() for line in near]
    assert own_tied.tolist() == near[np.arange(one.n_users), own].tolist()


@given(seed=st.integers(0, 300))
def test_a_cell_that_is_not_listed_has_the_value_of_its_item(seed: int) -> None:
    rows, _, base = two_tables(seed)
    asked = np.tile(np.arange(len(base), dtype=np.int32), rows.n_users)
    at = np.repeat(np.arange(rows.n_users), len(base))
    found = values_at(at, asked, rows.offsets, rows.items, rows.values, base)
    assert found.tolist() == dense(rows, base).ravel().tolist()
