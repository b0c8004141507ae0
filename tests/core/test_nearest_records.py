"""Nearest records: both ways to screen find what all distances say, in blocks of any size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from recloak.core.nearest_records import CandidateRecords, Own, Screening
from recloak.core.ratings import Ratings
from recloak.testing import random_ratings

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
    dense = full(records, base)
    expected = [
        int(np.argmin([in_order(row - mine) for row in dense])) for mine in full(queries, base)
    ]
    for share in WAYS.values():
        way = Screening(dense_share=share)
        candidates = CandidateRecords.in_order(records, base, close=0.0, screening=way)
        assert candidates.first_nearest(queries).tolist() == expected


@pytest.mark.parametrize("way", WAYS)
def test_blocks_do_not_matter(way: str) -> None:
    queries, records, base = drawn(5, 40, 70)
    candidates = CandidateRecords.in_order(records, base, close=0.0)
    whole = candidates.first_nearest(queries).tolist()
    small = Screening(dense_share=WAYS[way], block_bytes=3000)
    for screening in (small, replace(small, dense_bytes=100)):
        parted = replace(candidates, screening=screening)
        assert parted.first_nearest(queries).tolist() == whole
    assert len(set(whole)) > 5


def test_what_is_close_is_a_tie() -> None:
    """Of three records the last is nearest by a hair: alone without a tolerance, tied with it."""
    records = Ratings.from_columns(
        [1, 2, 3], [1, 1, 1], [2.0, 4.5, 3.9999], scale="1..5 continuous"
    )
    query = Ratings.from_columns([1], [1], [3.0], scale="1..5")
    base = np.full(1, 3.0)
    exact = CandidateRecords.in_order(records, base, close=0.0)
    near = CandidateRecords.in_order(records, base, close=0.01)
    assert exact.nearest(query, np.arange(1), Own.none(1)).first.tolist() == [2]
    found = near.nearest(query, np.arange(1), Own.none(1))
    assert found.first.tolist() == [0]
    assert found.ties.tolist() == [2]


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 30), st.integers(1, 40))
def test_rivals_only_spare_work(seed: int, people: int, rows: int, rivals: int) -> None:
    """Whose own is among the nearest is told the same, however few are looked at first."""
    queries, records, base = drawn(seed, people, rows)
    rng = np.random.default_rng(seed)
    chosen, own = np.arange(people), rng.integers(0, rows, 2 * people)
    candidates = CandidateRecords.in_order(records, base, close=1e-6)
    asked = (queries, chosen, Own(np.arange(0, 2 * people + 1, 2), own))
    whole = candidates.nearest(*asked)
    few = replace(candidates, screening=Screening(rivals=rivals))
    sooner = few.nearest(*asked, own_only=True)
    assert sooner.own_tied.tolist() == whole.own_tied.tolist()
    held = whole.own_tied.reshape(-1, 2).any(axis=1)
    assert sooner.ties[held].tolist() == whole.ties[held].tolist()
    assert sooner.first[held].tolist() == whole.first[held].tolist()
