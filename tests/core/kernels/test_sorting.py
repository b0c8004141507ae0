"""The sort that kernels take in, against that of NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.core.arrays import Offsets
from recloak.core.kernels import kernel
from recloak.core.kernels.sorting import sort_ascending


@kernel
def sorted_in_place(values: Offsets) -> None:
    sort_ascending(values)


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("different", [1, 2, 30, 10**6])
@pytest.mark.parametrize("count", [0, 1, 2, 16, 17, 18, 100, 3_000])
def test_whole_numbers_are_sorted(count: int, different: int, kind: type[np.signedinteger]) -> None:
    drawn = np.random.default_rng(count + different).integers(-different, different, count)
    for values in (
        drawn,
        np.sort(drawn),
        np.sort(drawn)[::-1],
        np.roll(np.sort(drawn), count // 3),
    ):
        given = np.ascontiguousarray(values, dtype=kind)
        expected = np.sort(given)
        sorted_in_place(given)
        assert given.tolist() == expected.tolist()
