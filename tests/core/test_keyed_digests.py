"""SipHash-2-4 against the vectors of its authors, and sums that hang on every rating."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from recloak.core._timeline_kernels import hash_texts
from recloak.core.ratings import Ratings
from recloak.core.timeline import Snapshot, Timeline

KEY = bytes(range(16))
VECTORS = {
    0: 0x726FDB47DD0E0E31,
    1: 0x74F839C593DC67FD,
    8: 0x93F5F5799A932462,
    15: 0xA129CA6149BE45E5,
}


def test_the_vectors_of_the_paper() -> None:
    key = np.frombuffer(KEY + KEY[::-1], np.uint64)
    for length, expected in VECTORS.items():
        text = np.arange(length, dtype=np.uint8)
        hashed = hash_texts(text, np.array([0, length]), key)
        assert int(hashed[0, 0]) == expected
        assert int(hashed[0, 1]) != expected


def snapshot(users: list[int], items: list[int], values: list[int], key: bytes) -> Snapshot:
    ratings = Ratings.from_columns(np.array(users), np.array(items), np.array(values), scale="1..5")
    timed = replace(ratings, times=np.zeros(len(users), np.int64))
    return Timeline(timed, key).at(len(users))


def digest(users: list[int], items: list[int], values: list[int], key: bytes = KEY * 2) -> bytes:
    made = snapshot(users, items, values, key)
    return made.keyed_digests(made.ratings.values[made.item_order]).tobytes()


def test_every_rating_person_and_key_counts() -> None:
    plain = digest([1, 2], [7, 7], [4, 5])
    assert plain == digest([2, 1], [7, 7], [5, 4])
    others = [
        digest([1, 2], [7, 7], [5, 4]),
        digest([1, 3], [7, 7], [4, 5]),
        digest([1, 2, 3], [7, 7, 7], [4, 5, 1]),
        digest([1, 2], [7, 7], [4, 5], KEY[::-1] * 2),
    ]
    assert len({plain, *others}) == 5
