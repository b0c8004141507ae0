from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recloak.core.kernels.nearest_rows import (
    RowCosts,
    RowIndex,
    best_owner,
    distances,
    nearest,
)
from recloak.testing import random_ratings


def plain_distance(
    known: dict[int, float],
    row: dict[int, float],
    misses: dict[int, float],
    extra: float,
    values: bool,
    base: list[float],
) -> float:
    """What `distances` computes, for one row, as one would say it."""
    total = 0.0
    for item, value in known.items():
        total += (value - row[item]) ** 2 * values if item in row else misses[item]
    for item in set(row) - set(known):
        total += (row[item] - base[item]) ** 2 if base and extra else extra
    return total


@given(
    seed=st.integers(0, 10**6),
    extra=st.sampled_from([0.0, 16.0]),
    values=st.booleans(),
    unknown=st.booleans(),
    implied=st.booleans(),
)
def test_distances_agree_with_the_plain_way(
    seed: int, extra: float, values: bool, unknown: bool, implied: bool
) -> None:
    rows = random_ratings(20, 10, 0.4, seed)
    rng = np.random.default_rng(seed)
    items = np.sort(rng.choice(10, 4, replace=False)).astype(np.int32)
    if unknown:
        items[0] = -1
    rated = rng.integers(1, 6, 4).astype(np.float32)
    out, misses = np.empty(rows.n_users), rng.uniform(0, 16, 4)
    base = rng.uniform(1, 5, 10) if implied else np.empty(0)
    surplus = extra * rows.user_counts
    if implied and extra:
        apart = np.square(rows.values - base[rows.items])
        surplus = np.bincount(rows.user_codes(), apart, rows.n_users)
    costs = RowCosts(surplus, base, extra, values)
    distances(items, rated, misses, RowIndex(*rows.by_item), costs, out)
    known = dict(zip(items.tolist(), rated.tolist(), strict=True))
    charged = dict(zip(items.tolist(), misses.tolist(), strict=True))
    for user in range(rows.n_users):
        row = dict(zip(*(part.tolist() for part in rows.row(user)), strict=True))
        plain = plain_distance(known, row, charged, extra, values, base.tolist())
        assert out[user] == pytest.approx(plain)


def test_nearest_counts_ties_and_rows_that_look_alike() -> None:
    rows = random_ratings(30, 6, 0.5)
    group = np.arange(30) // 2
    target_items, target_values = rows.row(4)
    misses, none = np.full(len(target_items), 16.0), np.empty(0)
    surplus = 16.0 * rows.user_counts
    everything = (
        np.array([0, len(target_items)]),
        target_items,
        target_values,
        misses,
        np.array([0, 1]),
        np.array([4]),
        group,
        *rows.by_item,
        surplus,
        none,
    )
    out = np.empty(30)
    known = (target_items, target_values, misses)
    distances(*known, RowIndex(*rows.by_item), RowCosts(surplus, none, 16.0, True), out)
    tied = np.flatnonzero(out == out.min())
    ties, own, alike, example, other = nearest(*everything, 16.0, True)
    assert other[0] == -1 or (other[0] in tied and other[0] not in (4, 5))
    assert ties[0] == len(tied)
    assert own[0] == (4 in tied)
    assert alike[0] == np.isin(tied, [4, 5]).sum()
    assert example[0] in tied


def test_owner_is_the_smallest_person_that_holds_the_row() -> None:
    people = random_ratings(40, 15, 0.4, seed=2)
    rows = people.keep(np.random.default_rng(1).random(len(people)) < 0.6)
    taken = np.zeros(40, dtype=np.bool_)
    owner, whole = best_owner(
        rows.offsets,
        rows.items,
        rows.values,
        np.arange(40),
        RowIndex(*people.by_item),
        people.user_counts,
        64.0,
        0.5,
        taken,
    )
    sets = [
        set(zip(*(part.tolist() for part in people.row(user)), strict=True)) for user in range(40)
    ]
    for row in range(40):
        cells = set(zip(*(part.tolist() for part in rows.row(row)), strict=True))
        if not cells:
            assert owner[row] == -1
            continue
        holders = [user for user in range(40) if cells <= sets[user]]
        assert whole[row]
        assert owner[row] in holders
        assert len(sets[owner[row]]) == min(len(sets[user]) for user in holders)
