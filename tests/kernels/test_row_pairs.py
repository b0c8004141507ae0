"""Pairs of rows: what is compared, and the best partner, beside looking at every pair."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest

from recloak.attacks.pair_scorer import PairTable
from recloak.kernels.row_pairs import KNOWN_FACTORS, MISPLACED, PAIR, VIOLATES, best_partners
from recloak.ratings import Ratings
from recloak.scene import Scene
from tests.attacks.test_scoreboard import fragmented
from tests.samples import from_rows
from tests.scenes import scene_of


def table_of(scene: Scene, factors: int = 0) -> PairTable:
    rng = np.random.default_rng(4)
    vectors = rng.standard_normal((scene.rows.n_items, 3)).astype(np.float32)
    known = rng.standard_normal((scene.rows.n_items, factors)).astype(np.float32)
    return PairTable.of(scene, vectors, known)


def test_what_is_compared_by_hand() -> None:
    people = {"u": {"a": 5, "b": 4}, "v": {"b": 2, "c": 3}, "w": {"b": 3, "c": 1, "d": 4}}
    rows = from_rows(people)
    table = table_of(scene_of(rows))
    order = [rows.user_labels.tolist().index(name) for name in "uvw"]
    own = table.scene.linkage.first_row(np.array(order))
    told = table.described(own[:1], own[1:2])[0]
    kindness = [(5 - 5 + 4 - 3) / 5, (2 - 3 + 3 - 2) / 5]
    assert told[0] == pytest.approx(abs(kindness[0] - kindness[1]))
    assert told[2] == pytest.approx(2 * log(2))
    assert told[8] == pytest.approx(log(2) - log(1))
    assert told[10] == pytest.approx(log(3) - log(2))
    assert told[VIOLATES] == 0
    assert told[5] == pytest.approx(
        float(table.traits.directions[own[0]] @ table.traits.directions[own[1]])
    )
    assert told[11] == told[12] == 0
    assert table.described(own[2:], own[:1])[0, VIOLATES] == 0
    assert table.described(own[2:], own[1:2])[0, VIOLATES] == 0


def test_a_centroid_that_is_more_common_than_another_item_contradicts() -> None:
    common = {f"x{at}": {"b": 3, "c": 3} for at in range(4)}
    rows = from_rows({"u": {"a": 5, "d": 4}, "v": {"b": 2, "c": 3}, **common})
    table = table_of(scene_of(rows))
    labels = rows.user_labels.tolist()
    own = table.scene.linkage.first_row(np.array([labels.index("u"), labels.index("v")]))
    assert table.described(own[:1], own[1:])[0, VIOLATES] == 1


def test_times_lie_apart_by_the_gap_between_them() -> None:
    day = 86_400
    rows = Ratings.from_columns(
        [1, 1, 2, 2], [1, 2, 3, 4], [3] * 4, [0, 2 * day, 5 * day, 9 * day], scale="1..5"
    )
    scene = scene_of(rows, "identity")
    told = table_of(Scene(rows, rows, scene.linkage, scene.item_in_release)).described(
        np.array([0]), np.array([1])
    )[0]
    assert exp(told[11]) - 1 == pytest.approx(3 * day)
    assert exp(told[12]) - 1 == pytest.approx(6)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("strict", "factors", "apart"), [(False, 0, False), (True, 2, False), (False, 2, True)]
)
@pytest.mark.parametrize("times", [False, True])
def test_the_best_partners_share_no_item(
    strict: bool, factors: int, apart: bool, times: bool, seed: int
) -> None:
    table = table_of(fragmented(8, times=times), factors)
    n_rows = table.scene.rows.n_users
    slopes = np.random.default_rng(seed).standard_normal(PAIR + (KNOWN_FACTORS if factors else 0))
    asked = np.arange(0, n_rows, 3)
    found, odds = np.full((len(asked), 4), -1), np.full((len(asked), 4), -np.inf)
    given = (table.rows, table.traits, slopes, strict, apart, asked)
    best_partners(*given, 0, len(asked), found, odds)
    items = [set(table.scene.rows.row(at)[0].tolist()) for at in range(n_rows)]
    for at, row in enumerate(asked):
        others = np.array(
            [one for one in range(n_rows) if one != row and not items[one] & items[row]]
        )
        told = table.described(np.full(len(others), row), others)
        worth = {
            int(one): float(score)
            for one, score, line in zip(others, told @ slopes, told, strict=True)
            if not (strict and line[VIOLATES]) and not (apart and line[MISPLACED])
        }
        wanted = sorted(worth, key=lambda one: -worth[one])[:4]
        assert found[at][found[at] >= 0].tolist() == wanted
        assert odds[at, : len(wanted)] == pytest.approx([worth[one] for one in wanted])


def test_items_nearer_to_the_other_centroid_are_misplaced() -> None:
    rows = from_rows({"u": {"a": 5, "b": 4}, "v": {"c": 2, "d": 3}, "w": {"b": 1, "d": 1}})
    scene = scene_of(rows)
    vectors = np.zeros((4, 1), np.float32)
    lying = {"a": 0.0, "b": 9.0, "c": 10.0, "d": 11.0}
    factors = np.array([[lying[str(name)]] for name in scene.rows.item_labels], np.float32)
    table = PairTable.of(scene, vectors, factors)
    own = scene.linkage.first_row(np.array([0, 1]))
    told = table.described(own[:1], own[1:])[0]
    assert told[15] == pytest.approx(1 / 4)
    assert told[16] == 1
    assert not told[17:].any()


def test_rows_that_fit_although_others_would_not_are_likely_one_persons() -> None:
    """By hand: of what a row around b would hold, the share that lies nearer to another's."""
    rows = from_rows({"u": {"a": 5, "b": 4}, "v": {"c": 2, "d": 3}, "w": {"b": 1, "d": 1}})
    scene = scene_of(rows)
    lying = {"a": 0.0, "b": 3.0, "c": 10.0, "d": 11.0}
    factors = np.array([[lying[str(name)]] for name in scene.rows.item_labels], np.float32)
    table = PairTable.of(scene, np.zeros((4, 1), np.float32), factors, 2.0)
    u, v, w = scene.linkage.first_row(np.array([0, 1, 2]))
    founders = {row: str(scene.rows.item_labels[table.traits.rarest[row]]) for row in (u, v, w)}
    rated = [str(scene.rows.item_labels[item]) for item in scene.rows.items]

    def gap(one: str, other: str) -> float:
        return (lying[one] - lying[other]) ** 2

    def held(founder: str, item: str) -> float:
        nearer = sum(gap(one, item) < gap(founder, item) for one in founders.values())
        return 1 - nearer / len(founders)

    def surprise(one: int, other: int) -> float:
        mine, theirs = founders[one], founders[other]
        lost = sum(held(mine, x) for x in rated if gap(x, theirs) < gap(x, mine))
        return -log(1 - min(lost / sum(held(mine, x) for x in rated), 0.999))

    told = table.described(np.array([u, u]), np.array([v, w]))
    assert told[0, 17] == pytest.approx(surprise(u, v) + surprise(v, u), rel=1e-5)
    assert told[0, 18] == pytest.approx(min(told[0, 17], 6))
    assert told[0, 19] == pytest.approx(log(1 + told[0, 17]))
    assert surprise(u, v) > 0
    assert not told[1, 17:].any()  # b of u is the rarest item of w
