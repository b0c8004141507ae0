"""Rows of users sorted by item, against Python's stable sort."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recloak.core import ordering as sorting
from recloak.core.ordering import EncodedBatch, Sharing, into_order

N_USERS, N_ITEMS = 4, 700
ratings = st.lists(
    st.tuples(st.integers(0, N_USERS - 1), st.integers(0, N_ITEMS - 1) | st.integers(0, 3)),
    max_size=120,
)


def pieces_of(pairs: list[tuple[int, int]], timed: bool, cut: int) -> list[EncodedBatch]:
    users, items = (np.array([pair[at] for pair in pairs], np.int32) for at in (0, 1))
    values = np.arange(len(pairs), dtype=np.float32) - 5
    times = np.arange(len(pairs), dtype=np.int64) * 10**10 if timed else None
    return [
        EncodedBatch(users[here], items[here], values[here], None if times is None else times[here])
        for here in (slice(0, cut), slice(cut, None))
    ]


@given(ratings, st.booleans(), st.integers(0, 120), st.randoms())
def test_into_order(pairs: list[tuple[int, int]], timed: bool, cut: int, shuffle: object) -> None:
    user_rank, item_rank = list(range(N_USERS)), list(range(N_ITEMS))
    shuffle.shuffle(user_rank)  # type: ignore[attr-defined]
    shuffle.shuffle(item_rank)  # type: ignore[attr-defined]
    rows = into_order(
        pieces_of(pairs, timed, cut), np.array(user_rank, np.int32), np.array(item_rank, np.int32)
    )
    ranked = [(user_rank[user], item_rank[item], at) for at, (user, item) in enumerate(pairs)]
    expected = sorted(ranked)
    assert rows.items.tolist() == [item for _, item, _ in expected]
    assert rows.values.tolist() == [at - 5 for _, _, at in expected]
    assert (rows.times is not None) == (timed and True)
    if rows.times is not None:
        assert rows.times.tolist() == [at * 10**10 for _, _, at in expected]
    counts = [sum(user == each for user, _, _ in ranked) for each in range(N_USERS)]
    assert np.diff(rows.offsets).tolist() == counts
    assert rows.repeats == len(pairs) - len(set(pairs))


@pytest.mark.parametrize("workers", [1, 3])
def test_ranges_of_users_give_the_same(workers: int) -> None:
    rng = np.random.default_rng(0)
    pairs = list(zip(rng.integers(0, 4, 3000).tolist(), rng.integers(0, 700, 3000), strict=True))
    identity = np.arange(700, dtype=np.int32)
    whole = into_order(pieces_of(pairs, True, 1000), identity[:4], identity)
    sharing = Sharing(few=10, size=100, threads=workers)
    shared = into_order(pieces_of(pairs, True, 1000), identity[:4], identity, sharing)
    for one, other in zip(whole, shared, strict=True):
        assert np.array_equal(one, other)


@given(st.lists(st.integers(0, 2**20), max_size=60))
def test_sort_long(items: list[int]) -> None:
    keys = np.array([item << 32 | at for at, item in enumerate(items)], np.int64)
    expected = sorted(keys.tolist())
    sorting.sort_long(keys, np.empty_like(keys), np.empty(257, np.int64), max(items, default=0))
    assert keys.tolist() == expected


@given(ratings)
def test_first_repeats(pairs: list[tuple[int, int]]) -> None:
    ordered = sorted(pairs)
    counts = [sum(user == each for user, _ in ordered) for each in range(N_USERS)]
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    items = np.array([item for _, item in ordered], np.int32)
    places = np.empty(2, np.int64)
    found = sorting.first_repeats(offsets, items, places)
    expected = [at for at in range(1, len(ordered)) if ordered[at] == ordered[at - 1]][:2]
    assert places[:found].tolist() == expected
