"""Who holds pairs and rows of items: against sets."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.core.kernels.bits import bits_of
from recloak.core.ratings import Ratings
from recloak.guarantees.diversity._sets import has_short_pairs, row_holders, short_pair
from recloak.testing import random_ratings


def holders_of(profiles: Ratings) -> list[set[int]]:
    view = profiles.by_item
    return [
        set(view.users[view.offsets[item] : view.offsets[item + 1]].tolist())
        for item in range(profiles.n_items)
    ]


def bits(profiles: Ratings) -> np.ndarray:
    view = profiles.by_item
    return bits_of(view.offsets, view.users, np.arange(profiles.n_items), profiles.n_users)


@settings(max_examples=30)
@given(seed=st.integers(0, 1000), wanted=st.integers(1, 9), groups=st.sampled_from([20, 70]))
def test_pairs_that_few_hold(seed: int, wanted: int, groups: int) -> None:
    profiles, original = random_ratings(groups, 9, 0.4, seed), random_ratings(12, 9, 0.2, seed + 1)
    if profiles.n_items < 9 or original.n_items < 9:
        return
    held, rated = holders_of(profiles), original.item_support > 0
    short = {
        pair for pair in combinations(range(9), 2) if len(held[pair[0]] & held[pair[1]]) < wanted
    }
    found = has_short_pairs(2, 9, bits(profiles), rated, wanted)
    assert found.tolist() == [any(pair[0] == item for pair in short) for item in range(2, 9)]
    together = {
        pair
        for user in range(original.n_users)
        for pair in combinations(original.row(user)[0].tolist(), 2)
    }
    view = original.by_item
    for item in range(9):
        mine = view.users[view.offsets[item] : view.offsets[item + 1]]
        other = short_pair(item, mine, original.offsets, original.items, bits(profiles), wanted)
        wrong = sorted(pair[1] for pair in short & together if pair[0] == item)
        assert other == (wrong[0] if wrong else -1)


def test_whole_rows() -> None:
    profiles, original = random_ratings(70, 9, 0.7), random_ratings(30, 9, 0.3, 1)
    held, counts = holders_of(profiles), np.empty(30, np.int64)
    row_holders(0, 30, original.offsets, original.items, bits(profiles), counts)
    for user in range(30):
        items = original.row(user)[0].tolist()
        assert counts[user] == len(set.intersection(*(held[item] for item in items)))
