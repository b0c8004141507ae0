"""The fit with noise: every number is a noisy answer, and all else follows from those."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Floats
from recloak.methods.synthetic._calibration import calibrated
from recloak.methods.synthetic._noisy_sizes import sizes_from
from recloak.methods.synthetic._private_data import Budget, Queryable
from recloak.methods.synthetic._private_support import HEAD_PART, SupportFit
from recloak.methods.synthetic._private_taste import TasteFit
from recloak.methods.synthetic._public import PublicFacts
from recloak.methods.synthetic._queries import (
    DegreeHistogram,
    ItemEffects,
    Level,
    Spreads,
)
from recloak.methods.synthetic._shares import Shares
from recloak.methods.synthetic._shrinkage import combined, shrunk_effects, shrunk_shares
from recloak.methods.synthetic._traits import Sizes, Traits

LIFT = 3.5  # how much more a rating weighs than that there is one
_FLATTER = 0.2
HEADS = (2000, 1500, 1000, 700, 500, 350, 250, 150, 100, 70, 50, 30)
SEVERAL = 3.0  # how far the first direction stands out from the noise if others do, too
MOST_DIRECTIONS = 16


class LeadingEigenvalue(NamedTuple):
    """The leading eigenvalue for each person, about: of 30 items, and how it falls with more."""

    of_thirty: float
    falls: float

    def of(self, head: int) -> float:
        """With so many items."""
        return float(self.of_thirty * (30 / head) ** self.falls)


SUPPORT_SIGNAL, TASTE_SIGNAL = LeadingEigenvalue(0.1, 0.2), LeadingEigenvalue(0.033, 0.45)


@dataclass(frozen=True)
class Estimates:
    """What is known of people and items so far, in half scales."""

    sizes: Sizes
    people: float
    ratings: float
    shares: Floats
    effects: Floats
    level: float = 0.0
    offset_variance: float = 0.05
    residual_variance: float = 0.2

    @property
    def counts(self) -> Floats:
        """How many ratings each item has, about."""
        return np.maximum(self.shares * self.ratings, 0.5)

    @property
    def spread(self) -> tuple[float, float]:
        """The variances of people's offsets and of residuals."""
        return self.offset_variance, self.residual_variance


def fit_privately(
    queryable: Queryable,
    public: PublicFacts,
    shares: Shares,
    rank: int | None,
    rng: np.random.Generator,
) -> Traits:
    """What people are drawn from, by noisy answers."""
    sizes, people, ratings = _sizes(queryable, public, shares)
    most = rank or MOST_DIRECTIONS
    support_head = _head(queryable, people, shares.support, SUPPORT_SIGNAL, public)
    taste_head = _head(queryable, people, shares.taste, TASTE_SIGNAL, public)
    shares = shares.without(support=not support_head, taste=not taste_head)
    known = _items(
        queryable, public, shares, Estimates(sizes, people, ratings, np.zeros(0), np.zeros(0))
    )
    if public.explicit:
        known = _spreads(queryable, public, shares, known)
    directions = SupportFit(queryable, public, known, rng).directions(
        shares.support, support_head, most
    )
    everything = np.arange(public.n_items)
    fame, directions = calibrated(public, everything, known.shares, directions, sizes, rng)
    taste = TasteFit(queryable, public, known, rng)
    likes = taste.likes(fame, directions, shares.taste, taste_head, most)
    return Traits(
        items=everything,
        sizes=sizes,
        people=people,
        fame=fame,
        directions=directions,
        effects=public.middle + public.half * (known.level + known.effects),
        generosity=public.half * float(np.sqrt(known.offset_variance)),
        likes=public.half * likes,
        residual=public.half
        * float(np.sqrt(_unexplained(known.residual_variance, likes, known.shares))),
        question=public.question,
    )


def _sizes(queryable: Queryable, public: PublicFacts, shares: Shares) -> tuple[Sizes, float, float]:
    """Ratings per person, how many people and how many ratings there are, about."""
    query = DegreeHistogram(public.size_edges)
    *bins, total = queryable.ask(query, shares.degrees)
    people = max(float(total), 1.0)
    sigma = queryable.budget.sigma(query.sensitivity, shares.degrees)
    sizes = sizes_from(public.size_edges, np.array(bins), people, sigma)
    return sizes, people, people * float(sizes.spread(2000).mean())


