"""Centred rows beside the same tables written out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from recloak.attacks.membership import _centred_rows
from recloak.attacks.membership._centred_rows import CentredRows
from recloak.core.arrays import Floats
from recloak.core.ratings import Ratings
from recloak.testing import random_ratings

ITEMS = 15


def shares() -> Floats:
    """The last item is not in the release."""
    found = np.arange(ITEMS, 0, -1.0) - 1
    return np.asarray(found / found.sum())


def items_written_out(ratings: Ratings) -> Floats:
    table = np.zeros((ratings.n_users, ITEMS))
    table[ratings.user_codes(), ratings.items] = 1
    expected = ratings.user_counts[:, None] * shares()
    there = shares() > 0
    table[:, there] = (table - expected)[:, there] / np.sqrt(expected[:, there])
    table[:, ~there] = 0
    return table


def of_both_kinds(seed: int) -> list[tuple[CentredRows, Floats]]:
    ratings = random_ratings(20, ITEMS, 0.5, seed=seed)
    rng = np.random.default_rng(seed)
    liked, weights = rng.normal(size=len(ratings)), np.arange(1.0, ITEMS + 1)
    tastes = np.zeros((20, ITEMS))
    tastes[ratings.user_codes(), ratings.items] = liked * weights[ratings.items]
    return [
        (CentredRows(sparse.csr_array(tastes), np.zeros(20), np.zeros(ITEMS)), tastes),
        (CentredRows.of_items(ratings, shares()), items_written_out(ratings)),
    ]


def test_what_is_computed_of_a_table_is_that_of_the_table() -> None:
    columns = np.random.default_rng(1).normal(size=(ITEMS, 3))
    people = np.random.default_rng(2).normal(size=(20, 3))
    for rows, table in of_both_kinds(3):
        np.testing.assert_allclose(rows.times(columns), table @ columns)
        np.testing.assert_allclose(rows.turned_times(people), table.T @ people, atol=1e-12)
        np.testing.assert_allclose(rows.squares_times(columns), table**2 @ columns, atol=1e-9)
        np.testing.assert_allclose(rows.squares, (table**2).sum(axis=1))
        np.testing.assert_allclose(rows.squares_of_items, (table**2).sum(axis=0), atol=1e-9)


def test_directions_are_those_in_which_rows_differ_most() -> None:
    for rows, table in of_both_kinds(4):
        found = rows.directions(3)
        _, _, right = np.linalg.svd(table)
        np.testing.assert_allclose(np.abs(right[:3] @ found), np.eye(3), atol=0.02)


def test_where_everybody_rated_everything_nothing_lies_along_any_direction() -> None:
    """As in a survey whose questions all have answered."""
    rows = CentredRows.of_items(random_ratings(20, 4, 1.0), np.full(4, 0.25))
    directions = rows.directions(8)
    assert directions.shape == (4, 0)
    assert [found.tolist() for found in rows.along(directions, (2, 8))] == [[0.0] * 20] * 2


def test_along_directions_an_item_does_not_count_by_itself() -> None:
    directions = np.linalg.qr(np.random.default_rng(1).normal(size=(ITEMS, 4)))[0]
    for rows, table in of_both_kinds(5):
        two, all_four = rows.along(directions, (2, 9))
        for person in (0, 7, 19):
            pairs = np.outer(table[person], table[person])
            for found, some in ((two, directions[:, :2]), (all_four, directions)):
                together = pairs * (some @ some.T)
                expected = (together.sum() - np.trace(together)) / np.trace(pairs)
                assert found[person] == pytest.approx(expected)


def test_agreement_is_that_of_all_pairs_with_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_centred_rows, "PEOPLE_PER_BLOCK", 7)
    own = np.where(np.arange(20) % 3 == 0, -1, np.arange(20)[::-1])
    for (rows, table), (others, other_table) in zip(
        of_both_kinds(6), of_both_kinds(7), strict=True
    ):
        found = rows.agreement(others, own)
        for person in range(20):
            kept = np.delete(other_table, own[person], 0) if own[person] >= 0 else other_table
            together = np.outer(table[person], table[person]) * (kept.T @ kept)
            assert found[person] == pytest.approx(together.sum() - np.trace(together))
