"""What a profile and all members but one tell of the last: hypotheses that do not contradict it.

Of each listed cell the last member either did not rate the item or gave it one of the levels. A
hypothesis is feasible if the profile that follows from it is the published one, within what was
rounded. Where one rating alone is feasible, it follows exactly.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from recloak.core.arrays import Codes, Floats, Indices, Integers, Mask
from recloak.core.ratings import Ratings

Rule = Literal["filled", "raters"]
RULES: tuple[Rule, ...] = ("filled", "raters")
"""Means over all, where a missing rating counts as what is implied; over those who rated."""

SLACK = 1e-5  # what single precision takes from a mean


class Profile(NamedTuple):
    """The listed cells of a group, what is implied for a missing rating (NaN: nothing), its size,
    the least number of raters behind a value, and how far values may be rounded.
    """

    items: Codes
    values: Floats
    implied: Floats
    size: int
    floor: int
    rounding: float


class Pooled(NamedTuple):
    """What some members gave the listed items: sums, and how many they are."""

    sums: Floats
    raters: Integers

    @classmethod
    def of(cls, ratings: Ratings, people: Indices, items: Codes) -> Pooled:
        picked = ratings.take_users(people)
        listed = np.isin(picked.items, items)  # a profile may list nothing
        at = np.searchsorted(items, picked.items[listed])
        values = picked.values[listed].astype(np.float64)
        return cls(
            np.bincount(at, values, len(items)).astype(np.float64),
            np.bincount(at, minlength=len(items)).astype(np.int64),
        )


def feasible(profile: Profile, others: Pooled, levels: Floats, rule: Rule) -> Mask:
    """For each listed item which hypotheses hold: not rated first, then each of ``levels``."""
    filled = rule == "filled"
    shown = _filled(profile, others, levels) if filled else _of_raters(others, levels)
    fits = np.abs(shown - profile.values[:, None]) <= profile.rounding + SLACK
    if rule == "raters":
        raters = others.raters[:, None] + (np.arange(len(levels) + 1) > 0)
        fits |= (raters > 0) & (raters < profile.floor)  # the value then says nothing
    return np.asarray(fits)


def _filled(profile: Profile, others: Pooled, levels: Floats) -> Floats:
    """The mean of all members under each hypothesis."""
    missing = profile.size - 1 - others.raters
    sums = others.sums + missing * profile.implied
    last = np.column_stack([profile.implied, np.tile(levels, (len(sums), 1))])
    return np.asarray((sums[:, None] + last) / profile.size)


def _of_raters(others: Pooled, levels: Floats) -> Floats:
    """The mean of those who rated under each hypothesis; NaN if there are none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        without = others.sums / others.raters
    having = (others.sums[:, None] + levels) / (others.raters[:, None] + 1)
    return np.column_stack([without, having])


def derived(possible: Mask, levels: Floats) -> tuple[Floats, Mask]:
    """The rating that follows for each item, NaN where none does; and where one surely exists."""
    single = (possible.sum(axis=1) == 1) & ~possible[:, 0]
    rated = possible.any(axis=1) & ~possible[:, 0]
    value = np.where(single, levels[np.argmax(possible[:, 1:], axis=1)], np.nan)
    return value, rated
