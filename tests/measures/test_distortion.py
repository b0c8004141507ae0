from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.clustering import CLUSTERINGS, Groups, Points
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, match_items
from recloak.evaluation.findings import Finding
from recloak.io import read
from recloak.measures import measure
from recloak.releases.grouped import GroupedRelease
from recloak.testing import MeasureContract, context_of, from_rows, random_ratings
from tests.support.split_by_item import SplitByItem


class TestDistortion(MeasureContract):
    name = "distortion"
    needs_rehearsal = False
    exact = ("sse", "sse_known", "sse_share", "per_cell")


def found(context: AuditContext) -> dict[str, float]:
    return values(measure("distortion").run(context))


def values(finding: Finding) -> dict[str, float]:
    return {figure.name: figure.value for figure in finding.figures}


def plain(context: AuditContext) -> dict[str, float]:
    """With full tables."""
    original, release = context.original, context.release
    base = np.full(original.n_items, original.scale.middle)
    if isinstance(release, GroupedRelease) and release.implied is not None:
        base = release.implied
    truth = np.tile(base, (original.n_users, 1))
    known = np.zeros(truth.shape, bool)
    truth[original.user_codes(), original.items] = original.values
    known[original.user_codes(), original.items] = True
    published = np.tile(base, (original.n_users, 1))
    place = {str(label): at for at, label in enumerate(original.item_labels)}
    for user in range(original.n_users):
        for row in context.linkage.rows_of(user)[::-1]:
            for item, value in zip(*context.rows.row(row), strict=True):
                published[user, place[str(context.rows.item_labels[item])]] = value
    errors = (truth - published) ** 2
    total = ((truth - truth.mean(axis=0)) ** 2).sum()
    return {
        "sse": errors.sum(),
        "sse_known": errors[known].sum(),
        "per_cell": np.sqrt(errors[known].mean()),
        **({"sse_share": errors.sum() / total} if total > 1e-9 else {}),
    }


METHODS = [
    ("pseudonymize", {}),
    ("gaussian-noise", {}),
    ("uniform-noise", {"cells": "all", "sigma": 2}),
    ("fragmentation", {}),
    ("microaggregation", {"k": 3}),
    ("microaggregation", {"k": 2, "publish": "members", "imputation": "item-mean"}),
    ("microaggregation", {"k": 2, "imputation": "user-mean"}),
    ("microaggregation", {"k": 3, "floor": 2, "grid": 0.5}),
]


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.integers(3, 25))
@pytest.mark.parametrize(("name", "parameters"), METHODS)
def test_equals_full_tables(
    name: str, parameters: dict[str, object], seed: int, people: int
) -> None:
    context = context_of(random_ratings(people, 12, 0.3, seed), name, **parameters)
    assert found(context) == pytest.approx(plain(context))


def test_nothing_changed_is_nothing_lost() -> None:
    assert set(found(context_of(random_ratings())).values()) == {0.0}


def test_averages_alone_lose_all_there_is() -> None:
    ratings = random_ratings(12)
    context = context_of(ratings, "microaggregation", k=12)
    assert found(context)["sse_share"] == pytest.approx(1)


def test_fragments_are_joined() -> None:
    original = random_ratings(60)
    applied = SplitByItem(3).apply(original, Randomness.from_seed(1))
    rows = applied.release.as_ratings()
    linkage = applied.secret.linkage(original, rows)
    assert rows.n_users > original.n_users
    assert found(AuditContext(original, rows, linkage, match_items(original, rows)))["sse"] == 0


def test_by_hand() -> None:
    original = from_rows({"a": {"x": 5, "y": 1}, "b": {"x": 4}, "c": {"z": 3}})
    rows = from_rows({"p": {"z": 5, "x": 4}, "q": {"x": 4}, "r": {"new": 1, "z": 3}})
    context = replace(context_of(original), rows=rows, item_in_release=match_items(original, rows))
    linkage = replace(context.linkage, offsets=np.array([0, 1, 2, 3]), rows=np.array([0, 1, 2]))
    figures = found(replace(context, linkage=linkage, release=None))
    assert figures["sse_known"] == 1 + 4
    assert figures["sse"] == 1 + 4 + 4
    assert figures["per_cell"] == pytest.approx(np.sqrt(5 / 4))
    # x: 5, 4, 3; y: 1, 3, 3; z: 3, 3, 3
    assert figures["sse_share"] == pytest.approx(9 / (2 + 8 / 3))


def test_people_without_a_row_count_and_are_told_of() -> None:
    original = random_ratings(5)
    context = context_of(original)
    some = np.minimum(context.linkage.offsets, 4)
    finding = measure("distortion").run(
        replace(
            context, linkage=replace(context.linkage, offsets=some, rows=context.linkage.rows[:4])
        )
    )
    lost = float(np.square(original.row(4)[1].astype(np.float64) - 3).sum())
    assert values(finding)["sse"] == pytest.approx(lost)
    assert any("1 people have no row" in note for note in finding.notes)


def test_people_without_ratings_and_people_all_alike() -> None:
    ratings = random_ratings(6)
    empty = replace(
        ratings,
        offsets=np.append(ratings.offsets, len(ratings)),
        user_labels=np.append(ratings.user_labels, 999),
    )
    context = context_of(empty, "microaggregation", k=3)
    assert found(context) == pytest.approx(plain(context))
    alike = Ratings.from_columns(
        np.repeat(np.arange(6), 2), np.tile([1, 2], 6), [4, 2] * 6, scale="1..5"
    )
    assert found(context_of(alike, "microaggregation", k=2)) == {
        "sse": 0,
        "sse_known": 0,
        "per_cell": 0,
    }


@pytest.mark.parametrize("clustering", ["mdav", "refined"])
def test_agrees_with_the_loss_of_the_groups(clustering: str) -> None:
    ratings = random_ratings(80, 30, 0.3)
    points = Points.of(ratings)
    loss = Groups.of(CLUSTERINGS.get(clustering)().partition(points, 4)).loss(points)
    figures = found(context_of(ratings, "microaggregation", k=4, clustering=clustering))
    assert figures["sse"] == pytest.approx(loss.ratings, rel=1e-6)
    assert figures["sse_known"] == pytest.approx(loss.known, rel=1e-6)
    assert figures["sse_share"] == pytest.approx(loss.share, rel=1e-6)


@pytest.mark.real
@pytest.mark.parametrize(("k", "thousands"), [(2, 64.9), (3, 87.9), (5, 106.2), (10, 120.4)])
def test_squared_error_on_movielens(real_data: Path, k: int, thousands: float) -> None:
    context = context_of(read(real_data / "ml-100k"), "microaggregation", k=k, clustering="mdav")
    assert found(context)["sse"] / 1000 == pytest.approx(thousands, abs=0.05)
