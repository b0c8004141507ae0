"""Codes in the order in which ids are first seen, against a dictionary."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recloak.core.kernels import id_codes as coding

near = st.lists(st.integers(-50, 50), min_size=1, max_size=30).map(np.array)
far = st.lists(
    st.sampled_from([-(2**63), -1, 0, 1, 2**40, 2**41, 2**63 - 1]) | st.integers(-3, 3),
    min_size=1,
    max_size=30,
).map(lambda numbers: np.array(numbers, np.int64))
texts = st.lists(st.text(max_size=4), max_size=20)


def first_seen(ids: list) -> tuple[list[int], list]:
    """What all of the kernels are to give."""
    known: dict = {}
    codes = [known.setdefault(each, len(known)) for each in ids]
    return codes, list(known)


@given(near, near)
def test_by_table(ids: np.ndarray, more: np.ndarray) -> None:
    table, labels = np.full(101, -1, np.int32), np.empty(60, np.int64)
    codes = np.empty(len(ids) + len(more), np.int32)
    count = coding.code_by_table(ids, -50, table, labels, 0, codes[: len(ids)])
    count = coding.code_by_table(more, -50, table, labels, count, codes[len(ids) :])
    expected, known = first_seen([*ids.tolist(), *more.tolist()])
    assert codes.tolist() == expected
    assert labels[:count].tolist() == known


@given(far, far)
def test_by_hash(ids: np.ndarray, more: np.ndarray) -> None:
    slots, labels = np.full(64, -1, np.int32), np.empty(60, np.int64)
    codes = np.empty(len(ids) + len(more), np.int32)
    count = coding.code_by_hash(ids, slots, labels, 0, codes[: len(ids)])
    rebuilt = np.full(128, -1, np.int32)
    coding.fill_slots(labels[:count], rebuilt)
    count = coding.code_by_hash(more, rebuilt, labels, count, codes[len(ids) :])
    expected, known = first_seen([*ids.tolist(), *more.tolist()])
    assert codes.tolist() == expected
    assert labels[:count].tolist() == known


@given(near)
def test_ends(ids: np.ndarray) -> None:
    assert coding.ends_of(ids) == (ids.min(), ids.max())


def spans(words: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    raw = [word.encode() for word in words]
    ends = np.cumsum([len(each) for each in raw], dtype=np.int32)
    starts = np.concatenate([[0], ends[:-1]]).astype(np.int32)[: len(words)]
    return np.frombuffer(b"".join(raw) or b" ", np.uint8), starts, ends


@given(texts, texts)
def test_texts(words: list[str], more: list[str]) -> None:
    hashes, bounds, known = np.empty(40, np.int64), np.zeros(41, np.int64), np.empty(999, np.uint8)
    codes = np.empty(len(words) + len(more), np.int32)
    slots, here = np.full(64, -1, np.int64), codes[: len(words)]
    count = coding.code_texts(*spans(words), slots, hashes, known, bounds, 0, here)
    rebuilt, there = np.full(128, -1, np.int64), codes[len(words) :]
    coding.fill_marked_slots(hashes[:count], rebuilt)
    count = coding.code_texts(*spans(more), rebuilt, hashes, known, bounds, count, there)
    expected, labels = first_seen([*words, *more])
    assert codes.tolist() == expected
    found = [known[bounds[at] : bounds[at + 1]].tobytes().decode() for at in range(count)]
    assert found == labels


@given(st.lists(st.text("ab", max_size=3), min_size=1, max_size=6), st.integers(0, 8))
def test_split_at(words: list[str], room: int) -> None:
    data = np.frombuffer("|".join(words).encode(), np.uint8)
    starts, ends = np.empty((2, room), np.int32)
    count = coding.split_at(data, ord("|"), starts, ends)
    if room < len(words):
        assert count == -1
        return
    found = [data[starts[at] : ends[at]].tobytes().decode() for at in range(count)]
    assert found == words
