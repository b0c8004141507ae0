"""Draws of people follow from root and name alone, and never share a word."""

from __future__ import annotations

import hashlib
from unittest.mock import patch

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from recloak.core import people_draws
from recloak.core.people_draws import PeopleDraws, redrawn
from recloak.core.randomness import PSEUDONYM_HIGH, PSEUDONYM_LOW, Randomness

NAMES = st.lists(st.text(max_size=300), min_size=1, max_size=12, unique=True)


def labels_of(names: list[str]) -> np.ndarray:
    labels = np.empty(len(names), object)
    labels[:] = names
    return labels


def plain_words(seed: int, name: str, purpose: str, count: int) -> list[int]:
    """The definition: BLAKE2b of the name is the nonce, AES of nonce and counter the words."""
    randomness = Randomness.from_seed(seed)
    key = randomness.child("people").root
    nonce = hashlib.blake2b(f"{name}\n".encode(), key=key, digest_size=12).digest()
    cipher = Cipher(
        algorithms.AES(randomness.child("drawn by people", purpose).root), modes.ECB()
    ).encryptor()
    blocks = [cipher.update(nonce + at.to_bytes(4, "little")) for at in range(count)]
    return np.frombuffer(b"".join(blocks), "<u8")[:count].tolist()


@pytest.mark.parametrize("few", [0, people_draws.FEW_PEOPLE])
@settings(max_examples=60)
@given(NAMES, st.integers(0, 10**6), st.data())
def test_words_are_those_of_the_definition(
    few: int, names: list[str], seed: int, data: st.DataObject
) -> None:
    """The names of many are hashed by a kernel, those of few without one."""
    counts = data.draw(st.lists(st.integers(0, 5), min_size=len(names), max_size=len(names)))
    with patch.object(people_draws, "FEW_PEOPLE", few):
        people = PeopleDraws.of(Randomness.from_seed(seed), labels_of(names))
    drawn = people.stream("noise").words(counts)
    expected = [
        word
        for name, count in zip(names, counts, strict=True)
        for word in plain_words(seed, name, "noise", count)
    ]
    assert drawn.tolist() == expected


@settings(max_examples=60)
@given(NAMES, st.integers(0, 10**6), st.data())
def test_draws_hang_neither_on_others_nor_on_the_order(
    names: list[str], seed: int, data: st.DataObject
) -> None:
    randomness = Randomness.from_seed(seed)
    everyone = PeopleDraws.of(randomness, labels_of(names)).one_pseudonym("pseudonyms")
    some = data.draw(st.permutations(names))[: data.draw(st.integers(1, len(names)))]
    fewer = PeopleDraws.of(randomness, labels_of(some)).one_pseudonym("pseudonyms")
    mine = dict(zip(names, everyone.tolist(), strict=True))
    assert fewer.tolist() == [mine[name] for name in some]


def test_numbers_and_their_text_are_the_same_name() -> None:
    randomness = Randomness.from_seed(1)
    numbers = PeopleDraws.of(randomness, np.array([7, -12, 10**15])).one_pseudonym("x")
    texts = PeopleDraws.of(randomness, labels_of(["7", "-12", str(10**15)])).one_pseudonym("x")
    assert numbers.tolist() == texts.tolist()


def test_no_two_draws_share_a_word() -> None:
    people = PeopleDraws.of(Randomness.from_seed(1), np.arange(3000))
    counts = np.arange(3000) % 7
    drawn = [people.stream(name).words(counts) for name in ("noise", "pseudonyms", "places")]
    words = np.concatenate(drawn)
    assert len(np.unique(words)) == len(words) == 3 * counts.sum()


def test_numbers_are_distributed_as_they_should() -> None:
    people = PeopleDraws.of(Randomness.from_seed(5), np.arange(4000))
    counts = np.full(4000, 5)
    uniform = people.stream("u").uniform(counts)
    assert stats.kstest(uniform, "uniform").pvalue > 1e-4
    assert stats.kstest(uniform[::5], "uniform").pvalue > 1e-4
    assert stats.kstest(people.stream("n").normal(counts), "norm").pvalue > 1e-4
    assert abs(stats.spearmanr(np.arange(4000), people.one_pseudonym("p")).statistic) < 0.06


def test_pseudonyms_have_fifteen_digits() -> None:
    drawn = PeopleDraws.of(Randomness.from_seed(5), np.arange(5000)).pseudonyms(
        np.full(5000, 2), "p"
    )
    assert drawn.min() >= PSEUDONYM_LOW
    assert drawn.max() < PSEUDONYM_HIGH
    assert len(np.unique(drawn)) == 10_000


@pytest.fixture
def few_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few pseudonyms that many are equal at first."""
    monkeypatch.setattr(people_draws, "as_pseudonyms", lambda words: (words % 97).astype(np.int64))


@pytest.mark.usefixtures("few_numbers")
def test_equal_pseudonyms_are_drawn_again_whatever_the_order() -> None:
    randomness, labels = Randomness.from_seed(5), np.arange(20)
    counts = labels % 4
    names = PeopleDraws.of(randomness, labels).pseudonyms(counts, "p")
    assert len(np.unique(names)) == len(names) == counts.sum()
    shuffled = np.random.default_rng(0).permutation(20)
    again = PeopleDraws.of(randomness, labels[shuffled]).pseudonyms(counts[shuffled], "p")
    ends = np.cumsum(counts[shuffled])
    mine = {
        person: again[end - counts[person] : end]
        for person, end in zip(shuffled, ends, strict=True)
    }
    assert np.concatenate([mine[person] for person in labels]).tolist() == names.tolist()


@pytest.mark.usefixtures("few_numbers")
def test_what_is_taken_is_not_drawn() -> None:
    people = PeopleDraws.of(Randomness.from_seed(5), np.arange(20))
    taken = np.arange(60)
    names = people.pseudonyms(np.ones(20, np.int64), "p", taken=taken)
    assert len(np.unique(names)) == 20
    assert names.min() >= 60


def test_both_of_two_equal_names_change_and_nobody_elses() -> None:
    turns = {1: [8, 5, 9], 2: [6]}

    def draw(turn: int, rows: np.ndarray) -> np.ndarray:
        assert rows.tolist() == {1: [0, 2, 3], 2: [2]}[turn]
        return np.array(turns[turn])

    assert redrawn(np.array([7, 5, 7, 7]), draw).tolist() == [8, 5, 6, 9]
