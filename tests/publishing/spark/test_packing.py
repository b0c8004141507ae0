"""Blobs hold what was put into them, and the same content has the same digest."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from recloak.publishing.spark._packing import Array, digest, packed, unpacked

ARRAYS: list[Array] = [
    np.arange(5),
    np.array([-1, 2**40]),
    np.array([], np.int64),
    np.array([0, 65535], np.int32),
    np.array([1.5, -0.0, np.nan], np.float32),
    np.array(["ä", "", "b\x1f\n"], dtype=object),
    np.array([], dtype=object),
]


def test_round_trip() -> None:
    back = unpacked(packed(*ARRAYS))
    assert len(back) == len(ARRAYS)
    for one, other in zip(ARRAYS, back, strict=True):
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist() or np.array_equal(one, other, equal_nan=True)
        assert other.flags.writeable


def test_numbers_take_no_more_room_than_they_need() -> None:
    rng = np.random.default_rng(1)
    small = rng.integers(0, 256, 10_000)
    assert len(packed(small)) < 10_500


def test_digests_tell_arrays_apart() -> None:
    one, other = np.array([1, 2], np.int64), np.array([1, 2], np.int32)
    texts = np.array(["ab", "c"], dtype=object), np.array(["a", "bc"], dtype=object)
    marks = {digest(one), digest(other), digest(one[:1], one[1:]), *map(digest, texts)}
    assert len(marks) == 5
    assert digest(one) == digest(one.copy())
