"""Codes and orders, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recloak.kernels import coding

numbers = st.lists(st.integers(-50, 50), min_size=1, max_size=30).map(np.array)


@given(numbers)
def test_number_codes(ids: np.ndarray) -> None:
    labels, expected = np.unique(ids, return_inverse=True)
    low, high = coding.ends_of(ids)
    assert (low, high) == (ids.min(), ids.max())
    table, codes = np.zeros(high - low + 1, np.int32), np.empty(len(ids), np.int32)
    assert coding.number_codes(ids, low, table, codes) == len(labels)
    assert codes.tolist() == expected.tolist()


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=30))
def test_sort_further(pairs: list[tuple[int, int]]) -> None:
    users, items = (np.array([pair[at] for pair in pairs], np.int32) for at in (0, 1))
    out = np.empty(len(pairs), np.int64)
    coding.sort_further(np.argsort(items, kind="stable"), users, 6, out)
    assert out.tolist() == np.lexsort((items, users)).tolist()


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.float32])
def test_take(kind: type) -> None:
    column = np.array([5, 6, 7], kind)
    out = np.empty_like(column)
    coding.take(column, np.array([2, 0, 1]), out)
    assert out.tolist() == [7, 5, 6]
