"""Offsets, places within rows, and labels looked up by name."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.core.arrays import (
    code_by_name,
    match_labels,
    offsets_from,
    offsets_of_runs,
    places_within,
)


@pytest.mark.parametrize("counts", [[], [2, 0, 3], np.array([2, 0, 3], np.int8)])
def test_offsets_start_at_0_and_end_with_all(counts: list[int]) -> None:
    offsets = offsets_from(counts)
    assert offsets.dtype == np.int64
    assert offsets.tolist() == [sum(counts[:at]) for at in range(len(counts) + 1)]


def test_offsets_of_a_mask_tell_how_many_were_kept_before() -> None:
    assert offsets_from(np.array([True, False, True])).tolist() == [0, 1, 1, 2]


def test_offsets_of_runs_are_where_they_stand_once_joined() -> None:
    assert offsets_of_runs([np.arange(2), np.arange(0), np.arange(3)]).tolist() == [0, 2, 2, 5]
    assert offsets_of_runs([]).tolist() == [0]


def test_places_count_from_0_in_each_row() -> None:
    assert places_within(np.array([2, 0, 3])).tolist() == [0, 1, 0, 1, 2]
    assert places_within(np.zeros(0, np.int64)).tolist() == []


@pytest.mark.parametrize("dtype", [np.int64, object])
def test_labels_are_found_by_name(dtype: type) -> None:
    labels, wanted = np.array([7, 3, 5]), np.array([5, 4, 7], dtype)
    assert code_by_name(labels) == {"7": 0, "3": 1, "5": 2}
    assert match_labels(wanted, labels).tolist() == [2, -1, 0]
    assert match_labels(wanted, labels[:0]).tolist() == [-1, -1, -1]
    assert match_labels(labels, labels).tolist() == [0, 1, 2]
