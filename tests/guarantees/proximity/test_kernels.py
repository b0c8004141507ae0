from __future__ import annotations

import numpy as np
import pytest

from recloak.core.survey import NULL, Survey
from recloak.guarantees.proximity._bitmap_kernels import (
    DistinctRecords,
    Ladders,
    ladder_bits,
    search,
)
from recloak.guarantees.proximity._clique_kernels import box_cliques, extents
from recloak.guarantees.proximity._plain_kernels import add_up, dissimilarities, slice_out
from tests.support.plain_proximity import distance, proximate, random_survey


@pytest.fixture(params=[(40, 3, 5), (60, 9, 12), (12, 1, 2)], ids=str)
def data(request: pytest.FixtureRequest) -> Survey:
    n, issues, r = request.param
    return random_survey(np.random.default_rng(n), n, issues, r)


def plain_near(data: Survey, epsilon: int) -> np.ndarray:
    known = data.known
    return np.array([[proximate(a, b, epsilon, data.r) for b in known] for a in known])


def test_ladders_tell_who_is_within_epsilon(data: Survey) -> None:
    for epsilon in range(data.r):
        own, rungs, due = ladder_bits(np.ascontiguousarray(data.known.T), data.r, epsilon)
        near = plain_near(data, epsilon)
        for one, row in enumerate(data.known):
            for other, answers in enumerate(data.known):
                if np.array_equal(row == NULL, answers == NULL):  # bits are for one null pattern
                    clash = ((own[:, other] ^ due[:, one]) & rungs[:, one]).any()
                    assert near[one, other] == (not clash)


def test_search_counts_and_adds_up_within_a_pattern() -> None:
    rng = np.random.default_rng(5)
    known = rng.integers(0, 4, (200, 4)).astype(np.int8)
    known[:, 2] = NULL
    known = known[np.lexsort(known.T[::-1])]
    levels = np.ascontiguousarray(known.T)
    people = rng.integers(1, 4, 200).astype(np.int32)
    moments = rng.integers(0, 9, (200, 2))
    near = np.array([[proximate(a, b, 1, 4) for b in known] for a in known])
    bounds, whole = np.array([[0, 200], [0, 200]]), np.array([[0, 90], [90, 200]])
    for enough in (10**9, 15):
        sizes, sums = np.zeros(200, np.int64), np.zeros((200, 2), np.int64)
        ladders = Ladders(*ladder_bits(levels, 4, 1))
        search(
            bounds,
            whole,
            DistinctRecords(levels, people, moments),
            ladders,
            1,
            4,
            enough,
            sizes,
            sums,
        )
        expected = near @ people
        assert np.array_equal(np.minimum(sizes, enough), np.minimum(expected, enough))
        if enough == 10**9:
            assert np.array_equal(sums, near @ moments)


def test_all_pairs_and_slices(data: Survey) -> None:
    n, moments = data.n, np.arange(2 * data.n).reshape(data.n, 2)
    matrix = np.zeros((n, n), np.uint8)
    dissimilarities(data.known, data.r, 0, n, matrix)
    known = data.known
    plain = [
        [max(distance(a, b, data.r) for a, b in zip(x, y, strict=True)) for y in known]
        for x in known
    ]
    assert matrix.tolist() == plain
    columns = np.ascontiguousarray(known.T)
    order = np.argsort(columns[0], kind="stable").astype(np.int32)
    for epsilon in (0, 1):
        near = plain_near(data, epsilon)
        for match_rule in ("pairs", "slices"):
            sizes, sums = np.zeros(n, np.int64), np.zeros((n, 2), np.int64)
            if match_rule == "pairs":
                add_up(matrix, epsilon, moments, 0, n, sizes, sums)
            else:
                slice_out(columns, order, epsilon, data.r, moments, 0, n, sizes, sums)
            assert np.array_equal(sizes, near.sum(axis=1))
            assert np.array_equal(sums, near @ moments)


def test_extents_are_the_widest_pairs(data: Survey) -> None:
    order = np.random.default_rng(0).permutation(data.n)
    starts = np.array([0, 3, 4, data.n])
    moments = np.ones((data.n, 1), np.int64)
    sums = np.zeros((3, 1), np.int64)
    widest, width = extents(data.known, order, starts, data.r, moments, sums)
    assert sums[:, 0].tolist() == np.diff(starts).tolist()
    for group in range(3):
        rows = data.known[order[starts[group] : starts[group + 1]]]
        by_issue = [
            max(distance(a, b, data.r) for a in column for b in column) for column in rows.T
        ]
        assert width[group] == max(by_issue)
        assert by_issue[widest[group]] == width[group]


@pytest.mark.parametrize("epsilon", [0, 1, 2])
def test_boxes_are_disjoint_cliques_of_k(epsilon: int) -> None:
    rng = np.random.default_rng(epsilon)
    for most in (3, 40):
        known = rng.integers(0, 4, (40, 2)).astype(np.int8)
        group = np.full(40, -1, np.int64)
        left = box_cliques(np.ascontiguousarray(known.T), 0, 40, epsilon, 4, 3, most, group)
        assert left == (group < 0).sum()
        for box in np.unique(group[group >= 0]):
            members = known[group == box]
            assert len(members) >= 3
            assert all(proximate(a, b, epsilon, 4) for a in members for b in members)
        assert epsilon == 0 or left < 20
