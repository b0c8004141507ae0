"""The posterior over rows beside the same written out, cell by cell."""

from __future__ import annotations

from math import lgamma, log
from typing import Any

import numpy as np
import pytest

from recloak.attacks._row_posterior import (
    TOP_ROWS,
    AttackedRows,
    CellStates,
    level_count,
    levels_of,
)
from recloak.attacks._row_posterior_kernels import count_own_cells
from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.evaluation.control_group import control_of
from recloak.testing import controlled, random_ratings


@pytest.fixture(scope="module", params=["whole rows", "fragments"])
def attacked(request: pytest.FixtureRequest) -> AttackedRows:
    spec: dict[str, Any] = {"name": "gaussian-noise", "sigma": 1}
    if request.param == "fragments":
        spec = {"name": "fragmentation", "fragments": 2}
    context = controlled(random_ratings(120, 25, 0.3), **spec)
    return AttackedRows.of(control_of(context, SILENT), np.random.default_rng(1))


def plain_score(attacked: AttackedRows, row: int, known: dict[int, int]) -> float:
    """The log-weight of one row for items known with their levels."""
    items, values = attacked.rows.row(row)
    cell = dict(zip(items.tolist(), attacked.states.codes(values).tolist(), strict=True))
    score, held = 0.0, 0
    for item, level in known.items():
        own = attacked.learnt.listed[attacked.fame[item], attacked.row_class[row]]
        share = attacked.share[item]
        if item not in cell:
            score += log((1 - own) / (1 - share))
            continue
        held += 1
        state = cell[item]
        score += log(own / share)
        score += log(attacked.learnt.by_level[level, state] / attacked.any_state[item, state])
    length, mean = len(items), attacked.rows.user_counts.mean()
    return score + held * log(mean) - (lgamma(length + 1) - lgamma(length - held + 1))


def test_best_rows_are_those_of_the_plain_posterior(attacked: AttackedRows) -> None:
    rng = np.random.default_rng(5)
    known = [
        {int(item): int(rng.integers(5)) for item in rng.permutation(25)[:count]}
        for count in (1, 3, 8, 0)
    ]
    offsets = np.cumsum([0, *map(len, known)])
    items = np.array([item for one in known for item in sorted(one)], np.int32)
    levels = np.array([one[item] for one in known for item in sorted(one)], np.int32)
    with SILENT.task("") as task:
        found = attacked.posteriors(offsets, items, levels, task)
    for person, one in enumerate(known[:3]):
        scores = np.array(
            [plain_score(attacked, row, one) for row in range(len(attacked.rows.offsets) - 1)]
        )
        filled = found.rows[person] >= 0
        assert found.scores[person][filled] == pytest.approx(scores[found.rows[person][filled]])
        touched = [
            row for row in range(len(scores)) if set(one) & set(attacked.rows.row(row)[0].tolist())
        ]
        best = np.sort(scores[touched])[::-1][:TOP_ROWS]
        assert found.scores[person][: len(best)] == pytest.approx(best)
        assert found.total[person] == pytest.approx(np.log(np.exp(scores).sum()))
        complete = sum(
            set(one) <= set(attacked.rows.row(row)[0].tolist()) for row in range(len(scores))
        )
        assert found.complete[person] == complete
    assert (found.rows[3] == -1).all()  # of whom nothing is known, nothing speaks for any row


