"""The rows that are worth a closer look, and which of them are taken, beside the plain way."""

from __future__ import annotations

from math import log
from statistics import pstdev

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.attacks._attacked_table import AttackedTable
from recloak.attacks._co_occurrence import CoOccurrence, PairCounts
from recloak.attacks._greedy_selection import count_confirmed, take_disjoint, take_outstanding
from recloak.attacks._match_rules import known_ratings_of, match_rules_of
from recloak.attacks._postings import postings_of, rows_of
from recloak.attacks._trials import TargetSampler, Trials
from recloak.attacks.scoreboard_multi._row_scorer import (
    SHORTLIST_SIZE,
    RowFeatures,
    Shortlist,
    rival_odds,
)
from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from tests.attacks.plain_scoreboard import PlainScoreboard
from tests.attacks.test_scoreboard import fragmented

KNOWN = 4


def prepared(seed: int) -> tuple[AuditContext, AttackedTable, Trials]:
    context = fragmented(seed)
    match_rule = match_rules_of(context, "values")[0]
    trials = TargetSampler.of(context, KNOWN).draw(6, 0.2, np.random.default_rng(seed))
    return context, AttackedTable.of(context, [match_rule], 0), trials


def rows_named(table: AttackedTable, candidates: np.ndarray) -> list[int]:
    return [int(table.postings.first[one]) for one in candidates if one >= 0]


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6))
def test_evidence_is_what_one_would_count(seed: int) -> None:
    context, table, trials = prepared(seed)
    plain = PlainScoreboard(context, table.match_rules[0])
    co_occurrence = PairCounts.of(context.original).in_rows(context.rows)
    with SILENT.task("") as task:
        shortlist = Shortlist.of(
            RowFeatures.of(table, table.match_rules[0], co_occurrence, 0.2), trials, task
        )
    for at in range(len(trials)):
        known = plain.known(trials, at)
        fits = {
            item: sum(plain.matches(known, item, plain.rows[row]) for row in distinct(table))
            for item in known
        }
        wanted = set()
        for row in distinct(table):
            matched = [item for item in known if plain.matches(known, item, plain.rows[row])]
            if matched:
                wanted.add(row)
        named = rows_named(table, shortlist.picked[at])
        assert set(named) == wanted
        assert len(wanted) < SHORTLIST_SIZE
        for place, row in enumerate(named):
            matched = [item for item in known if plain.matches(known, item, plain.rows[row])]
            against = [item for item in known if item in plain.rows[row] and item not in matched]
            features = shortlist.features[at, place]
            total = len(plain.rows) + 1
            assert features[0] == pytest.approx(sum(log(total / fits[item]) for item in matched))
            assert (features[1], features[2]) == (len(matched), len(against))
            assert features[3] == pytest.approx(log(len(plain.rows[row])))
            bits = sum(1 << bit for bit, item in enumerate(known) if item in plain.rows[row])
            assert shortlist.masks[at, place, 0] == bits
            surprises = plain_surprise(co_occurrence, list(known), sorted(plain.rows[row]))
            assert features[11:13] == pytest.approx(surprises)


