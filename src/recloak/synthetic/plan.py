"""The plan: what is global and small, drawn once before any user's ratings are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recloak.kernels.draws import Floats, alias_table, allot_slots
from recloak.kernels.layout import Codes, Offsets
from recloak.kernels.synthesis import Pace, Tables
from recloak.randomness import Randomness
from recloak.synthetic.likes import DAY, Like, Rhythm
from recloak.synthetic.sizes import user_counts, weibull

_FADING = 0.6  # each factor of taste matters this much as much as the one before, at least
_BURST = 3.0  # how much more a new item is picked at first
_BURST_FADES = 0.1  # of the whole time
_UNRELEASED = 1e-7  # not nothing, so that someone who rates everything can
_BLOCK_UNITY = 0.6  # share of an issue's taste that its block decides


@dataclass(frozen=True)
class Items:
    """What each item is like; ``release`` is a share of the whole time, below 0 if older."""

    appeal: NDArray[np.float64]
    bias: Floats
    taste: Floats
    release: NDArray[np.float64]
    trend: NDArray[np.float64]


@dataclass(frozen=True)
class Plan:
    """Everything that blocks of users share.

    ``due[due_offsets[u]:due_offsets[u + 1]]`` are items that user ``u`` must rate, so that every
    item is rated by someone.
    """

    like: Like
    offsets: Offsets
    arrival: NDArray[np.float64]
    leaving: NDArray[np.float64]
    items: Items
    centres: Floats
    tables: Tables
    pace: Pace
    due_offsets: Offsets
    due: Codes


def make_plan(like: Like, randomness: Randomness) -> Plan:
    """Draw items, groups of taste, and when and how much each user rates."""
    rng = randomness.generator("users")
    counts = user_counts(like, rng)
    arrival, leaving = _stays(like, rng)
    rng = randomness.generator("items")
    items = _items(like, rng)
    centres = rng.standard_normal((like.groups, like.factors)).astype(np.float32)
    due_offsets, due = _due(like, counts, arrival, items, rng)
    return Plan(
        like=like,
        offsets=np.concatenate([[0], np.cumsum(counts)]),
        arrival=arrival,
        leaving=leaving,
        items=items,
        centres=centres,
        tables=_tables(like, items, centres),
        pace=_pace(like.rhythm),
        due_offsets=due_offsets,
        due=due,
    )


def _stays(like: Like, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """First and last visit of each user."""
    rhythm = like.rhythm
    if rhythm is None:
        return np.zeros(like.users), np.zeros(like.users)
    span = rhythm.end - rhythm.begin
    arrival = rhythm.begin + span * rng.beta(*rhythm.arrivals, like.users)
    stay = rhythm.stay * DAY * np.exp(1.5 * rng.standard_normal(like.users))
    returns = rng.random(like.users) < rhythm.returning
    return arrival, np.minimum(arrival + np.where(returns, stay, 0.0), rhythm.end)


def _pace(rhythm: Rhythm | None) -> Pace:
    if rhythm is None:
        return Pace(0.0, 0.0, 1.0, 1, 1.0, 1.0, 0.0, 1)
    return Pace(
        begin=float(rhythm.begin),
        last=float(rhythm.end),
        period_length=(rhythm.end - rhythm.begin) / rhythm.periods,
        n_periods=rhythm.periods,
        session_size=rhythm.session_size,
        together=rhythm.together,
        pause=rhythm.pause,
        tick=rhythm.tick,
    )


def _items(like: Like, rng: np.random.Generator) -> Items:
    appeal = weibull(like.items, like.popularity, rng)
    rank = np.argsort(np.argsort(appeal, kind="stable"), kind="stable")
    standing = np.sqrt(12.0) * ((rank + 0.5) / like.items - 0.5)
    own = rng.standard_normal(like.items)
    bias = like.item_spread * (like.fame * standing + np.sqrt(1 - like.fame**2) * own)
    rhythm = like.rhythm
    fresh = rng.random(like.items) < (rhythm.new_items if rhythm else 0.0)
    return Items(
        appeal=appeal,
        bias=bias.astype(np.float32),
        taste=_item_taste(like, rng),
        release=np.where(fresh, rng.random(like.items), -1.0),
        trend=(rhythm.drift if rhythm else 0.0) * rng.standard_normal(like.items),
    )


def _item_taste(like: Like, rng: np.random.Generator) -> Floats:
    """Where items stand on the factors of taste; the first factors matter most."""
    place = rng.standard_normal((like.items, like.factors))
    if like.block_size:
        blocks = rng.standard_normal((like.items // like.block_size + 1, like.factors))
        common = blocks[np.arange(like.items) // like.block_size]
        place = np.sqrt(_BLOCK_UNITY) * common + np.sqrt(1 - _BLOCK_UNITY) * place
    strength = np.maximum(_FADING ** np.arange(like.factors), 0.25)
    return np.asarray(place * strength / np.linalg.norm(strength), dtype=np.float32)


def _tables(like: Like, items: Items, centres: Floats) -> Tables:
    """Weights of all items in each taste group and period, and their alias tables."""
    n_periods = like.rhythm.periods if like.rhythm else 1
    pull = np.exp(like.choosiness * (centres @ items.taste.T).astype(np.float64))
    pull *= items.appeal / pull.mean(axis=0)
    weight = np.empty((like.groups * n_periods, like.items), np.float32)
    for period in range(n_periods):
        now = (period + 0.5) / n_periods
        in_season = pull * _season(items, now)
        weight[period::n_periods] = in_season / in_season.sum(axis=1, keepdims=True)
    tables = Tables(weight, np.empty_like(weight), np.empty(weight.shape, np.int32))
    for row in range(len(weight)):
        alias_table(weight[row], tables.acceptance[row], tables.alias[row])
    return tables


def _season(items: Items, now: float) -> NDArray[np.float64]:
    """How much more than usual each item is picked at a time; next to never before release."""
    age = now - items.release
    burst = np.where(items.release >= 0, _BURST * np.exp(-np.abs(age) / _BURST_FADES), 0.0)
    return np.where(age >= 0, (1.0 + burst) * np.exp(items.trend * (now - 0.5)), _UNRELEASED)


def _due(
    like: Like,
    counts: NDArray[np.int64],
    arrival: NDArray[np.float64],
    items: Items,
    rng: np.random.Generator,
) -> tuple[Offsets, Codes]:
    """Share out every item once, each to a user who arrived after its release if one has room."""
    if like.ratings < like.items or like.block_size:
        return np.zeros(like.users + 1, np.int64), np.empty(0, np.int32)
    latest_first = np.argsort(-arrival, kind="stable")
    ends = np.cumsum(counts[latest_first])
    limits = np.full(like.items, like.ratings)
    if like.rhythm is not None:
        span = like.rhythm.end - like.rhythm.begin
        released = like.rhythm.begin + span * items.release
        arrived_later = np.searchsorted(-arrival[latest_first], -released, side="right")
        limits = np.where(arrived_later > 0, ends[arrived_later - 1], like.ratings)
    scarce_first = np.argsort(limits, kind="stable")
    slots = allot_slots(rng, limits[scarce_first], like.ratings)
    owners = latest_first[np.searchsorted(ends, slots, side="right")]
    by_owner = np.argsort(owners, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=like.users))])
    return offsets, scarce_first[by_owner].astype(np.int32)
