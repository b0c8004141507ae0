"""Match rules: when does a rating of a row match a known one, also if values were changed?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from recloak.attacks._postings import KnownRatings, ranks_of
from recloak.attacks._trials import Trials
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.evaluation.units import Units

Matching = Literal["strongest", "values", "noise", "items"]

MOST_NOISE = 1.645  # deviations; nine of ten normal errors are smaller
SECONDS_PER_DAY = 86_400
_SLACK = 1e-6
_WORDS = {
    "values": "ratings within half a step",
    "noise": "ratings within the noise that the release states",
    "exact": "the same rating, as far as the release is exact",
    "step": "ratings within a step",
    "items": "items alone",
}


@dataclass(frozen=True)
class MatchRule:
    """Ratings match within ``tolerance``, on the scale of the rows; any do if it is None."""

    name: str
    tolerance: float | None

    def __str__(self) -> str:
        return _WORDS[self.name]


def match_rules_of(context: AuditContext, wanted: Matching) -> list[MatchRule]:
    """The rules that are ``wanted`` and apply to a table, the strictest first.

    Where values cannot be compared at all, the items are what is left of them.
    """
    units = Units.between(context.original.scale, context.rows.scale)
    usable = [MatchRule("items", None)]
    if units.comparable:
        usable.insert(0, MatchRule("values", units.tolerance))
        noise = MOST_NOISE * _stated_noise(context) * units.factor
        if noise > units.tolerance:
            usable.insert(1, MatchRule("noise", noise))
    if wanted == "strongest":
        return usable
    chosen = [match_rule for match_rule in usable if match_rule.name == wanted]
    return usable[-1:] if wanted == "values" and not chosen else chosen


def _stated_noise(context: AuditContext) -> float:
    """The deviation of the noise as the release itself states it, 0 if it does not."""
    sigma = context.public.get("sigma")
    if not isinstance(sigma, (int, float)) or sigma <= 0:
        return 0.0
    if context.public.get("cells") != "all":
        return float(sigma)
    return float(sigma) * _usual_deviation(context.rows) / float(np.sqrt(1 + sigma**2))


def _usual_deviation(rows: Ratings) -> float:
    """The mean over items of how far their published values spread.

    Noise on full tables is stated in deviations of the item, and adds to the spread itself.
    """
    support = np.maximum(rows.item_support, 1)
    sums, squares = (
        np.bincount(rows.items, powers, minlength=rows.n_items) / support
        for powers in (rows.values, np.square(rows.values.astype(np.float64)))
    )
    return float(np.sqrt(np.maximum(squares - sums**2, 0.0)).mean()) if rows.n_items else 0.0


def known_ratings_of(
    context: AuditContext, trials: Trials, match_rule: MatchRule, days: float
) -> KnownRatings:
    """What is known in each try, in codes and units of the rows; times within ``days``, if any."""
    original, positions = context.original, trials.positions
    items = context.item_in_release[original.items[positions]].astype(np.int32)
    timed = days > 0 and has_times(context)
    times = original.times[positions] if timed and original.times is not None else np.empty(0, int)
    if match_rule.tolerance is None:
        ends = np.iinfo(np.int32)
        lows, highs = (np.full(len(items), end, np.int32) for end in (ends.min, ends.max))
    else:
        units = Units.between(original.scale, context.rows.scale)
        middle = units.converted(trials.values).astype(np.float64)
        reach = match_rule.tolerance + _SLACK * (
            1 + np.abs(middle)
        )  # float32 must not lose an edge
        lows, highs = (
            ranks_of(end.astype(np.float32).view(np.int32))
            for end in (middle - reach, middle + reach)
        )
    seconds = round(days * SECONDS_PER_DAY) if timed else -1
    return KnownRatings(trials.offsets, items, lows, highs, times, seconds)


def has_times(context: AuditContext) -> bool:
    """Do both original and rows tell when ratings were given?"""
    return context.original.times is not None and context.rows.times is not None
