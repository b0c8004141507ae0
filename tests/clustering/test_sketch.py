"""Sketches against dense linear algebra."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.clustering import Points
from recloak.clustering._sketch import (
    means,
    nearest_centres,
    orthonormalise,
    project,
    project_back,
    sketch,
)
from recloak.core.ratings import Ratings
from recloak.testing import random_ratings
from tests.clustering import plain


def test_projection_and_its_transpose(small: Ratings) -> None:
    points = Points.of(small)
    table, rng = plain.table_of(points), np.random.default_rng(0)
    cells = (points.offsets, points.items, points.values)
    axes = rng.normal(size=(small.n_items, 8)).astype(np.float32)
    out = np.zeros((60, 8), np.float32)
    project(10, 60, *cells, axes, out)
    assert not out[:10].any()
    assert out[10:] == pytest.approx(table[10:] @ axes, rel=1e-3, abs=1e-3)
    back = project_back(10, 60, *cells, out, small.n_items)
    assert back == pytest.approx(table[10:].T @ out[10:], rel=1e-3, abs=1e-3)


def test_orthonormal_columns_span_the_same_space() -> None:
    axes = np.random.default_rng(0).normal(size=(20, 5))
    axes[:, 3] = axes[:, 0] - 2 * axes[:, 1]
    made = axes.copy()
    orthonormalise(made)
    assert made.T @ made == pytest.approx(np.diag([1, 1, 1, 0, 1]), abs=1e-9)
    assert made @ (made.T @ axes) == pytest.approx(axes)


def test_nearest_centres_first_on_ties() -> None:
    rng = np.random.default_rng(0)
    rows, centres = (rng.normal(size=(n, 12)).astype(np.float32) for n in (2500, 40))
    centres[30] = centres[4]
    gaps = np.square(rows[:, None].astype(float) - centres[None]).sum(axis=2)
    wanted = np.argsort(gaps, axis=1, kind="stable")[:, :5]
    assert np.array_equal(nearest_centres(rows, centres, 5), wanted)
    assert nearest_centres(rows, centres, 99).shape == (2500, 40)


def test_means_by_label() -> None:
    rows = np.arange(12, dtype=np.float32).reshape(6, 2)
    labels = np.array([1, 0, 1, 0, 1, 1])
    assert means(rows, labels, 2).tolist() == [[4, 5], [5.5, 6.5]]


def test_sketch_keeps_what_tells_records_apart() -> None:
    """Nine tenths of all differences, when they lie in few directions."""
    rng = np.random.default_rng(2)
    tastes = rng.normal(size=(300, 3)) @ rng.normal(size=(3, 80))
    noisy = tastes + rng.normal(0, 0.3, tastes.shape)
    users, items = np.indices(noisy.shape).reshape(2, -1)
    full = Ratings.from_columns(users, items, noisy.ravel(), scale="-30..30 continuous")
    points = Points.of(full)
    kept = np.square(sketch(points, 8) - sketch(points, 8).mean(axis=0)).sum()
    table = plain.table_of(points)
    assert kept > 0.9 * np.square(table - table.mean(axis=0)).sum()


def test_same_sketch_every_time() -> None:
    points = Points.of(random_ratings(300, 50, 0.1))
    assert sketch(points, 16).tobytes() == sketch(points, 16).tobytes()
