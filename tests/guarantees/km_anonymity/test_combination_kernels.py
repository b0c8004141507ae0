from __future__ import annotations

from itertools import chain, combinations

import numba
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recloak.core.kernels.bits import popcount
from recloak.core.kernels.layout import expand, offsets_of, stable_order
from recloak.guarantees.km_anonymity._combination_kernels import (
    FOUND,
    NONE,
    OVER_BUDGET,
    weak_combination,
)
from recloak.guarantees.km_anonymity._itemset_kernels import rare_set

Rows = list[set[int]]


def flat(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return offsets, np.array(list(chain.from_iterable(map(sorted, rows))), np.int32)


def weight_of(wanted: set[int], rows: Rows, weights: list[int]) -> int:
    return sum(weight for row, weight in zip(rows, weights, strict=True) if wanted <= row)


def occurring(rows: Rows, most: int) -> set[tuple[int, ...]]:
    """All sets of at most ``most`` terms that some row holds."""
    sizes = range(most + 1)
    return {chosen for row in rows for size in sizes for chosen in combinations(sorted(row), size)}


TERMS = 6
ROWS = st.lists(st.sets(st.integers(0, TERMS - 1)), min_size=1, max_size=12)


@numba.njit
def counted(word: np.uint64) -> int:
    return popcount(word)  # only kernels can call it


@given(st.lists(st.integers(0, 2**64 - 1), max_size=5))
def test_set_bits_are_counted(words: list[int]) -> None:
    assert [counted(np.uint64(word)) for word in words] == [word.bit_count() for word in words]


@given(ROWS, st.integers(2, 4), st.integers(2, 4), st.randoms(use_true_random=False))
def test_rare_sets_agree_with_trying_all(rows: Rows, few: int, most: int, random) -> None:
    weights = [random.randint(1, few) for _ in rows]
    offsets, terms = flat(rows)
    index = (offsets_of(terms, TERMS), stable_order(terms, TERMS))
    arrays = (*index, expand(offsets), offsets, terms, np.array(weights, np.int64))
    rare = {
        chosen
        for chosen in occurring(rows, most)
        if len(chosen) > 1 and weight_of(set(chosen), rows, weights) < few
    }
    for first, last in ((0, TERMS), (0, 2), (2, TERMS)):
        found = tuple(rare_set(first, last, *arrays, few, most).tolist())
        mine = {chosen for chosen in rare if first <= chosen[0] < last}
        assert found in mine if mine else found == ()


def weak_sets(
    rows: Rows, empties: int, absent: list[int], barred: list[int], few: int, most: int
) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The plain way: terms wanted, items wanted absent, and too few rows. An item has two terms."""
    everyone = rows + [set()] * empties
    weak = set()
    for wanted in occurring(everyone, most):
        mine = {term // 2 for term in wanted}
        having = [{term // 2 for term in row} for row in everyone if set(wanted) <= row]
        for size in range(most - len(wanted) + 1):
            for lacked in combinations([item for item in absent if item not in mine], size):
                possible = [items for items in having if not items & set(lacked)]
                clear = [items for items in possible if not items & (set(barred) - mine)]
                if possible and len(clear) < few:
                    weak.add((wanted, lacked))
    return weak


CHUNK = st.lists(
    st.dictionaries(st.integers(0, 2), st.integers(0, 1), min_size=1).map(
        lambda values: {2 * item + value for item, value in values.items()}
    ),
    min_size=1,
    max_size=10,
)
SOME_ITEMS = st.sets(st.integers(0, 2)).map(sorted)


@given(CHUNK, st.integers(0, 4), SOME_ITEMS, SOME_ITEMS, st.integers(2, 3), st.integers(1, 3))
def test_weak_combinations_agree_with_trying_all(
    rows: Rows, empties: int, absent: list[int], barred: list[int], few: int, most: int
) -> None:
    expected = weak_sets(rows, empties, absent, barred, few, most)
    if not absent and not barred:
        expected = {found for found in expected if found[0]}
    layout = (np.array([0, len(rows)], np.int64), *flat(rows), np.arange(6, dtype=np.int32) // 2)
    lists = []
    for items in (absent, barred):
        lists += [np.array([0, len(items)], np.int64), np.array(items, np.int32)]
    arrays = (*layout, np.array([empties], np.int64), *lists)
    status, chunk, wanted, lacked = weak_combination(0, 1, *arrays, few, most, 10**9)
    assert status == (FOUND if expected else NONE)
    if expected:
        assert chunk == 0
        assert (tuple(sorted(wanted.tolist())), tuple(sorted(lacked.tolist()))) in expected
    assert weak_combination(0, 1, *arrays, few, most, 0)[0] == OVER_BUDGET
