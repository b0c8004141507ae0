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
    return made.keyed_digests(made.ratings.values).tobytes()


def test_each_rating_adds_the_hash_of_person_and_value() -> None:
    """With more values than are remembered at once, and the same ones again."""
    rng = np.random.default_rng(5)
    table = rng.choice(rng.random(200), (4, 300)).astype(np.float32)
    users, items = np.nonzero(table)
    ratings = Ratings.from_columns(users, items, table[users, items])
    made = Timeline(replace(ratings, times=np.zeros(len(users), np.int64)), KEY * 2)
    snapshot = made.at(len(users))
    plain = np.zeros((ratings.n_items, 2), np.uint64)
    for user, row in enumerate(table):
        for item, value in enumerate(row.view(np.uint32)):
            for lane, key in enumerate((KEY, KEY)):
                person = snapshot.user_hashes[user, lane].tobytes()
                plain[item, lane : lane + 1] += one_hash(
                    person + int(value).to_bytes(8, "little"), key
                )
    assert snapshot.value_digests.tobytes() == plain.tobytes()


def one_hash(text: bytes, key: bytes) -> np.uint64:
    content, offsets = np.frombuffer(text, np.uint8), np.array([0, len(text)])
    return np.uint64(hash_texts(content, offsets, np.frombuffer(key * 2, np.uint64))[0, 0])


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
