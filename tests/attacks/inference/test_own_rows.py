"""What sets a person's own rows apart, beside plain loops; rows of one person share no item."""

from __future__ import annotations

from math import exp, log
from typing import Any

import numpy as np
import pytest

from recloak.attacks import attack
from recloak.attacks._asked_people import AskedGroup, asked_groups, quarters_of
from recloak.attacks._postings import rows_of
from recloak.attacks.inference import _own_rows
from recloak.attacks.inference._confidence import crossed_apart
from recloak.attacks.inference._own_row_kernels import NO_RIVAL, rival_odds, surprises
from recloak.attacks.inference._own_rows import own_row_chances
from recloak.attacks.membership import _weighed_candidates
from recloak.attacks.membership._weighed_candidates import LEAST, MOST_LEAD, weighed_groups
from recloak.core.arrays import Floats
from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings
from recloak.testing import controlled, random_ratings
from tests.attacks.record_linkage.test_record_linkage import value
from tests.attacks.scoreboard_multi.test_kernels import plain_surprise
from tests.support.control_groups import people_like_movielens


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


def loss_of(groups: list[AskedGroup]) -> float:
    """How far chances lie from the truth, as the mean of their logarithms."""
    chances = own_row_chances(groups, quarters_of(groups, 0), np.random.default_rng(0))
    loss = [
        -np.log(np.where(one.own(), chance, 1 - chance)[one.posteriors.rows >= 0] + 1e-6)
        for one, chance in zip(groups, chances, strict=True)
    ]
    return float(np.concatenate(loss).mean())


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
        losses.append(loss_of(groups))
    assert losses[0] < 0.95 * losses[1]


def groups_like_movielens(name: str, **parameters: Any) -> list[AskedGroup]:
    return asked_groups(controlled(people_like_movielens(300), name, **parameters), 15, 0, SILENT)


def test_fragments_are_told_better_by_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = groups_like_movielens("fragmentation", fragments=8, cut="shared")
    with_trees = loss_of(groups)
    monkeypatch.setattr(_own_rows, "_by_trees", by_sums)
    assert with_trees < 0.95 * loss_of(groups)


def test_groups_are_told_better_by_how_profiles_come_about(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    groups = groups_like_movielens("microaggregation", k=5)
    with_weights = loss_of(groups)
    monkeypatch.setattr(_own_rows, "weighed_groups", lambda asked: [])
    assert with_weights < 0.9 * loss_of(groups)


def by_sums(examples: _own_rows._Examples, rng: np.random.Generator) -> Floats:
    return crossed_apart(*examples)


def test_weights_of_groups_are_those_of_linkage() -> None:
    asked = groups_like_movielens("microaggregation", k=5)[0]
    known, best = asked.people.known_ratings, asked.posteriors.rows
    (found,) = weighed_groups(asked)
    weigher = _weighed_candidates._weigher(asked, known)
    for person in range(0, len(best), 7):
        told = weigher.model.draw(known, person, np.random.default_rng(1))
        weights = weigher.normalised(told, weigher.log_weights(told)) * weigher.candidates.people
        for rank in np.flatnonzero(best[person] >= 0)[::5]:
            chance = weights[best[person, rank]]
            assert found[person, rank, 0] == pytest.approx(log(chance + LEAST))
            behind = log(max(chance, 1e-300) / weights.max())
            assert found[person, rank, 1] == pytest.approx(max(behind, -MOST_LEAD), abs=1e-6)
        assert found[person, 0, 2] == pytest.approx(log(weights.sum() + LEAST), abs=1e-6)


def test_only_groups_that_are_not_too_many_are_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = groups_like_movielens("microaggregation", k=5)
    monkeypatch.setattr(_weighed_candidates, "MOST_GROUPS_WEIGHED", 1000)
    assert weighed_groups(groups[0]) == []
    assert 0 < loss_of(groups) < 1
    assert weighed_groups(groups_like_movielens("pseudonymize")[0]) == []


def test_rows_in_full_are_told_row_by_row(people: Ratings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody has several rows, no rows exclude each other and nothing is counted."""
    monkeypatch.setattr(_own_rows, "_surprises", None)
    assert value(attack("inference:known=8,worst_tenth=no").run(controlled(people)), "excess") > 0.5
