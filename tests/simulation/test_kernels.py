"""The kernels that make ratings up, against plain Python that draws from the same stream."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recloak.simulation import _kernels as kernels

N_ITEMS, N_GROUPS, N_PERIODS = 12, 3, 4


def twins(seed: int = 0) -> tuple[np.random.Generator, np.random.Generator]:
    """Two generators that draw the same numbers."""
    return np.random.default_rng(seed), np.random.default_rng(seed)


def inputs(seed: int = 0, users: int = 6) -> kernels.DrawInputs:
    rng = np.random.default_rng(seed)
    shape = (N_GROUPS * N_PERIODS, N_ITEMS)
    weight = rng.exponential(1.0, shape).astype(np.float32) ** 2
    weight /= weight.sum(axis=1, keepdims=True)
    tables = kernels.AliasTables(weight, np.empty(shape, np.float32), np.empty(shape, np.int32))
    for row in range(len(weight)):
        kernels.alias_table(weight[row], tables.acceptance[row], tables.alias[row])
    arrival = rng.uniform(1000.0, 4000.0, users)
    stay = np.where(np.arange(users) % 2 == 0, rng.uniform(0, 1000.0, users), 0.0)
    visits = kernels.UserVisits(
        arrival,
        arrival + stay,
        rng.integers(0, N_GROUPS, users, dtype=np.int32),
        rng.integers(0, N_GROUPS, users, dtype=np.int32),
        rng.uniform(0.5, 1.0, users).astype(np.float32),
    )
    return kernels.DrawInputs(
        visits, tables, kernels.RatingTiming(1000.0, 5000.0, 1000.0, N_PERIODS, 3.0, 0.5, 20.0, 1)
    )


# -- the twins -------------------------------------------------------------------------------


def plain_table(group, time, timing):
    period = int((time - timing.begin) / timing.period_length)
    return group * timing.n_periods + min(max(period, 0), timing.n_periods - 1)


def plain_times(rng, count, user, here):
    timing, leaving = here.timing, here.visits.leaving[user]
    now = here.visits.arrival[user]
    returns, between = leaving > now, (leaving - now) * timing.session_size / count
    times = []
    for at in range(count):
        if at > 0 and returns and rng.random() < 1 / timing.session_size:
            gap = rng.standard_exponential() * between
            now += gap if now + gap < leaving else rng.random() * max(leaving - now, 0)
        elif at > 0 and rng.random() >= timing.together:
            now += rng.standard_exponential() * timing.pause
        now = min(now, timing.last)
        times.append(int(now) - int(now) % timing.tick)
    return times


def plain_draws(rng, times, user, here, seen):
    visits, tables, timing = here
    row = []
    for _ in range(N_ITEMS + 2 * len(times)):
        if len(row) == len(times):
            break
        loyal = rng.random() < visits.loyalty[user]
        group = (visits.group if loyal else visits.second_group)[user]
        table = plain_table(group, times[len(row)], timing)
        column, remainder = divmod(rng.random() * N_ITEMS, 1)
        item = int(column)
        if remainder >= tables.acceptance[table, item]:
            item = int(tables.alias[table, item])
        if item not in seen:
            seen.add(item)
            row.append(item)
    return row


def plain_races(rng, times, user, here, seen):
    visits, tables, timing = here
    loyalty, row = visits.loyalty[user], []
    while len(row) < len(times):
        first, second = (
            plain_table(group, times[len(row)], timing)
            for group in (visits.group[user], visits.second_group[user])
        )
        weight = loyalty * tables.weight[first] + (1 - loyalty) * tables.weight[second]
        finish = rng.standard_exponential(N_ITEMS - len(seen))
        ranked = sorted(zip(finish / [weight[i] for i in unseen(seen)], unseen(seen), strict=True))
        for _, item in ranked:
            late = len(row) == len(times)
            if late or plain_table(visits.group[user], times[len(row)], timing) != first:
                break
            row.append(item)
            seen.add(item)
    return row


def unseen(seen):
    return [item for item in range(N_ITEMS) if item not in seen]


# -- drawing by weight -----------------------------------------------------------------------


@given(st.lists(st.floats(0.001, 1000), min_size=1, max_size=40))
def test_an_alias_table_holds_the_distribution(weights):
    weight = np.array(weights, np.float32)
    acceptance, alias = np.empty(len(weight), np.float32), np.empty(len(weight), np.int32)
    kernels.alias_table(weight, acceptance, alias)
    chance = acceptance.astype(np.float64)
    np.add.at(chance, alias, 1.0 - acceptance.astype(np.float64))
    np.testing.assert_allclose(chance / len(weight), weight / weight.sum(dtype=float), atol=1e-5)


@given(st.lists(st.integers(1, 30), max_size=30), st.integers(0, 99))
def test_slots_are_distinct_and_probe_upwards(limits, seed):
    rng, same = twins(seed)
    slots = kernels.allot_slots(rng, np.array(limits, np.int64), 30)
    taken: list[int] = []
    for limit in limits:
        start = int(same.random() * limit)
        taken.append(next(s % 30 for s in range(start, start + 30) if s % 30 not in taken))
    assert slots.tolist() == taken


def test_a_race_ranks_by_finish_and_leaves_the_weightless_for_last():
    rng, same = twins()
    weight = np.array([1.0, 0.0, 5.0, 2.0, 0.0])
    expected = np.flatnonzero(weight)[np.argsort(same.standard_exponential(3) / weight[weight > 0])]
    order = kernels.race(rng, weight)
    assert order[:3].tolist() == expected.tolist()
    assert set(order[3:]) == {1, 4}


# -- rows ------------------------------------------------------------------------------------


@pytest.mark.parametrize("user", range(6))
def test_visit_times(user):
    rng, same = twins(user)
    here, times = inputs(), np.empty(50, np.int64)
    kernels.visit_times(rng, times, user, here)
    assert times.tolist() == plain_times(same, 50, user, here)
    assert (np.diff(times) >= 0).all()
    assert times[0] >= 1000
    assert times[-1] <= here.timing.last


@pytest.mark.parametrize("user", range(6))
def test_draw_items(user):
    rng, same = twins(user)
    here, times = inputs(), np.linspace(900, 5200, 7).astype(np.int64)
    seen, row = np.full(N_ITEMS, -1, np.int32), np.empty(7, np.int32)
    seen[3] = user
    done = kernels.draw_items(rng, row, times, user, here, seen)
    assert row[:done].tolist() == plain_draws(same, times, user, here, {3})
    assert set(np.flatnonzero(seen == user)) == {3, *row[:done].tolist()}


def test_draw_items_gives_up_when_one_item_takes_all():
    here = inputs()
    here.tables.weight[:] = 1e-9
    here.tables.weight[:, 5] = 1.0
    for row in range(N_GROUPS * N_PERIODS):
        kernels.alias_table(
            here.tables.weight[row], here.tables.acceptance[row], here.tables.alias[row]
        )
    row, seen = np.empty(4, np.int32), np.full(N_ITEMS, -1, np.int32)
    done = kernels.draw_items(np.random.default_rng(0), row, np.zeros(4, np.int64), 0, here, seen)
    assert row[:done].tolist() == [5]


@pytest.mark.parametrize("user", range(6))
def test_race_items(user):
    rng, same = twins(user)
    here, times = inputs(), np.linspace(900, 5200, 9).astype(np.int64)
    seen, row = np.full(N_ITEMS, -1, np.int32), np.empty(9, np.int32)
    seen[3] = user
    kernels.race_items(rng, row, times, user, here, seen)
    assert row.tolist() == plain_races(same, times, user, here, {3})


def test_draws_finished_by_a_race_follow_the_same_distribution_as_a_race():
    here, times, trials = inputs(), np.full(4, 2500, np.int64), 20_000
    chosen = np.zeros((2, N_ITEMS))
    rng, row = np.random.default_rng(1), np.empty(4, np.int32)
    for _ in range(trials):
        seen = np.full(N_ITEMS, -1, np.int32)
        done = kernels.draw_items(rng, row, times, 0, here, seen)
        kernels.race_items(rng, row[done:], times[done:], 0, here, seen)
        chosen[0, row] += 1
        kernels.race_items(rng, row, times, 0, here, np.full(N_ITEMS, -1, np.int32))
        chosen[1, row] += 1
    assert np.abs(chosen[0] - chosen[1]).max() / trials < 0.015


def test_draw_rows():
    rng, same = twins(3)
    here, counts = inputs(), [5, 1, 12, 3, 11, 7]
    offsets = np.concatenate([[0], np.cumsum(counts)])
    due_offsets, due = np.array([0, 2, 3, 3, 3, 4, 4]), np.array([7, 1, 0, 11], np.int32)
    items, times = np.empty(offsets[-1], np.int32), np.empty(offsets[-1], np.int64)
    kernels.draw_rows(rng, offsets, here, due_offsets, due, items, times)
    for user, count in enumerate(counts):
        owed = due[due_offsets[user] : due_offsets[user + 1]].tolist()
        seen, free = set(owed), count - len(owed)
        visits = plain_times(same, count, user, here)
        row = plain_draws(same, visits[:free], user, here, seen)
        row += plain_races(same, visits[len(row) : free], user, here, seen)
        found = zip(
            items[offsets[user] : offsets[user + 1]].tolist(),
            times[offsets[user] : offsets[user + 1]].tolist(),
            strict=True,
        )
        assert list(found) == sorted(zip(row + owed, visits, strict=True))


def test_skip_blocks_leaves_whole_blocks_out():
    rng, same = twins()
    counts = [20, 15, 10, 13, 1]
    offsets = np.concatenate([[0], np.cumsum(counts)])
    items = np.empty(offsets[-1], np.int32)
    kernels.skip_blocks(rng, offsets, 20, 5, items)
    for user, count in enumerate(counts):
        order = np.argsort(same.standard_exponential(4) / np.arange(1, 5))
        gone = [issue for block in order for issue in range(5 * block, 5 * block + 5)]
        whole = (20 - count) // 5 * 5
        partial = gone[whole : whole + 5][5 - (20 - count - whole) :] if count % 5 else []
        kept = sorted(set(range(20)) - set(gone[:whole]) - set(partial))
        assert items[offsets[user] : offsets[user + 1]].tolist() == kept


def test_score_rows():
    rng, same = twins()
    maker = np.random.default_rng(5)
    offsets, items = np.array([0, 2, 2, 5]), np.array([0, 3, 1, 2, 3], np.int32)
    shapes = ((3,), (3,), (3, 2), (4,), (4, 2))
    traits = kernels.LikingTraits(*(maker.normal(size=s).astype(np.float32) for s in shapes))
    users = np.array([0, 0, 2, 2, 2])
    taste = (traits.user_taste[users] * traits.item_taste[items]).sum(axis=1)
    liking = traits.item_bias[items] + taste + same.standard_normal(5)
    expected = traits.user_bias[users] + traits.user_spread[users] * liking
    scores = kernels.score_rows(rng, offsets, items, traits)
    np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-5)
