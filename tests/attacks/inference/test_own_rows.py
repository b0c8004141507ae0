"""What sets a person's own rows apart, beside plain loops; rows of one person share no item."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest

from recloak.attacks import attack
from recloak.attacks._asked_people import AskedGroup, asked_groups, quarters_of
from recloak.attacks._postings import rows_of
from recloak.attacks.inference import _own_rows
from recloak.attacks.inference._own_row_kernels import NO_RIVAL, rival_odds, surprises
from recloak.attacks.inference._own_rows import own_row_chances
from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings
from recloak.testing import controlled, random_ratings
from tests.attacks.record_linkage.test_record_linkage import value
from tests.attacks.scoreboard_multi.test_kernels import plain_surprise


@pytest.fixture(scope="module")
def people() -> Ratings:
    return random_ratings(200, 60, 0.4)


@pytest.fixture(scope="module")
def asked(people: Ratings) -> AskedGroup:
    context = controlled(people, "fragmentation", fragments=4)
    return asked_groups(context, 8, 0, SILENT)[0]


def items_of(asked: AskedGroup, row: int) -> list[int]:
    return asked.attacked.rows.row(row)[0].tolist()


def test_surprises_are_those_of_a_plain_loop(asked: AskedGroup) -> None:
    known, pairs = asked.people.known_ratings, asked.co_occurrence
    best = asked.posteriors.rows
    found = np.zeros((*best.shape, 2))
    rows = rows_of(asked.attacked.rows)
    surprises(best, rows, known.offsets, known.items, pairs.place, pairs.chances, found)
    for person in range(0, len(best), 9):
        items = known.row(person)[0].tolist()
        for rank in np.flatnonzero(best[person] >= 0)[::5]:
            plain = plain_surprise(pairs, items, items_of(asked, best[person, rank]))
            assert found[person, rank] == pytest.approx(plain)


def test_rivals_are_rows_that_share_an_item(asked: AskedGroup) -> None:
    best = asked.posteriors.rows
    odds = np.random.default_rng(3).normal(size=best.shape)
    found = np.zeros((*best.shape, 4))
    rival_odds(best, odds, rows_of(asked.attacked.rows), asked.attacked.rows.n_items, found)
    for person in range(0, len(best), 9):
        there = np.flatnonzero(best[person] >= 0)
        for rank in there[::5]:
            mine = set(items_of(asked, best[person, rank]))
            rivals, others = [], []
            for other in there[there != rank]:
                shared = mine & set(items_of(asked, best[person, other]))
                (rivals if shared else others).append(odds[person, other])
            plain = [
                max(rivals, default=NO_RIVAL),
                log(exp(NO_RIVAL) + sum(map(exp, rivals))),
                max(others, default=NO_RIVAL),
                sum(1 / (1 + exp(-one)) for one in others),
            ]
            assert found[person, rank] == pytest.approx(plain)


def test_rows_are_told_better_beside_their_rivals(
    people: Ratings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The chances of own rows are higher, and those of others lower, than row by row."""
    context = controlled(people, "fragmentation", fragments=4)
    groups = asked_groups(context, 15, 0, SILENT)
    losses = []
    for alone in (False, True):
        if alone:
            monkeypatch.setattr(_own_rows.AskedGroup, "has_several_rows", False)
        chances = own_row_chances(groups, quarters_of(groups, 0))
        loss = [
            -np.log(np.where(one.own(), chance, 1 - chance)[one.posteriors.rows >= 0] + 1e-6)
            for one, chance in zip(groups, chances, strict=True)
        ]
        losses.append(np.concatenate(loss).mean())
    assert losses[0] < 0.95 * losses[1]


def test_rows_in_full_are_told_row_by_row(people: Ratings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody has several rows, no rows exclude each other and nothing is counted."""
    monkeypatch.setattr(_own_rows, "_surprises", None)
    assert value(attack("inference:known=8,worst_tenth=no").run(controlled(people)), "excess") > 0.5
