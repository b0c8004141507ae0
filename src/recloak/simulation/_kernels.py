"""Kernels that make ratings up: when people visit, what they pick, how much they like it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import (
    Codes,
    Floats,
    Integers,
    Offsets,
    Values,
)
from recloak.core.kernels import kernel


@kernel
def alias_table(weight: Values, acceptance: Values, alias: Codes) -> None:
    """Fill Walker's alias table of one distribution, so that a draw costs the same for any."""
    count = len(weight)
    level = weight.astype(np.float64)
    level *= count / level.sum()
    low, high = np.empty(count, np.int32), np.empty(count, np.int32)
    n_low, n_high = 0, 0
    for item in range(count):
        acceptance[item], alias[item] = 1.0, item
        if level[item] < 1.0:
            low[n_low] = item
            n_low += 1
        else:
            high[n_high] = item
            n_high += 1
    while n_low > 0 and n_high > 0:
        n_low -= 1
        poor, rich = low[n_low], high[n_high - 1]
        acceptance[poor], alias[poor] = level[poor], rich
        level[rich] -= 1.0 - level[poor]
        if level[rich] < 1.0:
            n_high -= 1
            low[n_low] = rich
            n_low += 1


@kernel
def allot_slots(rng: np.random.Generator, limits: Offsets, n_slots: int) -> Offsets:
    """A slot of its own for each entry, below its limit while there is a free one near."""
    taken = np.zeros(n_slots, np.bool_)
    slots = np.empty(len(limits), np.int64)
    for entry in range(len(limits)):
        slot = int(rng.random() * limits[entry])
        while taken[slot]:
            slot = slot + 1 if slot + 1 < n_slots else 0
        taken[slot] = True
        slots[entry] = slot
    return slots


@kernel
def race(rng: np.random.Generator, weight: Floats) -> Offsets:
    """The order in which all with a weight are drawn without replacement; then the others."""
    finish = np.empty(len(weight), np.float64)
    for at in range(len(weight)):
        finish[at] = rng.standard_exponential() / weight[at] if weight[at] > 0 else np.inf
    return np.argsort(finish)


class AliasTables(NamedTuple):
    """How likely each item is picked, one row per taste group and period, as alias tables."""

    weight: Values
    acceptance: Values
    alias: Codes


class RatingTiming(NamedTuple):
    """How ratings follow each other, and how the whole time is cut into periods."""

    begin: float
    last: float
    period_length: float
    n_periods: int
    session_size: float
    together: float
    pause: float
    tick: int


class UserVisits(NamedTuple):
    """What decides when each user comes and what is picked."""

    arrival: Floats
    leaving: Floats
    group: Codes
    second_group: Codes
    loyalty: Values


class DrawInputs(NamedTuple):
    """What rows are drawn from: who visits, how likely each item is, and when."""

    visits: UserVisits
    tables: AliasTables
    timing: RatingTiming


class LikingTraits(NamedTuple):
    """What decides how much each user likes what."""

    user_bias: Values
    user_spread: Values
    user_taste: Values
    item_bias: Values
    item_taste: Values


@kernel
def draw_rows(
    rng: np.random.Generator,
    offsets: Offsets,
    inputs: DrawInputs,
    due_offsets: Offsets,
    due: Codes,
    items: Codes,
    times: Integers,
) -> None:
    """Fill the rows of users with distinct items and times, ascending by item.

    The items ``due`` from a user come last in the row, when they have surely been released.
    """
    seen = np.full(inputs.tables.weight.shape[1], -1, np.int32)
    for user in range(len(offsets) - 1):
        first, last = offsets[user], offsets[user + 1]
        owed = due[due_offsets[user] : due_offsets[user + 1]]
        for item in owed:
            seen[item] = user
        visit_times(rng, times[first:last], user, inputs)
        free = last - len(owed)
        done = first + draw_items(rng, items[first:free], times[first:free], user, inputs, seen)
        race_items(rng, items[done:free], times[done:free], user, inputs, seen)
        for at in range(len(owed)):
            items[free + at] = owed[at]
        sort_row(items[first:last], times[first:last])


