"""A search in what is sorted: as NumPy's, within a part of an array."""

from __future__ import annotations

import numpy as np

from recloak.core.kernels.layout import first_at_least


def test_it_finds_what_numpy_finds_in_the_part() -> None:
    rng = np.random.default_rng(0)
    for kind in (np.int32, np.int64):
        values = np.sort(rng.integers(0, 40, 60)).astype(kind)
        for start, end in ((0, 60), (7, 31), (12, 12)):
            for wanted in range(-1, 42):
                expected = start + np.searchsorted(values[start:end], wanted)
                assert first_at_least(values, start, end, wanted) == expected
