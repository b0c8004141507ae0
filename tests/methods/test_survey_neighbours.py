"""Neighbours in the tree of answers, and the core that peeling leaves, against brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.core.progress import SILENT
from recloak.methods._survey_neighbours import (
    AnswerClasses,
    in_lacking_neighbourhoods,
    kept_records,
)


def proximate(one: np.ndarray, other: np.ndarray, width: int) -> bool:
    """Both null, or both answered and within ``width``, in every issue."""
    same = (one > 0) == (other > 0)
    apart = np.abs(one.astype(int) - other.astype(int))
    return bool((same & (apart <= width)).all())


def neighbourhood(cells: np.ndarray, one: int, among: list[int], width: int) -> list[int]:
    return [other for other in among if proximate(cells[one], cells[other], width)]


def deviates(answers: np.ndarray, least: float) -> bool:
    given_ = answers[answers > 0]
    return least == 0 or len(given_) == 0 or (len(given_) > 1 and given_.std() >= least - 1e-9)


def anonymous(
    cells: np.ndarray, hidden: np.ndarray, among: list[int], k: int, width: int, least: float
) -> bool:
    """The paper's definitions 2 and 3, record by record."""
    for one in among:
        near = neighbourhood(cells, one, among, width)
        if len(near) < k or not all(deviates(column, least) for column in hidden[near].T):
            return False
    return True


def most_that_stay(cells: np.ndarray, hidden: np.ndarray, k: int, width: int, least: float) -> int:
    n = len(cells)
    for size in range(n, 0, -1):
        for among in combinations(range(n), size):
            if anonymous(cells, hidden, list(among), k, width, least):
                return size
    return 0


def sample(seed: int, n: int, issues: int, r: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    cells = rng.integers(1, r + 1, (n, issues))
    cells[rng.random((n, issues)) < 0.15] = 0
    return cells.astype(np.int8), rng.integers(0, r + 1, (n, 1)).astype(np.int8)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(1, 40), width=st.integers(0, 2))
def test_neighbourhoods(seed: int, n: int, width: int) -> None:
    cells, hidden = sample(seed, n, 3)
    found = AnswerClasses.of(cells, hidden, 4, width, SILENT)
    class_of = np.empty(n, dtype=int)
    class_of[found.order] = np.repeat(np.arange(len(found.total)), np.diff(found.starts))
    for one in range(n):
        near = neighbourhood(cells, one, list(range(n)), width)
        levels = hidden[near, 0].astype(int)
        wanted = [len(near), int((levels > 0).sum()), levels.sum(), np.square(levels).sum()]
        assert found.total[class_of[one]].tolist() == wanted


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), k=st.integers(2, 4), width=st.integers(0, 1))
def test_peeling_keeps_the_largest_core(seed: int, k: int, width: int) -> None:
    cells, hidden = sample(seed, 7, 2)
    kept = kept_records(cells, hidden[:, :0], 4, k, width, 0.0, SILENT)
    among = np.flatnonzero(kept).tolist()
    assert anonymous(cells, hidden[:, :0], among, k, width, 0.0)
    assert len(among) == most_that_stay(cells, hidden[:, :0], k, width, 0.0)


def test_greedy_deletion_holds_and_is_mostly_as_good_as_can_be() -> None:
    optimal, tried = 0, 60
    for seed in range(tried):
        cells, hidden = sample(seed, 7, 1)
        kept = kept_records(cells, hidden, 4, 2, 1, 1.0, SILENT)
        among = np.flatnonzero(kept).tolist()
        assert anonymous(cells, hidden, among, 2, 1, 1.0)
        optimal += len(among) == most_that_stay(cells, hidden, 2, 1, 1.0)
    assert optimal >= 45, optimal


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(1, 30))
def test_who_stands_in_a_neighbourhood_that_lacks_something(seed: int, n: int) -> None:
    cells, hidden = sample(seed, n, 2)
    everyone = list(range(n))
    wanted = np.zeros(n, dtype=bool)
    for one in everyone:
        near = neighbourhood(cells, one, everyone, 1)
        if len(near) < 2 or not deviates(hidden[near, 0], 1.0):
            wanted[near] = True
    found = in_lacking_neighbourhoods(cells, hidden, 4, 2, 1, 1.0, SILENT)
    assert found.tolist() == wanted.tolist()
