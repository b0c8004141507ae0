"""The plan: what is global and small, drawn once before any user's ratings are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.core.arrays import (
    Codes,
    Floats,
    Integers,
    Offsets,
    Values,
    offsets_from,
)
from recloak.core.randomness import Randomness
from recloak.simulation._dataset_models import DAY, DatasetModel, TimeModel
from recloak.simulation._kernels import AliasTables, RatingTiming, alias_table, allot_slots
from recloak.simulation._sizes import user_counts, weibull

_FADING = 0.6  # each factor of taste matters this much as much as the one before, at least
_BURST = 3.0  # how much more a new item is picked at first
_BURST_FADES = 0.1  # of the whole time
_UNRELEASED = 1e-7  # not nothing, so that someone who rates everything can
_BLOCK_UNITY = 0.6  # share of an issue's taste that its block decides


@dataclass(frozen=True)
class ItemTraits:
    """What each item is like; ``release`` is a share of the whole time, below 0 if older."""

    appeal: Floats
    bias: Values
    taste: Values
    release: Floats
    trend: Floats


@dataclass(frozen=True)
class SimulationPlan:
    """Everything that blocks of users share.

    ``due[due_offsets[u]:due_offsets[u + 1]]`` are items that user ``u`` must rate, so that every
    item is rated by someone.
    """

    model: DatasetModel
    offsets: Offsets
    arrival: Floats
    leaving: Floats
    items: ItemTraits
    centres: Values
    tables: AliasTables
    timing: RatingTiming
    due_offsets: Offsets
    due: Codes


def make_plan(model: DatasetModel, randomness: Randomness) -> SimulationPlan:
    """Draw items, groups of taste, and when and how much each user rates."""
    rng = randomness.generator("users")
    counts = user_counts(model, rng)
    arrival, leaving = _stays(model, rng)
    rng = randomness.generator("items")
    items = _items(model, rng)
    centres = rng.standard_normal((model.groups, model.factors)).astype(np.float32)
    due_offsets, due = _due(model, counts, arrival, items, rng)
    return SimulationPlan(
        model=model,
        offsets=offsets_from(counts),
        arrival=arrival,
        leaving=leaving,
        items=items,
        centres=centres,
        tables=_tables(model, items, centres),
        timing=_timing(model.time_model),
        due_offsets=due_offsets,
        due=due,
    )


def _stays(model: DatasetModel, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """First and last visit of each user."""
    time_model = model.time_model
    if time_model is None:
        return np.zeros(model.users), np.zeros(model.users)
    span = time_model.end - time_model.begin
    arrival = time_model.begin + span * rng.beta(*time_model.arrivals, model.users)
    stay = time_model.stay * DAY * np.exp(1.5 * rng.standard_normal(model.users))
    returns = rng.random(model.users) < time_model.returning
    return arrival, np.minimum(arrival + np.where(returns, stay, 0.0), time_model.end)


def _timing(time_model: TimeModel | None) -> RatingTiming:
    if time_model is None:
        return RatingTiming(0.0, 0.0, 1.0, 1, 1.0, 1.0, 0.0, 1)
    return RatingTiming(
        begin=float(time_model.begin),
        last=float(time_model.end),
        period_length=(time_model.end - time_model.begin) / time_model.periods,
        n_periods=time_model.periods,
        session_size=time_model.session_size,
        together=time_model.together,
        pause=time_model.pause,
        tick=time_model.tick,
    )


def _items(model: DatasetModel, rng: np.random.Generator) -> ItemTraits:
    appeal = weibull(model.items, model.popularity, rng)
    rank = np.argsort(np.argsort(appeal, kind="stable"), kind="stable")
    state = np.sqrt(12.0) * ((rank + 0.5) / model.items - 0.5)
    own = rng.standard_normal(model.items)
    bias = model.item_spread * (model.fame * state + np.sqrt(1 - model.fame**2) * own)
    time_model = model.time_model
    fresh = rng.random(model.items) < (time_model.new_items if time_model else 0.0)
    return ItemTraits(
        appeal=appeal,
        bias=bias.astype(np.float32),
        taste=_item_taste(model, rng),
        release=np.where(fresh, rng.random(model.items), -1.0),
        trend=(time_model.drift if time_model else 0.0) * rng.standard_normal(model.items),
    )


def _item_taste(model: DatasetModel, rng: np.random.Generator) -> Values:
    """Where items stand on the factors of taste; the first factors matter most."""
    place = rng.standard_normal((model.items, model.factors))
    if model.block_size:
        blocks = rng.standard_normal((model.items // model.block_size + 1, model.factors))
        common = blocks[np.arange(model.items) // model.block_size]
        place = np.sqrt(_BLOCK_UNITY) * common + np.sqrt(1 - _BLOCK_UNITY) * place
    strength = np.maximum(_FADING ** np.arange(model.factors), 0.25)
    return np.asarray(place * strength / np.linalg.norm(strength), dtype=np.float32)


def _tables(model: DatasetModel, items: ItemTraits, centres: Values) -> AliasTables:
    """Weights of all items in each taste group and period, and their alias tables."""
    n_periods = model.time_model.periods if model.time_model else 1
    pull = np.exp(model.choosiness * (centres @ items.taste.T).astype(np.float64))
    pull *= items.appeal / pull.mean(axis=0)
    weight = np.empty((model.groups * n_periods, model.items), np.float32)
    for period in range(n_periods):
        now = (period + 0.5) / n_periods
        in_season = pull * _season(items, now)
        weight[period::n_periods] = in_season / in_season.sum(axis=1, keepdims=True)
    tables = AliasTables(weight, np.empty_like(weight), np.empty(weight.shape, np.int32))
    for row in range(len(weight)):
        alias_table(weight[row], tables.acceptance[row], tables.alias[row])
    return tables


def _season(items: ItemTraits, now: float) -> Floats:
    """How much more than usual each item is picked at a time; next to never before release."""
    age = now - items.release
    burst = np.where(items.release >= 0, _BURST * np.exp(-np.abs(age) / _BURST_FADES), 0.0)
    return np.where(age >= 0, (1.0 + burst) * np.exp(items.trend * (now - 0.5)), _UNRELEASED)


def _due(
    model: DatasetModel,
    counts: Integers,
    arrival: Floats,
    items: ItemTraits,
    rng: np.random.Generator,
) -> tuple[Offsets, Codes]:
    """Share out every item once, each to a user who arrived after its release if one has room."""
    if model.ratings < model.items or model.block_size:
        return np.zeros(model.users + 1, np.int64), np.empty(0, np.int32)
    latest_first = np.argsort(-arrival, kind="stable")
    ends = np.cumsum(counts[latest_first])
    limits = np.full(model.items, model.ratings)
    if model.time_model is not None:
        span = model.time_model.end - model.time_model.begin
        released = model.time_model.begin + span * items.release
        arrived_later = np.searchsorted(-arrival[latest_first], -released, side="right")
        limits = np.where(arrived_later > 0, ends[arrived_later - 1], model.ratings)
    scarce_first = np.argsort(limits, kind="stable")
    slots = allot_slots(rng, limits[scarce_first], model.ratings)
    owners = latest_first[np.searchsorted(ends, slots, side="right")]
    by_owner = np.argsort(owners, kind="stable")
    offsets = offsets_from(np.bincount(owners, minlength=model.users))
    return offsets, scarce_first[by_owner].astype(np.int32)