@kernel
def visit_times(rng: np.random.Generator, times: Integers, user: int, inputs: DrawInputs) -> None:
    """Fill ascending times: sessions between arrival and leaving, short pauses within them."""
    timing = inputs.timing
    now, leaving = inputs.visits.arrival[user], inputs.visits.leaving[user]
    returns = leaving > now
    between = (leaving - now) * timing.session_size / max(len(times), 1)
    for at in range(len(times)):
        if at > 0 and returns and rng.random() * timing.session_size < 1.0:
            gap = rng.standard_exponential() * between
            # whoever comes near the end of their time comes back ever sooner, never after it
            now += gap if now + gap < leaving else rng.random() * max(leaving - now, 0.0)
        elif at > 0 and rng.random() >= timing.together:
            now += rng.standard_exponential() * timing.pause
        now = min(now, timing.last)
        times[at] = int(now) // timing.tick * timing.tick


@kernel
def draw_items(
    rng: np.random.Generator,
    row: Codes,
    times: Integers,
    user: int,
    inputs: DrawInputs,
    seen: Codes,
) -> int:
    """Fill a row with items not yet ``seen``, each drawn with the weights of its time.

    Draws that repeat are rejected. How far the row was filled before this took too long.
    """
    visits, tables, _ = inputs
    n_items = tables.weight.shape[1]
    done = 0
    for _ in range(n_items + 2 * len(row)):
        if done == len(row):
            break
        loyal = rng.random() < visits.loyalty[user]
        group = visits.group[user] if loyal else visits.second_group[user]
        table = table_of(group, times[done], inputs.timing)
        place = rng.random() * n_items
        item = int(place)
        if place - item >= tables.acceptance[table, item]:
            item = tables.alias[table, item]
        if seen[item] != user:
            seen[item] = user
            row[done] = item
            done += 1
    return done


@kernel
def race_items(
    rng: np.random.Generator,
    row: Codes,
    times: Integers,
    user: int,
    inputs: DrawInputs,
    seen: Codes,
) -> None:
    """Fill what is left of a row, by exponential races: the same distribution as `draw_items`."""
    visits, tables, timing = inputs
    loyalty = visits.loyalty[user]
    weight = np.empty(tables.weight.shape[1], np.float64)
    at = 0
    while at < len(row):
        first = table_of(visits.group[user], times[at], timing)
        second = table_of(visits.second_group[user], times[at], timing)
        for item in range(len(weight)):
            blend = loyalty * tables.weight[first, item]
            blend += (1 - loyalty) * tables.weight[second, item]
            weight[item] = blend if seen[item] != user else 0.0
        for item in race(rng, weight):
            if at == len(row) or table_of(visits.group[user], times[at], timing) != first:
                break
            seen[item] = user
            row[at] = item
            at += 1


@kernel
def sort_row(items: Codes, times: Integers) -> None:
    """Put one row in the order of its items."""
    keys = np.empty(len(items), np.int64)
    kept = times.copy()
    for at in range(len(items)):
        keys[at] = np.int64(items[at]) << 32 | at
    keys.sort()
    for at in range(len(items)):
        items[at] = keys[at] >> 32
        times[at] = kept[keys[at] & 0xFFFFFFFF]


@kernel
def table_of(group: int, time: int, timing: RatingTiming) -> int:
    """The table of a taste group at a time."""
    period = min(int((time - timing.begin) / timing.period_length), timing.n_periods - 1)
    return group * timing.n_periods + max(period, 0)


@kernel
def skip_blocks(
    rng: np.random.Generator, offsets: Offsets, n_items: int, block_size: int, items: Codes
) -> None:
    """Fill the rows of respondents who skip whole blocks of issues, later blocks more often."""
    eagerness = np.arange(1.0, (n_items + block_size - 1) // block_size + 1.0)
    for user in range(len(offsets) - 1):
        missing = n_items - (offsets[user + 1] - offsets[user])
        skipped = np.zeros(n_items, np.bool_)
        for block in race(rng, eagerness):
            stop = min((block + 1) * block_size, n_items)
            for item in range(max(block * block_size, stop - missing), stop):
                skipped[item] = True
                missing -= 1
        at = offsets[user]
        for item in range(n_items):
            if not skipped[item]:
                items[at] = item
                at += 1


@kernel
def score_rows(
    rng: np.random.Generator, offsets: Offsets, items: Codes, traits: LikingTraits
) -> Values:
    """How much each user likes each rated item, in units of the noise."""
    scores = np.empty(len(items), np.float32)
    n_factors = traits.item_taste.shape[1]
    for user in range(len(offsets) - 1):
        for at in range(offsets[user], offsets[user + 1]):
            item = items[at]
            liking = traits.item_bias[item] + rng.standard_normal()
            for factor in range(n_factors):
                liking += traits.user_taste[user, factor] * traits.item_taste[item, factor]
            scores[at] = traits.user_bias[user] + traits.user_spread[user] * liking
    return scores
