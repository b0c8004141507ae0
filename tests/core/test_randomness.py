from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from recloak.core.errors import ParameterError
from recloak.core.randomness import PSEUDONYM_HIGH, PSEUDONYM_LOW, Randomness, parse_seed


def test_a_seed_gives_the_same_streams_and_names_different_ones() -> None:
    one, other = Randomness.from_seed(7), Randomness.from_seed("7")
    assert np.array_equal(one.stream("noise", 3).words(99), other.stream("noise", 3).words(99))
    assert not np.array_equal(one.stream("noise", 3).words(9), one.stream("noise", 4).words(9))
    assert not np.array_equal(one.stream("noise", "3").words(9), one.stream("noise", 3).words(9))
    assert not np.array_equal(one.stream("ab", "c").words(9), one.stream("a", "bc").words(9))
    assert one.generator("x").random() == other.generator("x").random()


def test_without_a_seed_it_is_never_the_same() -> None:
    assert Randomness.from_seed(None).root != Randomness.from_seed(None).root


@pytest.mark.parametrize(
    ("seed", "guessable"),
    [
        (7, True),
        (2**127 - 1, True),
        (2**127, False),
        ("0x" + "0" * 31 + "7", True),
        ("0x1" + "0" * 31, False),
        ("0x7", True),
        (None, False),
    ],
)
def test_short_seeds_are_guessable(seed: int | str | None, guessable: bool) -> None:
    assert Randomness.from_seed(seed).guessable is guessable
    assert Randomness.from_seed(seed).child("x").guessable is guessable


@pytest.mark.parametrize("seed", ["", "seven", -1, "1.5", "0xzz"])
def test_what_is_no_seed_is_refused(seed: int | str) -> None:
    with pytest.raises(ParameterError):
        parse_seed(seed)


def test_a_stream_goes_on_where_it_stopped() -> None:
    whole = Randomness.from_seed(1).stream("x").words(10)
    stream = Randomness.from_seed(1).stream("x")
    assert np.concatenate([stream.words(3), stream.words(7)]).tolist() == whole.tolist()


def test_numbers_are_distributed_as_they_should() -> None:
    stream = Randomness.from_seed(5).stream("test")
    uniform = stream.uniform(20_000)
    assert uniform.min() > 0
    assert uniform.max() < 1
    assert stats.kstest(uniform, "uniform").pvalue > 1e-4
    assert stats.kstest(stream.normal(20_000), "norm").pvalue > 1e-4


def test_permutations_hold_everyone_once_and_are_uniform() -> None:
    stream = Randomness.from_seed(5).stream("test")
    seen = [stream.permutation(3).tolist() for _ in range(3000)]
    assert all(sorted(order) == [0, 1, 2] for order in seen)
    counts = [seen.count([a, b, 3 - a - b]) for a in range(3) for b in range(3) if a != b]
    assert stats.chisquare(counts).pvalue > 1e-4


def test_pseudonyms_are_distinct_unordered_and_exact_in_a_float() -> None:
    drawn = Randomness.from_seed(5).stream("pseudonyms").pseudonyms(5000)
    assert len(np.unique(drawn)) == 5000
    assert drawn.min() >= PSEUDONYM_LOW
    assert drawn.max() < PSEUDONYM_HIGH
    assert (drawn.astype(np.float64).astype(np.int64) == drawn).all()
    assert abs(stats.spearmanr(np.arange(5000), drawn).statistic) < 0.06


def test_the_root_is_never_shown() -> None:
    drawn = Randomness.from_entropy()
    assert drawn.root.hex() not in repr(drawn)
