from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recloak.measures.itemsets._frequent import ones, pair_supports, rows_as_bits, triple_supports
from recloak.testing import random_ratings


@given(st.integers(0, 2**64 - 1))
def test_ones(word: int) -> None:
    assert ones(np.uint64(word)) == word.bit_count()


def test_counts_equal_those_of_plain_sets() -> None:
    ratings = random_ratings(200, 12, 0.5)
    place_of = np.array([0, -1, 1, 2, -1, 3, 4, -1, -1, 5, -1, 6])
    rows = [set(place_of[ratings.row(user)[0]]) - {-1} for user in range(200)]
    bits = rows_as_bits(ratings.offsets, ratings.items, place_of, 7)
    assert bits.shape == (7, -(-sum(len(row) > 1 for row in rows) // 64))
    found = np.concatenate([pair_supports(bits, 0, 3), pair_supports(bits, 3, 7)])
    triples = np.array([(0, 1, 2), (2, 5, 6), (0, 3, 6)])
    for one in range(7):
        for other in range(7):
            expected = sum({one, other} <= row for row in rows) if one < other else 0
            assert found[one, other] == expected
    expected = [sum(set(triple) <= row for row in rows) for triple in triples.tolist()]
    assert triple_supports(bits, triples).tolist() == expected
