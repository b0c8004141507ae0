"""Codes in the order in which ids are first seen, against a dictionary."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recloak.core.id_encoder import IdEncoder
from recloak.core.kernels import id_codes as coding
from recloak.core.string_table import Strings, StringTable

near = st.lists(st.integers(-50, 50), min_size=1, max_size=30).map(np.array)
far = st.lists(
    st.sampled_from([-(2**63), -1, 0, 1, 2**40, 2**41, 2**63 - 1]) | st.integers(-3, 3),
    min_size=1,
    max_size=30,
).map(lambda numbers: np.array(numbers, np.int64))
texts = st.lists(st.text(max_size=4) | st.text("a\0", min_size=7, max_size=25), max_size=20)


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
    table = StringTable()
    codes = np.concatenate([table.codes(*spans(words)), table.codes(*spans(more))])
    expected, labels = first_seen([*words, *more])
    assert codes.tolist() == expected
    assert table.labels() == labels


def test_a_table_grows_as_texts_are_met() -> None:
    words = [f"{number}{'x' * (number % 40)}" for number in range(3000)] * 2
    expected, labels = first_seen(words)
    table = StringTable()
    assert table.codes(*spans(words)).tolist() == expected
    assert table.labels() == labels


@given(st.lists(st.lists(st.sampled_from("abcdefü"), min_size=1)), st.sets(st.integers(0, 3)))
def test_batches_that_share_a_table(batches: list[list[str]], left_out: set[int]) -> None:
    shared, encoder = StringTable(["never used"]), IdEncoder()
    coded = [Strings.in_spans(*spans(batch), shared) for batch in batches]
    taken = [at for at in range(len(batches)) if at not in left_out]
    codes = [code for at in taken for code in encoder.codes(coded[at]).tolist()]
    expected, labels = first_seen([word for at in taken for word in batches[at]])
    assert codes == expected
    if taken:
        ranked, rank = encoder.ranked()
        assert ranked.tolist() == sorted(labels)
        assert ranked[rank].tolist() == labels


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