def plain_surprise(co_occurrence: CoOccurrence, known: list[int], row: list[int]) -> list[float]:
    """How surprising the known items that a row has, and those that it lacks, are."""
    there, lacking = 0.0, 0.0
    for item in known:
        if item < 0:
            continue
        others = [one for one in row[:: -(-len(row) // 8)] if one != item]
        chances = [
            co_occurrence.chances[co_occurrence.place[item], co_occurrence.place[i]] for i in others
        ]
        chance = float(np.mean(chances)) / 255 if chances else 0.5
        if item in row:
            there -= log(max(chance, 0.02))
        else:
            lacking -= log(1 - min(chance, 0.98))
    return [there, lacking]


def test_co_occurrence_is_counted_in_the_release_and_among_people_known() -> None:
    """Items 1 and 2 always share a row, 1 and 3 never do."""
    people = Ratings.from_columns([1, 1, 1, 2, 2, 2], [1, 2, 3] * 2, [3] * 6, scale="1..5")
    rows = Ratings.from_columns([1, 1, 2, 3, 3, 4], [1, 2, 3] * 2, [3] * 6, scale="1..5")
    found = PairCounts.of(people).in_rows(rows)
    rates = found.chances[np.ix_(found.place, found.place)] / 255
    usual = (2 * 5) / (2 * 9)
    assert rates[0, 1] == pytest.approx((2 + 2 * usual) / 4, abs=0.003)
    assert rates[0, 2] == pytest.approx(2 * usual / 4, abs=0.003)


def distinct(table: AttackedTable) -> list[int]:
    return table.postings.first.tolist()


def test_rivals_are_those_that_claim_the_same() -> None:
    picked = np.array([[7, 8, 9, -1]])
    masks = np.array([[[0b011], [0b110], [0b1000], [0]]], dtype=np.uint64)
    odds = np.array([[1.0, 2.0, 3.0, 9.0]])
    features = np.zeros((1, 4, 3))
    rival_odds(0, 1, picked, masks, odds, features)
    assert features[0, 0] == pytest.approx([2.0, 2.0, 3.0], abs=1e-4)
    assert features[0, 1] == pytest.approx([1.0, 1.0, 3.0], abs=1e-4)
    assert features[0, 2] == pytest.approx([-12.0, -12.0, 2.0])
    assert (features[0, 3] == 0).all()


def plain_repeated(
    plain: PlainScoreboard, table: AttackedTable, known: dict, phi: float
) -> list[int]:
    """Scoreboard-RH, again and again; identical rows are one candidate."""
    taken: list[int] = []
    support = [sum(item in row for row in plain.rows) for item in range(plain.context.rows.n_items)]
    left = dict(known)
    while left:
        held = {item for row in taken for item in plain.rows[row]}
        scores = [
            sum(1 / log(support[i] + 1) for i in left if plain.matches(left, i, row))
            for row in plain.rows
        ]
        free = [row for row in distinct(table) if not held & set(plain.rows[row])]
        ranked = sorted(free, key=lambda row: -scores[row])
        if not ranked or scores[ranked[0]] == 0:
            break
        gap = scores[ranked[0]] - (scores[ranked[1]] if len(ranked) > 1 else 0)
        if gap <= phi * pstdev(scores) or gap <= 1e-9 * scores[ranked[0]]:
            break
        taken.append(ranked[0])
        left = {item: rating for item, rating in left.items() if item not in plain.rows[ranked[0]]}
    return taken


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), phi=st.sampled_from([0.0, 0.7, 1.5]))
def test_scoreboard_rh_is_repeated_for_what_is_left(seed: int, phi: float) -> None:
    context, table, trials = prepared(seed)
    plain = PlainScoreboard(context, table.match_rules[0])
    taken = np.full((len(trials), 8), -1, np.int64)
    known = known_ratings_of(context, trials, table.match_rules[0], 0)
    given_ = (table.postings, table.rows, known, context.rows.n_items, phi)
    take_outstanding(*given_, 0, len(trials), taken)
    for at in range(len(trials)):
        wanted = plain_repeated(plain, table, plain.known(trials, at), phi)
        assert rows_named(table, taken[at]) == wanted


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6))
def test_what_people_s_own_rows_hold_as_known_is_counted(seed: int) -> None:
    context, table, trials = prepared(seed)
    plain = PlainScoreboard(context, table.match_rules[0])
    there, matching = 0, 0
    for at in range(len(trials)):
        known = plain.known(trials, at)
        own = [plain.rows[row] for row in context.linkage.rows_of(int(trials.users[at]))]
        there += sum(any(item in row for row in own) for item in known)
        matching += sum(any(plain.matches(known, item, row) for row in own) for item in known)
    asked_ = known_ratings_of(context, trials, table.match_rules[0], 0)
    linked = (context.linkage.offsets, context.linkage.rows, trials.users)
    assert count_confirmed(table.rows, asked_, *linked) == (there, matching)
    assert matching < there


def test_rows_are_taken_in_order_if_likely_and_apart() -> None:
    context = fragmented(3)
    table, rows = postings_of(context.rows), rows_of(context.rows)
    order = np.random.default_rng(0).permutation(len(table.sizes))[None]
    chance = np.linspace(1, 0, order.shape[1])[None]
    taken = np.full(order.shape, -1, np.int64)
    take_disjoint(table, rows, context.rows.n_items, 0, 1, order, chance, 0.5, taken)
    held: set[int] = set()
    wanted = []
    for candidate, likely in zip(order[0], chance[0], strict=True):
        items = set(context.rows.row(int(table.first[candidate]))[0].tolist())
        if likely > 0.5 and not held & items:
            wanted.append(candidate)
            held |= items
    assert taken[0][taken[0] >= 0].tolist() == wanted
    assert len(wanted) > 1
