"""Pairs of rows: what is compared, and the best partner, beside looking at every pair."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest

from recloak.attacks._pair_scorer import PairTable
from recloak.attacks._row_pair_kernels import (
    KNOWN_FACTORS,
    MISPLACED,
    PAIR,
    VIOLATES,
    best_partners,
)
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.testing import context_of, from_rows
from tests.attacks.test_scoreboard import fragmented


def table_of(context: AuditContext, factors: int = 0) -> PairTable:
    rng = np.random.default_rng(4)
    vectors = rng.standard_normal((context.rows.n_items, 3)).astype(np.float32)
    known = rng.standard_normal((context.rows.n_items, factors)).astype(np.float32)
    return PairTable.of(context, vectors, known)


def test_what_is_compared_by_hand() -> None:
    people = {"u": {"a": 5, "b": 4}, "v": {"b": 2, "c": 3}, "w": {"b": 3, "c": 1, "d": 4}}
    rows = from_rows(people)
    table = table_of(context_of(rows))
    order = [rows.user_labels.tolist().index(name) for name in "uvw"]
    own = table.context.linkage.first_row(np.array(order))
    features = table.pair_features(own[:1], own[1:2])[0]
    biases = [(5 - 5 + 4 - 3) / 5, (2 - 3 + 3 - 2) / 5]
    assert features[0] == pytest.approx(abs(biases[0] - biases[1]))
    assert features[2] == pytest.approx(2 * log(2))
    assert features[8] == pytest.approx(log(2) - log(1))
    assert features[10] == pytest.approx(log(3) - log(2))
    assert features[VIOLATES] == 0
    assert features[5] == pytest.approx(
        float(table.traits.directions[own[0]] @ table.traits.directions[own[1]])
    )
    assert features[11] == features[12] == 0
    assert table.pair_features(own[2:], own[:1])[0, VIOLATES] == 0
    assert table.pair_features(own[2:], own[1:2])[0, VIOLATES] == 0


def test_a_centroid_that_is_more_common_than_another_item_contradicts() -> None:
    common = {f"x{at}": {"b": 3, "c": 3} for at in range(4)}
    rows = from_rows({"u": {"a": 5, "d": 4}, "v": {"b": 2, "c": 3}, **common})
    table = table_of(context_of(rows))
    labels = rows.user_labels.tolist()
    own = table.context.linkage.first_row(np.array([labels.index("u"), labels.index("v")]))
    assert table.pair_features(own[:1], own[1:])[0, VIOLATES] == 1


def test_times_lie_apart_by_the_gap_between_them() -> None:
    day = 86_400
    rows = Ratings.from_columns(
        [1, 1, 2, 2], [1, 2, 3, 4], [3] * 4, [0, 2 * day, 5 * day, 9 * day], scale="1..5"
    )
    context = context_of(rows, "identity")
    features = table_of(
        AuditContext(rows, rows, context.linkage, context.item_in_release)
    ).pair_features(np.array([0]), np.array([1]))[0]
    assert exp(features[11]) - 1 == pytest.approx(3 * day)
    assert exp(features[12]) - 1 == pytest.approx(6)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("never_violates", "factors", "never_misplaced"),
    [(False, 0, False), (True, 2, False), (False, 2, True)],
)
@pytest.mark.parametrize("times", [False, True])
def test_the_best_partners_share_no_item(
    never_violates: bool, factors: int, never_misplaced: bool, times: bool, seed: int
) -> None:
    table = table_of(fragmented(8, times=times), factors)
    n_rows = table.context.rows.n_users
    slopes = np.random.default_rng(seed).standard_normal(PAIR + (KNOWN_FACTORS if factors else 0))
    queries = np.arange(0, n_rows, 3)
    found, odds = np.full((len(queries), 4), -1), np.full((len(queries), 4), -np.inf)
    given = (table.rows, table.traits, slopes, never_violates, never_misplaced, queries)
    directions = table.traits.directions
    best_partners(*given, directions[queries] @ directions.T, found, odds)
    items = [set(table.context.rows.row(at)[0].tolist()) for at in range(n_rows)]
    for at, row in enumerate(queries):
        others = np.array(
            [one for one in range(n_rows) if one != row and not items[one] & items[row]]
        )
        features = table.pair_features(np.full(len(others), row), others)
        worth = {
            int(one): float(score)
            for one, score, line in zip(others, features @ slopes, features, strict=True)
            if not (never_violates and line[VIOLATES]) and not (never_misplaced and line[MISPLACED])
        }
        wanted = sorted(worth, key=lambda one: -worth[one])[:4]
        assert found[at][found[at] >= 0].tolist() == wanted
        assert odds[at, : len(wanted)] == pytest.approx([worth[one] for one in wanted], abs=1e-6), (
            "products of directions are of single precision"
        )


def test_items_nearer_to_the_other_centroid_are_misplaced() -> None:
    rows = from_rows({"u": {"a": 5, "b": 4}, "v": {"c": 2, "d": 3}, "w": {"b": 1, "d": 1}})
    context = context_of(rows)
    vectors = np.zeros((4, 1), np.float32)
    lying = {"a": 0.0, "b": 9.0, "c": 10.0, "d": 11.0}
    factors = np.array([[lying[str(name)]] for name in context.rows.item_labels], np.float32)
    table = PairTable.of(context, vectors, factors)
    own = context.linkage.first_row(np.array([0, 1]))
    features = table.pair_features(own[:1], own[1:])[0]
    assert features[15] == pytest.approx(1 / 4)
    assert features[16] == 1
    assert not features[17:].any()


def test_rows_that_fit_although_others_would_not_are_likely_one_persons() -> None:
    """By hand: of what a row around b would hold, the share that lies nearer to another's."""
    rows = from_rows({"u": {"a": 5, "b": 4}, "v": {"c": 2, "d": 3}, "w": {"b": 1, "d": 1}})
    context = context_of(rows)
    lying = {"a": 0.0, "b": 3.0, "c": 10.0, "d": 11.0}
    factors = np.array([[lying[str(name)]] for name in context.rows.item_labels], np.float32)
    table = PairTable.of(context, np.zeros((4, 1), np.float32), factors, 2.0)
    u, v, w = context.linkage.first_row(np.array([0, 1, 2]))
    founders = {row: str(context.rows.item_labels[table.traits.rarest[row]]) for row in (u, v, w)}
    rated = [str(context.rows.item_labels[item]) for item in context.rows.items]

    def gap(one: str, other: str) -> float:
        return (lying[one] - lying[other]) ** 2

    def held(founder: str, item: str) -> float:
        nearer = sum(gap(one, item) < gap(founder, item) for one in founders.values())
        return 1 - nearer / len(founders)

    def surprise(one: int, other: int) -> float:
        mine, theirs = founders[one], founders[other]
        lost = sum(held(mine, x) for x in rated if gap(x, theirs) < gap(x, mine))
        return -log(1 - min(lost / sum(held(mine, x) for x in rated), 0.999))

    features = table.pair_features(np.array([u, u]), np.array([v, w]))
    assert features[0, 17] == pytest.approx(surprise(u, v) + surprise(v, u), rel=1e-5)
    assert features[0, 18] == pytest.approx(min(features[0, 17], 6))
    assert features[0, 19] == pytest.approx(log(1 + features[0, 17]))
    assert surprise(u, v) > 0
    assert not features[1, 17:].any()  # b of u is the rarest item of w