def test_cells_of_own_rows_are_counted_as_written_out() -> None:
    rng = np.random.default_rng(2)
    original, rows = random_ratings(20, 12, 0.4, 1), random_ratings(30, 12, 0.4, 2)
    levels = levels_of(original.values, original.scale)
    states = CellStates.of(rows.values)
    fame = rng.integers(0, 3, 12).astype(np.int32)
    row_class = rng.integers(0, 2, 30).astype(np.int32)
    owned_offsets = np.arange(0, 42, 2)
    owned = rng.integers(0, 30, 40)
    by_level, listed, honest = (
        np.zeros((5, len(states))),
        np.zeros((3, 2, 2)),
        np.zeros((3, len(states), 2)),
    )
    people = np.array([0, 3, 7])
    count_own_cells(
        people, original.offsets, original.items, levels, owned_offsets, owned,
        rows.offsets, rows.items, states.codes(rows.values), fame, row_class,
        by_level, listed, honest,
    )  # fmt: skip
    plain_level, plain_listed, plain_honest = (
        np.zeros_like(one) for one in (by_level, listed, honest)
    )
    for person in people:
        mine = dict(zip(*(part.tolist() for part in original.row(person)), strict=True))
        for row in owned[2 * person : 2 * person + 2]:
            cells = dict(zip(*(part.tolist() for part in rows.row(row)), strict=True))
            for item in mine:
                plain_listed[fame[item], row_class[row]] += (item in cells, 1)
            for item, shown in cells.items():
                state = int(np.searchsorted(states.limits, shown))
                plain_honest[fame[item], state] += (item in mine, 1)
                if item in mine:
                    plain_level[int(mine[item]) - 1, state] += 1
    assert (by_level == plain_level).all()
    assert (listed == plain_listed).all()
    assert (honest == plain_honest).all()


def test_levels_are_the_steps_of_the_scale() -> None:
    values = np.array([0.5, 3, 5], np.float32)
    assert levels_of(values, Scale(0.5, 5, 0.5)).tolist() == [0, 5, 9]
    assert level_count(Scale(0.5, 5, 0.5)) == 10
    assert levels_of(np.array([-10, 0, 10], np.float32), Scale(-10, 10, None)).tolist() == [
        0,
        10,
        20,
    ]
    assert level_count(Scale.parse("implicit")) == 1


def test_states_are_values_or_equal_shares() -> None:
    few = CellStates.of(np.array([1, 5, 3, 3], np.float32))
    assert few.codes(np.array([1, 3, 5], np.float32)).tolist() == [0, 1, 2]
    many = np.random.default_rng(0).normal(size=5000).astype(np.float32)
    counts = np.bincount(CellStates.of(many).codes(many))
    assert counts.min() > 100
    assert len(counts) <= 24


def test_a_short_row_explains_better_than_a_long_one() -> None:
    """Ten people rated three items, ten all twelve; fewer than ten are left out."""
    lengths = [3] * 10 + [12] * 10 + [5] * 40
    users = np.repeat(np.arange(60), lengths)
    items = np.concatenate([np.arange(length) for length in lengths])
    ratings = Ratings.from_columns(users, items, [3] * len(users), scale="1..5")
    group = control_of(controlled(ratings), SILENT)
    found = AttackedRows.of(group, np.random.default_rng(0))
    with SILENT.task("") as task:
        offsets, known = np.array([0, 2]), np.array([0, 1], np.int32)
        posteriors = found.posteriors(offsets, known, np.full(2, 2, np.int32), task)
    assert found.rows.user_counts[posteriors.rows[0, 0]] == 3
    assert 12 not in found.rows.user_counts[posteriors.rows[0, :5]]


def test_a_long_fragment_has_more_of_a_person_than_a_short_one() -> None:
    """Of rows in full, all ratings are listed whatever their length."""
    people = random_ratings(150, 40, 0.5)
    shares = []
    for spec in ({"name": "fragmentation", "fragments": 3}, {"name": "pseudonymize"}):
        group = control_of(controlled(people, **spec), SILENT)
        found = AttackedRows.of(group, np.random.default_rng(0))
        used = np.unique(found.row_class)
        shares.append(found.learnt.listed[:, used].mean(axis=0))
        assert (np.diff(found.row_class[np.argsort(found.rows.user_counts)]) >= 0).all()
    assert shares[0][-1] > 2 * shares[0][0]
    assert len(shares[1]) == 1
    assert shares[1][0] > 0.99
