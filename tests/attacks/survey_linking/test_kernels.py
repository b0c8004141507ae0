"""Linking: the kernel finds the rows that a plain reader finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.attacks._answer_distances import UNKNOWN
from recloak.attacks.survey_linking._kernels import link

R = 5


def between(one: int, other: int) -> int:
    if (one < 0) != (other < 0):
        return R
    return abs(one - other)


def plain(
    wanted: list[int], rows: list[list[int]], reach: int, nearest: bool
) -> tuple[list[int], list[list[int]]]:
    """The rows that fit, and the distance of each issue that is asked, row by row."""
    queries = [issue for issue, level in enumerate(wanted) if level != UNKNOWN]
    apart = [[between(wanted[issue], row[issue]) for issue in queries] for row in rows]
    fits = [at for at, gaps in enumerate(apart) if all(gap <= reach for gap in gaps)]
    if not fits and nearest:
        least = min(map(sum, apart))
        fits = [at for at, gaps in enumerate(apart) if sum(gaps) == least]
    return fits, apart


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 30),
    issues=st.integers(1, 4),
    reach=st.integers(0, 2),
    nearest=st.booleans(),
)
def test_finds_what_a_plain_reader_finds(
    seed: int, n: int, issues: int, reach: int, nearest: bool
) -> None:
    rng = np.random.default_rng(seed)
    known = rng.integers(-1, R, (n, issues)).astype(np.int8)
    hidden = rng.integers(-1, R, (n, 2)).astype(np.int8)
    queries = rng.integers(-2, R, (6, issues)).astype(np.int8)
    own = rng.integers(0, n, 6)
    found, votes = np.zeros((6, 2), np.int64), np.zeros((6, 2, R), np.int64)
    link(0, 6, queries, reach, nearest, known, hidden, R, own, found, votes)
    for person in range(6):
        fits, _ = plain(queries[person].tolist(), known.tolist(), reach, nearest)
        assert found[person].tolist() == [len(fits), int(own[person] in fits)]
        for issue in range(2):
            levels = [int(hidden[row, issue]) for row in fits if hidden[row, issue] >= 0]
            assert votes[person, issue].tolist() == [levels.count(level) for level in range(R)]


@pytest.mark.parametrize(("nearest", "rows"), [(False, 0), (True, 1)])
def test_no_answer_fits_no_answer_alone(nearest: bool, rows: int) -> None:
    known = np.array([[0], [4]], np.int8)
    found, votes = np.zeros((1, 2), np.int64), np.zeros((1, 0, R), np.int64)
    nobody = np.empty((2, 0), np.int8)
    queries = np.array([[-1]], np.int8)
    link(0, 1, queries, R - 1, nearest, known, nobody, R, np.array([0]), found, votes)
    assert found[0, 0] == 2 * rows  # both are equally far from no answer
