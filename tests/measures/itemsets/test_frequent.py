"""The most frequent sets of items beside a plain count of every set."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recloak.core.ratings import Ratings
from recloak.measures.itemsets._frequent import ItemCounts, top_itemsets
from recloak.testing import random_ratings


def plain_top(rows: list[set[int]], count: int) -> set[tuple[int, ...]]:
    counted = Counter(
        itemset for row in rows for size in (1, 2, 3) for itemset in combinations(sorted(row), size)
    )
    ranked = sorted(counted, key=lambda itemset: (-counted[itemset], len(itemset), itemset))
    return set(ranked[:count])


def from_sets(rows: list[set[int]]) -> Ratings:
    cells = [(user, item) for user, row in enumerate(rows) for item in sorted(row)]
    users, items = zip(*cells, strict=True) if cells else ((), ())
    return Ratings.from_columns(users, items)


@given(
    st.lists(st.sets(st.integers(0, 9), max_size=7), min_size=1, max_size=80).filter(any),
    st.integers(1, 60),
)
def test_equals_a_plain_count_of_every_set(rows: list[set[int]], count: int) -> None:
    ratings = from_sets(rows)
    names = ratings.item_labels.astype(np.int64)
    assert top_itemsets(ratings, names, count) == plain_top(rows, count)


def test_names_decide_among_equals_not_codes() -> None:
    ratings = from_sets([{0, 1, 2}] * 3)
    assert top_itemsets(ratings, np.array([9, 5, 7]), 4) == {(5,), (7,), (9,), (5, 7)}


def test_pairs_equal_a_plain_count() -> None:
    ratings = random_ratings(150, 30, 0.3)
    rows = [set(ratings.row(user)[0].tolist()) for user in range(150)]
    items = np.array([3, 17, -1, 4, 29, 8])
    counted = ItemCounts(ratings, items)
    for one in range(6):
        alone = sum(items[one] in row for row in rows)
        assert counted.supports[one] == alone
        for other in range(6):
            both = sum({items[one], items[other]} <= row for row in rows) if one < other else 0
            assert counted.pairs[one, other] == both
