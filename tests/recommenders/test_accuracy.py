"""How well the recommenders do on real data with their defaults: a tenth held out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from recloak.core.ratings import Ratings
from recloak.recommenders import RECOMMENDERS
from tests.recommenders.conftest import hold_out

pytestmark = pytest.mark.real


def from_table(path: Path, separator: str) -> Ratings:
    text = path.read_text(encoding="latin-1").replace(separator, "\t")
    table = pl.read_csv(text.encode(), separator="\t", has_header=False)
    return Ratings.from_columns(*table.to_numpy().T[:3], scale="1..5")


@pytest.fixture(scope="module")
def ml_100k(real_data: Path) -> Ratings:
    return from_table(real_data / "ml-100k" / "u.data", "\t")


@pytest.fixture(scope="module")
def ml_1m(real_data: Path) -> Ratings:
    return from_table(real_data / "ml-1m" / "ratings.dat", "::")


@pytest.fixture(scope="module")
def jester(real_data: Path) -> Ratings:
    table = pl.read_csv(real_data / "jester" / "jester-data-1.csv", has_header=False)
    cells = table.to_numpy()[:, 1:]  # the first column counts the rated jokes
    users, items = np.nonzero(cells != 99)
    return Ratings.from_columns(users, items, cells[users, items], scale="-10..10 continuous")


def mean_rmse(ratings: Ratings, name: str, splits: int) -> float:
    recommender = RECOMMENDERS.get(name)()
    return float(np.mean([hold_out(ratings, seed).rmse(recommender) for seed in range(splits)]))


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("item-mean", 1.01, 1.04),
        ("factorization", 0.88, 0.915),
        ("plain-factorization", 0.935, 0.96),
        ("neighbours", 0.88, 0.915),
    ],
)
def test_ml_100k(ml_100k: Ratings, name: str, low: float, high: float) -> None:
    assert low < mean_rmse(ml_100k, name, 5) <= high


@pytest.mark.parametrize(
    ("name", "splits", "low", "high"),
    [
        ("item-mean", 5, 0.965, 0.99),
        ("factorization", 5, 0.83, 0.850),
        ("plain-factorization", 1, 0.905, 0.92),
        ("neighbours", 1, 0.83, 0.855),
    ],
)
def test_ml_1m(ml_1m: Ratings, name: str, splits: int, low: float, high: float) -> None:
    assert low < mean_rmse(ml_1m, name, splits) <= high


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("item-mean", 4.9, 5.1), ("factorization", 3.9, 4.05), ("neighbours", 3.9, 4.1)],
)
def test_jester_on_its_continuous_scale(
    jester: Ratings, name: str, low: float, high: float
) -> None:
    assert low < mean_rmse(jester, name, 1) <= high