def _head(
    queryable: Queryable,
    people: float,
    share: float,
    signal: LeadingEigenvalue,
    public: PublicFacts,
) -> int:
    """The most items of which several directions stand out from the noise; 0 for none."""
    if share <= 0:
        return 0
    heads = sorted({min(head, public.n_items) for head in HEADS}, reverse=True)
    for margin in (SEVERAL, 1.0):
        for head in heads:
            part = 1.0 if head == public.n_items else HEAD_PART
            edge = 2 * queryable.budget.sigma(np.sqrt(0.5), share * part) * np.sqrt(head)
            if signal.of(head) * people > margin * edge:
                return head
    return 0


def enough_people(budget: Budget, support_share: float, taste_share: float) -> int:
    """From how many people on the strongest structure of the smallest head stands out, about."""
    least = HEADS[-1]
    enough = [
        2 * budget.sigma(np.sqrt(0.5), share * HEAD_PART) * np.sqrt(least) / signal.of(least)
        for share, signal in ((support_share, SUPPORT_SIGNAL), (taste_share, TASTE_SIGNAL))
        if share > 0
    ]
    return int(round(float(min(enough, default=0.0)), -2))


def _items(
    queryable: Queryable, public: PublicFacts, shares: Shares, known: Estimates
) -> Estimates:
    """Fame and effect of each item, in two rounds: the second is centred by the first."""
    lift = LIFT if public.explicit else 0.0
    nothing, ones = np.zeros(public.n_items), np.ones(public.n_items)
    first = queryable.ask(ItemEffects(public.units, nothing, ones, lift), shares.items_first)
    sigma = queryable.budget.sigma(1.0, shares.items_first)
    total = max(float(first[0].sum()), 1.0)
    found = shrunk_shares(first[0] / total, np.full(public.n_items, sigma / total))
    effects, variance = _effects(first[1], found * total, sigma, lift, found * known.ratings)
    centre = shrunk_effects(effects, variance, np.log(found)) if lift else nothing
    weights = (found + 0.2 / public.n_items) ** -_FLATTER
    weights /= weights.mean()
    second = queryable.ask(ItemEffects(public.units, centre, weights, lift), shares.items_second)
    sigma_2 = queryable.budget.sigma(1.0, shares.items_second) / weights
    counts = second[0] / weights
    total_2 = max(float(counts.sum()), 1.0)
    noise, noise_2 = np.full(public.n_items, sigma / total), sigma_2 / total_2
    both = combined(first[0] / total, noise**2, counts / total_2, noise_2**2)
    found = shrunk_shares(both, 1 / np.sqrt(noise**-2.0 + noise_2**-2.0))
    if not lift:
        return Estimates(known.sizes, known.people, known.ratings, found, nothing)
    moved, variance_2 = _effects(
        second[1] / weights, found * total_2, sigma_2, lift, found * known.ratings
    )
    together = combined(effects, variance, centre + moved, variance_2)
    unsure = 1 / (1 / variance + 1 / variance_2)
    final = shrunk_effects(together, unsure, np.log(found))
    return Estimates(known.sizes, known.people, known.ratings, found, final)


def _effects(
    sums: Floats, counts: Floats, sigma: Floats | float, lift: float, ratings: Floats
) -> tuple[Floats, Floats]:
    """Item effects by sums of residuals over counts, and how unsure they are."""
    if not lift:
        return np.zeros(len(sums)), np.ones(len(sums))
    counts = np.maximum(counts, 1e-3)
    effects = sums / (
        lift * counts
    )  # not clipped: shorter than their noise they would tell nothing
    return effects, (sigma / (lift * counts)) ** 2 + 0.2 / np.maximum(ratings, 0.5)


def _spreads(
    queryable: Queryable, public: PublicFacts, shares: Shares, known: Estimates
) -> Estimates:
    """The level of ratings, how far people differ in theirs, and what is left."""
    level = float(queryable.ask(Level(public.units, known.effects), shares.level)[0]) / known.people
    level = float(np.clip(level, -1, 1))
    offset, residual = (
        queryable.ask(Spreads(public.units, known.effects, level), shares.spreads) / known.people
    )
    residual = float(np.clip(residual, 0.02, 0.6))
    offset = float(np.clip(offset - residual * known.sizes.mean_of_inverse, 0.005, 0.4))
    return Estimates(
        known.sizes,
        known.people,
        known.ratings,
        known.shares,
        known.effects,
        level,
        offset,
        residual,
    )


def _unexplained(variance: float, likes: Floats, shares: Floats) -> float:
    """The residual variance that tastes leave."""
    explained = float(shares @ (likes**2).sum(axis=1)) if likes.shape[1] else 0.0
    return max(variance - explained, 0.25 * variance)
