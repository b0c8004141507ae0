"""Nearest records: both ways to screen find what all distances say, in blocks of any size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from recloak import nearest_records
from recloak.nearest_records import Candidates
from recloak.ratings import Ratings
from tests.samples import random_ratings

WAYS = {"tables": -1.0, "postings": 2.0}


def full(ratings: Ratings, base: NDArray[np.float64]) -> NDArray[np.float64]:
    table = np.tile(base, (ratings.n_users, 1))
    table[ratings.user_codes(), ratings.items] = ratings.values
    return table


def in_order(gaps: NDArray[np.float64]) -> float:
    """The sum of squares from the first item to the last, as the definition has it."""
    total = 0.0
    for gap in gaps.tolist():
        total += gap * gap
    return total


def drawn(seed: int, people: int, rows: int) -> tuple[Ratings, Ratings, NDArray[np.float64]]:
    """Queries, records and base; few different values, so that many rows are equally near."""
    rng = np.random.default_rng(seed)
    one, two = (random_ratings(count, 8, 0.3, seed + at) for at, count in enumerate((people, rows)))
    items = sorted({*one.item_labels.tolist(), *two.item_labels.tolist()})
    base = rng.choice([3.0, 2.7, 3.1], len(items))
    return coded(one, items), coded(two, items), base


def coded(ratings: Ratings, items: list[int]) -> Ratings:
    names = np.array(items)
    codes = np.searchsorted(names, ratings.item_labels).astype(np.int32)
    return replace(ratings, items=codes[ratings.items], item_labels=names)


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 30))
def test_both_ways_find_the_first_of_the_nearest(seed: int, people: int, rows: int) -> None:
    queries, records, base = drawn(seed, people, rows)
    told = full(records, base)
    expected = [
        int(np.argmin([in_order(row - mine) for row in told])) for mine in full(queries, base)
    ]
    candidates = Candidates.in_order(records, base, close=0.0)
    with pytest.MonkeyPatch.context() as patch:
        for share in WAYS.values():
            patch.setattr(nearest_records, "DENSE_SHARE", share)
            assert candidates.first_nearest(queries).tolist() == expected


@pytest.mark.parametrize("way", WAYS)
def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    queries, records, base = drawn(5, 40, 70)
    candidates = Candidates.in_order(records, base, close=0.0)
    whole = candidates.first_nearest(queries).tolist()
    monkeypatch.setattr(nearest_records, "DENSE_SHARE", WAYS[way])
    monkeypatch.setattr(nearest_records, "BLOCK_BYTES", 3000)
    assert candidates.first_nearest(queries).tolist() == whole
    monkeypatch.setattr(nearest_records, "DENSE_BYTES", 100)
    assert candidates.first_nearest(queries).tolist() == whole
    assert len(set(whole)) > 5


def test_what_is_close_is_a_tie() -> None:
    """Of three records the last is nearest by a hair: alone without a tolerance, tied with it."""
    records = Ratings.from_columns(
        [1, 2, 3], [1, 1, 1], [2.0, 4.5, 3.9999], scale="1..5 continuous"
    )
    query = Ratings.from_columns([1], [1], [3.0], scale="1..5")
    base, none = np.full(1, 3.0), np.empty(0, np.int64)
    exact = Candidates.in_order(records, base, close=0.0)
    near = Candidates.in_order(records, base, close=0.01)
    nothing = np.zeros(2, np.int64)
    assert exact.nearest(query, np.arange(1), nothing, none).first.tolist() == [2]
    found = near.nearest(query, np.arange(1), nothing, none)
    assert found.first.tolist() == [0]
    assert found.ties.tolist() == [2]


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 30), st.integers(1, 40))
def test_rivals_only_spare_work(seed: int, people: int, rows: int, rivals: int) -> None:
    """Whose own is among the nearest is told the same, however few are looked at first."""
    queries, records, base = drawn(seed, people, rows)
    rng = np.random.default_rng(seed)
    chosen, own = np.arange(people), rng.integers(0, rows, 2 * people)
    candidates = Candidates.in_order(records, base, close=1e-6)
    asked = (queries, chosen, np.arange(0, 2 * people + 1, 2), own)
    whole = candidates.nearest(*asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest_records, "RIVALS", rivals)
        sooner = candidates.nearest_of_own(*asked)
    assert sooner.own_tied.tolist() == whole.own_tied.tolist()
    held = whole.own_tied.reshape(-1, 2).any(axis=1)
    assert sooner.ties[held].tolist() == whole.ties[held].tolist()
    assert sooner.first[held].tolist() == whole.first[held].tolist()
