from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.io import read
from recloak.measures import measure
from recloak.measures.neighbour_prediction import _split
from recloak.releases.grouped import GroupedRelease
from recloak.testing import MeasureContract, context_of, random_ratings


class TestNeighbourPrediction(MeasureContract):
    name = "neighbour-prediction"
    needs_rehearsal = False


def found(context: AuditContext, seed: int = 0, **parameters: int) -> dict[str, float]:
    spec = ",".join(f"{name}={value}" for name, value in parameters.items())
    finding = measure(f"neighbour-prediction:{spec}").run(context, seed)
    return {figure.name: figure.value for figure in finding.figures}


def plain(context: AuditContext, compared: np.ndarray) -> dict[str, float]:
    """With full tables, one rating after the other."""
    original, release, rows = context.original, context.release, context.rows
    base = np.full(original.n_items, original.scale.middle)
    if isinstance(release, GroupedRelease) and release.implied is not None:
        base = release.implied
    published = np.tile(base, (rows.n_users, 1))
    published[rows.user_codes(), rows.items] = rows.values
    errors, middle, means = [], [], []
    for user in range(original.n_users):
        items, ratings = original.row(user)
        own = base.copy()
        own[items] = ratings
        row = published[np.argmin(((published - own)[:, compared] ** 2).sum(axis=1))]
        for item, rating in zip(items, ratings.astype(float), strict=True):
            if compared[item]:
                continue
            errors.append(abs(row[item] - rating))
            middle.append(abs(original.scale.middle - rating))
            others = original.values[(original.items == item) & (original.user_codes() != user)]
            mean = others.mean(dtype=float) if len(others) else original.scale.middle
            means.append(abs(mean - rating))
    return {
        "mae": np.mean(errors),
        "mae_share": np.mean(errors) / original.scale.span,
        "mae_midpoint": np.mean(middle),
        "mae_item_mean": np.mean(means),
    }


@settings(max_examples=10)
@given(st.integers(0, 10**6))
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("gaussian-noise", {}),
        ("gaussian-noise", {"cells": "all", "sigma": 3}),
        ("microaggregation", {"k": 3}),
        ("microaggregation", {"k": 4, "imputation": "item-mean", "publish": "members"}),
    ],
)
def test_equals_full_tables(name: str, parameters: dict[str, object], seed: int) -> None:
    context = context_of(random_ratings(25, 20, 0.3, seed), name, **parameters)
    expected = plain(context, _split(context.original.n_items, seed))
    assert found(context, seed) == pytest.approx(expected)


def test_the_original_predicts_itself() -> None:
    figures = found(context_of(random_ratings(60, 40)))
    assert figures["mae"] == 0
    assert figures["mae_midpoint"] > 0.5


def test_a_fifth_of_the_items_is_predicted_other_ones_under_another_seed() -> None:
    compared = _split(100, 0)
    assert np.count_nonzero(~compared) == 20
    assert (compared != _split(100, 1)).any()


def test_a_sample_of_people_is_near_to_all() -> None:
    context = context_of(random_ratings(400, 40), "microaggregation", k=5)
    finding = measure("neighbour-prediction:people=200").run(context)
    assert "200 of 400 people" in finding.notes[0]
    mae = finding.figure("mae")
    assert mae is not None
    assert mae.low is not None
    assert mae.high is not None
    assert mae.low < found(context)["mae"] < mae.high


def test_people_without_ratings_and_people_all_alike() -> None:
    ratings = random_ratings(30)
    empty = replace(
        ratings,
        offsets=np.append(ratings.offsets, len(ratings)),
        user_labels=np.append(ratings.user_labels, 999),
    )
    context = context_of(empty, "microaggregation", k=3)
    assert found(context) == pytest.approx(plain(context, _split(empty.n_items, 0)))
    cells = np.repeat(np.arange(6), 5), np.tile(np.arange(5), 6)
    alike = Ratings.from_columns(*cells, np.tile([1, 2, 3, 4, 5], 6), scale="1..5")
    assert found(context_of(alike, "microaggregation", k=3))["mae"] == 0


@pytest.mark.real
def test_movielens_as_in_table_3(real_data: Path) -> None:
    ratings = read(real_data / "ml-100k")
    grouped = found(context_of(ratings, "microaggregation", k=10, clustering="mdav"))
    noisy = found(context_of(ratings, "gaussian-noise", cells="all", sigma=4))
    assert 0.83 <= grouped["mae"] <= 0.92
    assert noisy["mae"] == pytest.approx(1.08, rel=0.06)
    assert grouped["mae_midpoint"] == pytest.approx(1.0, abs=0.03)


@pytest.mark.real
def test_jester_as_in_table_3(real_data: Path) -> None:
    ratings = read(real_data / "jester")
    grouped = found(context_of(ratings, "microaggregation", k=9, clustering="mdav"), people=1000)
    noisy = found(context_of(ratings, "gaussian-noise", cells="all", sigma=2.5), people=1000)
    assert grouped["mae"] == pytest.approx(2.91, rel=0.15)
    assert noisy["mae"] == pytest.approx(6.50, rel=0.15)
