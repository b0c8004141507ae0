"""Rows go where there is room: against loops over lists."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.methods.predictive.bounded_groups import (
    assign_with_room,
    distances_between,
    fill_nearest_first,
)


def drawn(seed: int, rows: int, centres: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    # whole numbers, so that sums are exact in any order
    return (
        rng.integers(-9, 9, (rows, 4)).astype(np.float32),
        rng.integers(-9, 9, (centres, 4)).astype(np.float32),
    )


def apart(rows: np.ndarray, centres: np.ndarray) -> np.ndarray:
    return np.square(rows[:, None] - centres[None]).sum(axis=2)


def test_distances() -> None:
    rows, centres = drawn(0, 7, 3)
    assert distances_between(rows, centres).tolist() == apart(rows, centres).tolist()


@settings(max_examples=30)
@given(seed=st.integers(0, 1000), centres=st.integers(1, 6), spare=st.integers(0, 10))
def test_each_goes_to_the_nearest_with_room(seed: int, centres: int, spare: int) -> None:
    rows, places = drawn(seed, 20, centres)
    most = -(-(20 + spare) // centres)
    gaps = apart(rows, places)
    near = np.argsort(gaps, axis=1, kind="stable")[:, :2].astype(np.int32)
    labels = np.empty(20, np.int64)
    assign_with_room(rows, places, near, most, labels)
    held = [0] * centres
    for row in range(20):
        free = [centre for centre in range(centres) if held[centre] < most]
        assert labels[row] == min(free, key=lambda centre: (gaps[row, centre], centre))
        held[labels[row]] += 1


@settings(max_examples=30)
@given(seed=st.integers(0, 1000), centres=st.integers(1, 6), most=st.integers(1, 5))
def test_the_nearest_pair_comes_first(seed: int, centres: int, most: int) -> None:
    gaps = apart(*drawn(seed, 15, centres))
    labels = np.full(15, -1, np.int64)
    fill_nearest_first(np.argsort(gaps, axis=None, kind="stable"), centres, most, labels)
    expected, held = [-1] * 15, [0] * centres
    pairs = [(gaps[row, centre], row, centre) for row in range(15) for centre in range(centres)]
    for _, row, centre in sorted(pairs):
        if expected[row] < 0 and held[centre] < most:
            expected[row] = centre
            held[centre] += 1
    assert labels.tolist() == expected
