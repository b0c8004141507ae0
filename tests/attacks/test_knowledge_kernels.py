from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recloak.attacks._knowledge_kernels import count_allowed, count_learned, draw_known
from recloak.testing import random_ratings


@given(seed=st.integers(0, 10**6), factor=st.sampled_from([1.0, 20.0]))
def test_what_a_row_tells_is_set_arithmetic(seed: int, factor: float) -> None:
    """The plain way: sets of items, one try at a time, items under other codes in the release."""
    rng = np.random.default_rng(seed)
    true, rows = random_ratings(4, 12, 0.5, seed), random_ratings(5, 12, 0.5, seed + 1)
    rows = rows.with_values(rows.values * np.float32(factor) + np.float32(2))
    mapping = rng.permutation(true.n_items) % (rows.n_items + 2)
    mapping = np.where(mapping < rows.n_items, mapping, -1)
    users, chosen = rng.integers(0, 4, 8), rng.integers(-1, 5, 8)
    known = [true.offsets[user] + np.arange(rng.integers(0, 2)) for user in users]
    offsets = np.cumsum([0, *map(len, known)])
    learned = count_learned(
        chosen,
        users,
        offsets,
        np.concatenate(known).astype(np.int64),
        *(true.offsets, true.items, true.values, mapping),
        *(rows.offsets, rows.items, rows.values, rows.n_items),
        *(factor, 2.0, 0.5 * factor),
    )
    for at, row in enumerate(chosen):
        if row < 0:
            assert learned[at].tolist() == [0, 0, 0]
            continue
        mine = {
            mapping[item]: value * factor + 2
            for item, value in zip(*true.row(users[at]), strict=True)
            if mapping[item] >= 0
        }
        known_items = {mapping[item] for item in true.items[known[at]]}
        theirs = dict(zip(*rows.row(row), strict=True))
        new = (set(theirs) & set(mine)) - known_items
        exact = sum(abs(mine[item] - theirs[item]) <= 0.5 * factor for item in new)
        assert learned[at].tolist() == [len(new), exact, len(set(theirs) - set(mine))]


@given(seed=st.integers(0, 10**6))
def test_what_is_known_is_drawn_from_what_is_allowed_and_never_twice(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ratings = random_ratings(10, 12, 0.5, seed)
    allowed = rng.random(ratings.n_items) < 0.6
    counts = count_allowed(ratings.offsets, ratings.items, allowed)
    users = np.flatnonzero(counts)
    assert counts.tolist() == [
        int(allowed[ratings.row(user)[0]].sum()) for user in range(ratings.n_users)
    ]
    sizes = rng.integers(1, counts[users] + 1)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    drawn = draw_known(
        ratings.offsets, ratings.items, allowed, users, offsets, rng.random(offsets[-1])
    )
    for at, user in enumerate(users):
        mine = drawn[offsets[at] : offsets[at + 1]]
        assert len(set(mine)) == sizes[at]
        assert allowed[ratings.items[mine]].all()
        assert ((ratings.offsets[user] <= mine) & (mine < ratings.offsets[user + 1])).all()


def test_every_rating_is_drawn_as_often_as_any_other() -> None:
    ratings = random_ratings(1, 10, 1.0)
    trials = 20_000
    offsets = np.arange(0, 3 * trials + 1, 3)
    uniforms = np.random.default_rng(0).random(3 * trials)
    everything = np.ones(10, dtype=np.bool_)
    users = np.zeros(trials, np.int64)
    drawn = draw_known(ratings.offsets, ratings.items, everything, users, offsets, uniforms)
    assert np.bincount(drawn, minlength=10) / trials == pytest.approx(np.full(10, 0.3), abs=0.015)
