"""Exact sums are the same to the last bit, however people are put together."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from recloak.core.ratings import Ratings
from recloak.methods.synthetic._exact_queries import (
    ItemsKept,
    SupportProducts,
    TasteMoments,
    WeightedItemCounts,
)
from recloak.methods.synthetic._exact_sums import rounding_for
from recloak.methods.synthetic._private_data import Query
from recloak.simulation import synthesize


@pytest.fixture(scope="module")
def ratings() -> Ratings:
    return synthesize("ml-100k", users=300, items=60, ratings=6_000, seed=2)


def queries(ratings: Ratings, kept: ItemsKept | None = None) -> dict[str, Query]:
    kept = kept or ItemsKept.of(np.ones(ratings.n_items, np.bool_))
    rng, people = np.random.default_rng(0), float(ratings.n_users)
    drawn = rng.standard_normal((kept.count, 3))
    centre, size = 0.1 * drawn[:, 0], (people, ratings.n_ratings)
    return {
        "counts": WeightedItemCounts(kept, people),
        "support": SupportProducts(kept, drawn, drawn.mean(axis=0), people),
        "tastes": TasteMoments(kept, (3.0, 2.0), centre, drawn / 4, 0.2, *size),
    }


def some_items(ratings: Ratings) -> ItemsKept:
    return ItemsKept.of(np.random.default_rng(3).random(ratings.n_items) < 0.1)


@pytest.mark.parametrize("part", [False, True])
@pytest.mark.parametrize("name", ["counts", "support", "tastes"])
def test_no_order_and_no_block_shows(ratings: Ratings, name: str, part: bool) -> None:
    query = queries(ratings, some_items(ratings) if part else None)[name]
    whole = query.add_up(ratings, 0, ratings.n_users)
    mixed = ratings.take_users(np.random.default_rng(1).permutation(ratings.n_users))
    assert np.array_equal(query.add_up(mixed, 0, mixed.n_users), whole)
    edges = [0, 1, 40, 41, 200, mixed.n_users]
    parts = [query.add_up(mixed, a, b) for a, b in pairwise(edges)]
    for order in (parts, parts[::-1]):
        assert np.array_equal(np.sum(order, axis=0), whole)


@pytest.mark.parametrize("name", ["counts", "support", "tastes"])
def test_items_that_are_left_out_count_as_never_rated(ratings: Ratings, name: str) -> None:
    kept = some_items(ratings)
    found = queries(ratings, kept)[name].add_up(ratings, 0, ratings.n_users)
    users = ratings.user_codes()
    held = kept.place[ratings.items] >= 0
    assert len(set(users[held].tolist())) < ratings.n_users
    alone = Ratings.from_columns(
        users[held], kept.place[ratings.items][held], ratings.values[held], scale="1..5"
    )
    plain = queries(ratings, kept)[name]
    everything = replace(plain, kept=ItemsKept.of(np.ones(kept.count, np.bool_)))
    assert np.array_equal(everything.add_up(alone, 0, alone.n_users), found)


def test_they_are_what_they_stand_for(ratings: Ratings) -> None:
    known, people = queries(ratings), range(ratings.n_users)
    degrees, rows = ratings.user_counts, [ratings.row(person)[0] for person in people]
    held = np.zeros((ratings.n_users, ratings.n_items))
    for person, row in enumerate(rows):
        held[person, row] = 1
    counts = known["counts"].add_up(ratings, 0, ratings.n_users)
    plain = [held.sum(axis=0), (1 / np.sqrt(degrees)) @ held, (1 / degrees) @ held]
    assert np.allclose(counts, plain, rtol=1e-9)
    support = known["support"]
    assert isinstance(support, SupportProducts)
    stands = np.array([support.directions[row].mean(axis=0) for row in rows]) - support.average
    found = support.add_up(ratings, 0, ratings.n_users)
    assert np.allclose(found, held.T @ stands, rtol=1e-9, atol=1e-9)
    assert np.abs(stands).max() <= support.most


def test_tastes_are_what_they_stand_for(ratings: Ratings) -> None:
    query = queries(ratings)["tastes"]
    assert isinstance(query, TasteMoments)
    rank = query.rank - 1
    plain, error = np.zeros(query.shape), 0.0
    lower = np.tril_indices(rank + 1)
    for person in range(ratings.n_users):
        items, values = ratings.row(person)
        rest, likes = (values - 3) / 2 - query.centre[items], query.likes[items]
        covariance = np.linalg.inv(np.eye(rank) + likes.T @ likes / query.variance)
        mean = covariance @ likes.T @ rest / query.variance
        taste = np.append(1.0, mean)
        spread = np.outer(taste, taste)
        spread[1:, 1:] += covariance
        plain[items, : rank + 1] += np.outer(rest, taste)
        plain[items, rank + 1 : -1] += spread[lower]
        error += ((rest - likes @ mean) ** 2).sum() + np.trace(likes @ covariance @ likes.T)
    plain[0, -1] = error
    assert np.allclose(query.add_up(ratings, 0, ratings.n_users), plain, rtol=1e-6, atol=1e-6)


def test_grids_leave_room_for_everybody() -> None:
    for most, count in ((1.0, 1), (1.0, 10**9), (3e4, 6040), (258.0, 10**8)):
        step = rounding_for(most, count) / 1.5 / 2**52
        assert most * count <= 2**52 * step
        assert step <= most * max(count, 4) * 2**-51
