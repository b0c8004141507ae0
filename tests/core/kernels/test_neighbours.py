"""The neighbours' kernels beside a twin that holds items × items in full."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from recloak.core.kernels.layout import offsets_of, stable_order, transpose
from recloak.core.kernels.neighbours import adjust_cells, lengths_of, nearest_mean, work_of
from recloak.core.ratings import Ratings

f32 = np.float32


def plain_similarity(ratings: Ratings, residuals: Any, shrinkage: float) -> Any:
    """Cosines of whole columns, shrunk by the number of common raters; 0 on the diagonal."""
    dense = np.zeros((ratings.n_users, ratings.n_items))
    rated = np.zeros_like(dense)
    dense[ratings.user_codes(), ratings.items] = residuals
    rated[ratings.user_codes(), ratings.items] = 1
    lengths = np.sqrt((dense**2).sum(axis=0))
    common = rated.T @ rated
    scale = np.outer(lengths, lengths) * (common + shrinkage)
    cosine = np.divide(dense.T @ dense * common, scale, out=np.zeros_like(scale), where=scale > 0)
    np.fill_diagonal(cosine, 0)
    return cosine


def plain_nearest_mean(similarity: Any, residuals: Any, neighbours: int) -> float:
    nearest = np.argsort(-similarity, kind="stable")[:neighbours]
    nearest = nearest[similarity[nearest] > 0]
    weights = similarity[nearest]
    return float(weights @ residuals[nearest] / weights.sum()) if len(nearest) else 0.0


@pytest.fixture
def gappy(small: Ratings) -> Ratings:
    """A user and an item have lost their ratings."""
    return small.keep((small.user_codes() != 2) & (small.items != 5))


@pytest.mark.parametrize(("neighbours", "shrinkage"), [(1, 0.0), (3, 10.0), (100, 2.0)])
def test_adjust_cells(gappy: Ratings, neighbours: int, shrinkage: float) -> None:
    rng = np.random.default_rng(neighbours)
    residuals = rng.standard_normal(gappy.n_ratings, dtype=f32)
    users = rng.integers(0, gappy.n_users, 500).astype(np.int32)
    items = rng.integers(0, gappy.n_items, 500).astype(np.int32)
    similarity = plain_similarity(gappy, residuals, shrinkage)
    expected = [
        plain_nearest_mean(
            similarity[item, gappy.row(user)[0]],
            residuals[gappy.offsets[user] : gappy.offsets[user + 1]],
            neighbours,
        )
        for user, item in zip(users, items, strict=True)
    ]
    columns = transpose(gappy.offsets, gappy.items, residuals, gappy.n_items)
    adjusted = np.zeros(500)
    for first, end in [(0, 7), (7, gappy.n_items)]:
        adjust_cells(
            first,
            end,
            offsets_of(items, gappy.n_items),
            stable_order(items, gappy.n_items),
            users,
            gappy.offsets,
            gappy.items,
            residuals,
            *columns,
            lengths_of(columns[0], columns[2]),
            neighbours,
            shrinkage,
            adjusted,
        )
    assert np.count_nonzero(adjusted) > 100
    assert adjusted == pytest.approx(np.array(expected), abs=1e-4)


def test_of_equally_similar_items_the_first_wins() -> None:
    row, similarity = np.arange(4, dtype=np.int32), np.array([0.5, 0.9, 0.9, 0.9], f32)
    residuals = np.array([8, 1, 2, 4], f32)
    for neighbours, expected in [(1, 1.0), (2, 1.5)]:
        best, theirs = np.empty(neighbours, f32), np.empty(neighbours, f32)
        assert nearest_mean(row, residuals, similarity, best, theirs) == pytest.approx(expected)


def test_dissimilar_items_have_no_say() -> None:
    row, similarity = np.arange(3, dtype=np.int32), np.array([-0.5, 0, -1], f32)
    best, theirs = np.empty(2, f32), np.empty(2, f32)
    assert nearest_mean(row, np.ones(3, f32), similarity, best, theirs) == 0


def test_lengths_and_work(gappy: Ratings) -> None:
    view = gappy.by_item
    lengths = lengths_of(view.offsets, view.values)
    work = work_of(
        view.offsets, view.users, gappy.offsets, np.arange(gappy.n_items, dtype=np.int32)
    )
    for item in range(gappy.n_items):
        here = slice(view.offsets[item], view.offsets[item + 1])
        assert lengths[item] == pytest.approx(np.sqrt((view.values[here] ** 2).sum()))
        assert work[item] == gappy.user_counts[view.users[here]].sum()
