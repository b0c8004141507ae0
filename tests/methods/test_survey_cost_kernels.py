"""Fitting and grouping answers: the paper's worked tables, and plain twins of the kernels."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.methods._survey_cost_kernels import (
    ALL_NULL,
    cell_costs,
    cost_changes,
    fit,
    fit_cells,
    merged_cost,
    spread_enough,
)
from recloak.methods.proximity._clustering_kernels import better, grow

Cell = int  # 0: no answer, 1..r: the levels


def counts_of(cells: list[Cell], r: int) -> np.ndarray:
    return np.bincount(cells, minlength=r + 1).astype(np.int32)


def distance(one: Cell, other: Cell, r: int) -> int:
    """The paper's distortion of a cell: null to value and back costs r."""
    if (one == 0) != (other == 0):
        return r
    return abs(one - other)


def alike(cells: tuple[Cell, ...], width: int) -> bool:
    """Are all null, or all answered and within ``width`` of each other?"""
    if 0 in cells:
        return not any(cells)
    return max(cells) - min(cells) <= width


def least_cost(cells: list[Cell], r: int, width: int) -> int:
    """Try everything that the cells could become."""
    return min(
        sum(distance(one, other, r) for one, other in zip(cells, changed, strict=True))
        for changed in product(range(r + 1), repeat=len(cells))
        if alike(changed, width)
    )


def made_alike(cells: list[Cell], r: int, width: int) -> tuple[list[Cell], int]:
    table, out = np.array([cells], np.int8).T.copy(), np.empty((len(cells), 1), np.int8)
    starts, widths = np.array([0, len(cells)]), np.array([width])
    cost = fit_cells(0, 1, np.arange(len(cells)), starts, widths, r, table, out)
    return out[:, 0].tolist(), cost


def moved_into(cells: list[Cell], low: int, high: int) -> tuple[list[Cell], int]:
    """Algorithm 1 with closed intervals: one line of the paper's tables 4 and 5."""
    moved = [min(max(cell, low), high) for cell in cells]
    return moved, sum(abs(a - b) for a, b in zip(cells, moved, strict=True))


def test_table_4() -> None:
    ratings = [3, 4, 5, 6, 7, 7, 8, 8]
    assert made_alike(ratings, 8, 2) == ([5, 5, 5, 6, 7, 7, 7, 7], 5)
    printed = {(3, 5): 11, (4, 6): 7, (5, 7): 5, (6, 8): 6}
    assert {ends: moved_into(ratings, *ends)[1] for ends in printed} == printed


def test_table_5() -> None:
    """The numbers are those of (6,1), (3,6), (4,5), (2,5), which the paper does not print."""
    first, second = [6, 3, 4, 2], [1, 6, 5, 5]
    printed = {(2, 3): 4, (3, 4): 3, (4, 5): 4, (5, 6): 6}
    assert {ends: moved_into(first, *ends)[1] for ends in printed} == printed
    assert made_alike(first, 6, 1) == ([4, 3, 4, 3], 3)
    printed = {(1, 2): 10, (2, 3): 8, (3, 4): 6, (4, 5): 4, (5, 6): 4}
    assert {ends: moved_into(second, *ends)[1] for ends in printed} == printed
    assert made_alike(second, 6, 1) == ([4, 5, 5, 5], 4)


def test_examples_of_definitions_4_and_5() -> None:
    assert sum(distance(a, b, 7) for a, b in zip((5, 6, 0), (5, 5, 0), strict=True)) == 1
    before = [(5, 6, 0), (2, 5, 0), (4, 7, 0), (5, 6, 0)]
    after = [(5, 5, 0), (3, 5, 0), (3, 7, 0), (5, 7, 0)]
    printed = sum(
        distance(a, b, 7)
        for row in zip(before, after, strict=True)
        for a, b in zip(*row, strict=True)
    )
    assert printed == 4
    # what they make within 2 of each other costs less at best
    assert sum(fit(counts_of([row[at] for row in before], 7), 2)[0] for at in range(3)) == 1


@settings(max_examples=60, deadline=None)
@given(
    cells=st.lists(st.integers(0, 4), min_size=1, max_size=5),
    width=st.integers(0, 4),
)
def test_no_other_change_costs_less(cells: list[Cell], width: int) -> None:
    cost, start = fit(counts_of(cells, 4), width)
    assert cost == least_cost(cells, 4, width)
    changed, paid = made_alike(cells, 4, width)
    assert paid == cost
    assert sum(distance(a, b, 4) for a, b in zip(cells, changed, strict=True)) == cost
    assert alike(tuple(changed), width)
    assert (start == ALL_NULL) == (not any(changed))


