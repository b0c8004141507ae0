"""Padding against the whole table, written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.core.ratings import Ratings
from recloak.methods.predictive.padding import PaddedTable, add_corrections, padded_means
from recloak.testing import random_ratings


def table_of(ratings: Ratings, seed: int) -> PaddedTable:
    """A factorisation that was drawn, not learnt, with predictions beyond both ends."""
    rng = np.random.default_rng(seed)
    users, items = ratings.n_users, ratings.n_items
    return PaddedTable(
        ratings.offsets,
        ratings.items,
        ratings.values,
        rng.normal(0, 0.5, users).astype(np.float32),
        rng.normal(0, 0.7, (users, 8)).astype(np.float32),
        rng.normal(3, 0.5, items).astype(np.float32),
        rng.normal(0, 0.7, (8, items)).astype(np.float32),
        1.0,
        5.0,
    )


def predictions(table: PaddedTable) -> np.ndarray:
    """Every cell as predicted."""
    return table.item_base + table.user_bias[:, None] + table.user_factors @ table.columns


def whole(ratings: Ratings, table: PaddedTable) -> np.ndarray:
    """Every cell: rated, or predicted and clipped."""
    full = np.clip(predictions(table), table.low, table.high)
    full[ratings.user_codes(), ratings.items] = ratings.values
    return full


@settings(max_examples=30)
@given(seed=st.integers(0, 1000), groups=st.integers(1, 6), share=st.sampled_from([0.0, 0.3, 1.0]))
def test_means_are_those_of_the_whole_table(seed: int, groups: int, share: float) -> None:
    ratings = random_ratings(24, 15, 0.3, seed)
    table, rng = table_of(ratings, seed), np.random.default_rng(seed)
    labels = np.sort(np.arange(24) % groups)
    starts = np.searchsorted(labels, np.arange(groups + 1))
    members = rng.permutation(24)
    wanted = rng.random((groups, ratings.n_items)) < share
    offsets = np.concatenate([[0], np.cumsum(wanted.sum(axis=1))])
    items = np.nonzero(wanted)[1].astype(np.int32)
    found = np.empty(len(items), np.float32)
    padded_means(0, groups, starts, members, offsets, items, table, found)
    full = whole(ratings, table)
    means = [full[members[starts[g] : starts[g + 1]]].mean(axis=0) for g in range(groups)]
    assert found == pytest.approx(np.array(means)[wanted], abs=1e-5)


def test_corrections_are_the_known_cells_gaps_along_the_axes() -> None:
    ratings = random_ratings(20, 12, 0.4)
    table = table_of(ratings, 3)
    axes = np.random.default_rng(0).normal(size=(12, 5))
    gaps = np.zeros((20, 12))
    cells = ratings.user_codes(), ratings.items
    gaps[cells] = (ratings.values - predictions(table)[cells]).astype(np.float64)
    rows = np.ones((20, 8), np.float32)
    add_corrections(0, 20, table, axes, rows)
    assert rows[:, :5] == pytest.approx(1 + gaps @ axes, abs=1e-4)
    assert (rows[:, 5:] == 1).all()