@settings(max_examples=60, deadline=None)
@given(
    cells=st.lists(st.integers(0, 4), min_size=1, max_size=8),
    into=st.integers(0, 4),
    width=st.integers(0, 3),
)
def test_what_a_change_of_members_costs(cells: list[Cell], into: Cell, width: int) -> None:
    change = np.zeros((6, 6), np.int8)
    cost_changes(counts_of(cells, 4), cell_costs(4, width), change)
    now = fit(counts_of(cells, 4), width)[0]
    assert change[5, into] == fit(counts_of([*cells, into], 4), width)[0] - now
    assert change[cells[0], 5] == fit(counts_of(cells[1:], 4), width)[0] - now
    assert change[cells[0], into] == fit(counts_of([*cells[1:], into], 4), width)[0] - now


def test_two_groups_as_one() -> None:
    one, other = [[1, 2], [0, 0]], [[2, 4], [0, 3]]
    counts = [np.array([counts_of(issue, 4) for issue in group]) for group in (one, other)]
    together = [[*a, *b] for a, b in zip(one, other, strict=True)]
    assert merged_cost(*counts, 1) == sum(least_cost(issue, 4, 1) for issue in together)


@pytest.mark.parametrize(
    ("answers", "least", "enough"),
    [
        ([], 1.0, True),
        ([3], 1.0, False),
        ([3], 0.0, True),
        ([1, 5], 2.0, True),  # t4 and t5 of the paper's table 1
        ([1, 5, 5], 2.0, False),
        ([5, 5, 5, 5], 0.1, False),
        ([6, 1, 1, 1, 5], 2.22, True),  # its issue 4, 2.227
    ],
)
def test_deviation(answers: list[int], least: float, enough: bool) -> None:
    squares = sum(level * level for level in answers)
    assert spread_enough(len(answers), sum(answers), squares, least) == enough


def cost_of(cells: np.ndarray, labels: np.ndarray, r: int, width: int) -> int:
    groups = [cells[labels == group] for group in np.unique(labels)]
    return sum(fit(counts_of(column.tolist(), r), width)[0] for rows in groups for column in rows.T)


def deviates(hidden: np.ndarray, least: float) -> bool:
    columns = [column[column > 0] for column in hidden.T] if least else []
    return all(
        len(column) == 0 or (len(column) > 1 and column.std() >= least - 1e-9) for column in columns
    )


def clustered(
    cells: np.ndarray, hidden: np.ndarray, k: int, width: int, least: float, rounds: int = 30
) -> np.ndarray:
    groups = grow(cells, hidden, 5, k, width, least)
    better(groups, k, width, least, rounds, 1.0, np.random.default_rng(0))
    return groups.labels


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(4, 60),
    k=st.integers(2, 6),
    width=st.integers(0, 1),
    least=st.sampled_from([0.0, 0.5, 1.0]),
)
def test_groups_have_k_members_and_deviation(
    seed: int, n: int, k: int, width: int, least: float
) -> None:
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 6, (n, 4)).astype(np.int8)
    hidden = rng.integers(0, 6, (n, 2)).astype(np.int8)
    labels = clustered(cells, hidden, k, width, least)
    members = np.bincount(labels)
    assert members[members > 0].min() >= min(k, n)
    if deviates(hidden, least):
        assert all(deviates(hidden[labels == group], least) for group in np.unique(labels))
    one_group = np.zeros(n, np.int64)
    assert cost_of(cells, labels, 5, width) <= cost_of(cells, one_group, 5, width)


def test_who_answers_alike_is_together() -> None:
    kinds = np.array([[1, 1, 0, 5], [5, 4, 3, 0], [3, 0, 0, 1]], np.int8)
    which = np.random.default_rng(1).permutation(np.repeat([0, 1, 2], 7))
    labels = clustered(kinds[which], np.zeros((21, 0), np.int8), 3, 0, 0.0)
    assert cost_of(kinds[which], labels, 5, 0) == 0


@pytest.mark.parametrize("least", [0.0, 1.0])
def test_chance_finds_groups_that_single_changes_do_not(least: float) -> None:
    rng = np.random.default_rng(2)
    cells = rng.integers(0, 6, (400, 6)).astype(np.int8)
    hidden = rng.integers(1, 6, (400, 1)).astype(np.int8)
    greedy, annealed = (clustered(cells, hidden, 5, 0, least, rounds) for rounds in (0, 30))
    assert cost_of(cells, annealed, 5, 0) < 0.97 * cost_of(cells, greedy, 5, 0)
    assert np.array_equal(annealed, clustered(cells, hidden, 5, 0, least))
