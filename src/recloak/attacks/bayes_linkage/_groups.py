"""Candidates that are groups: a profile for several people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.stats import binom

from recloak.attacks.bayes_linkage._candidates import Candidates
from recloak.attacks.bayes_linkage._group_kernels import (
    SumsOfRatings,
    adding_up,
    mean_of_all,
    mean_of_raters,
)
from recloak.attacks.bayes_linkage._knowledge import Known
from recloak.core.arrays import Codes, Floats, Indices, Integers, Values, offsets_from
from recloak.core.scale import Scale
from recloak.releases.grouped import GroupedRelease

MOST_LIKELY = 0.97
LEAST_LIKELY = 1e-5
CHANCES = np.geomspace(LEAST_LIKELY, MOST_LIKELY, 400)
ACTIVITIES = np.geomspace(0.05, 20, 61)
CONTINUOUS_STEPS = 100
UNLIKELY = 1e-4  # beside what counting says: what few rated is not as independent as it takes it
MOST_CELLS = 50_000_000
SPREAD_IN_GROUPS = 0.19  # of the span: what a rating departs from what its group would give
ANY_VALUE = float("nan")


class GroupCandidates(Candidates):
    """Every group is a candidate; a cell of its profile tells what its members may have rated.

    How likely anyone rated an item follows from how many groups list it; how likely a member of
    this group did, and gave a value, from the value that is listed, by counting in how many ways
    the members' ratings, on the ``scale`` of the original, make it. What the profile lists in all
    says how many ratings its members have. Where it is the mean over all members, how much they
    rate also tells how many ratings are behind a value: of few, each moves it visibly.
    """

    def __init__(self, release: GroupedRelease, scale: Scale, value_shares: Floats) -> None:
        self.table, self._sizes = release.profiles, release.sizes.astype(np.int64)
        self._members = offsets_from(release.sizes)
        self._rows = np.argsort(np.argsort(release.row_labels, kind="stable"), kind="stable")
        given: Mapping[str, Any] = release.manifest.parameters
        grid = given.get("grid")
        self._half_grid = (scale.tolerance / 2 if grid is None else float(grid) / 2) + 1e-6
        self._floor = int(given.get("floor") or 0)
        self._implied = release.implied
        self._spread_in_group, self._shares = SPREAD_IN_GROUPS * scale.span, value_shares
        self._levels = np.linspace(scale.low, scale.high, len(value_shares))
        self._sums = sums_of_ratings(scale, value_shares, int(self._sizes.max(initial=1)))
        self._item_chance, self._activity = self._chance_of_items(), np.ones(self.count)
        if self._implied is not None:
            self._activity = self._activity_of_groups()
        kinds = np.column_stack([self._sizes, self._activity])
        self._kinds, self._kind_of = np.unique(kinds, axis=0, return_inverse=True)
        values, counts = np.unique(self.table.values, return_counts=True)
        self._listed, self._listed_share = values, counts / max(counts.sum(), 1)

    @property
    def people(self) -> Floats:
        return self._sizes.astype(np.float64)

    def chances(self) -> Floats:
        table = self.table
        means = table.values.astype(np.float64)
        return self._of_listed(table.items, table.user_codes(), means, ANY_VALUE)

    def mass(self, item_weights: Floats) -> Floats:
        """Of all cells, listed or implied; where these are too many, of those that are listed."""
        if self._implied is None or self.count * self.table.n_items > MOST_CELLS:
            return super().mass(item_weights)
        total = np.zeros(self.count)
        for item in np.flatnonzero(item_weights).tolist():
            total += item_weights[item] * self.likelihood(item, None)
        return total

    def likelihood(self, item: int, value: float | None) -> Floats:
        held, means = self.holders(item)
        wanted = ANY_VALUE if value is None else value
        found = self._of_unlisted(item, wanted)
        found[held] = self._of_listed(np.full(len(held), item), held, means, wanted)
        return found

    def _of_listed(
        self, items: Indices | Codes, groups: Codes, means: Floats, value: float
    ) -> Floats:
        """Of each of ``means``, which a profile of ``groups`` lists for one of ``items``."""
        chances = _of_active(self._item_chance[items], self._activity[groups])
        sizes = self._sizes[groups]
        if self._implied is not None:
            return self._of_all(means, sizes, chances, value, self._implied[items], listed=True)
        at = np.minimum(np.searchsorted(self._listed, means), len(self._listed) - 1)
        theirs = mean_of_raters(
            means,
            sizes,
            chances,
            value,
            max(self._floor, 1),
            self._half_grid,
            self._sums,
            self._listed_share[at],
            self._near(means, value),
        )
        return np.asarray(theirs + UNLIKELY)

    def _of_unlisted(self, item: int, value: float) -> Floats:
        """Of an item that a profile does not list: it depends on size and activity of a group."""
        if self._implied is None:
            return np.zeros(self.count)
        chances = _of_active(self._item_chance[item], self._kinds[:, 1])
        bases = np.full(len(self._kinds), self._implied[item], np.float64)
        sizes = self._kinds[:, 0].astype(np.int64)
        found = self._of_all(bases, sizes, chances, value, bases, listed=False)
        return found[self._kind_of]

    def _of_all(
        self,
        means: Floats,
        sizes: Integers,
        chances: Floats,
        value: float,
        bases: Floats | Values,
        *,
        listed: bool,
    ) -> Floats:
        whole = bases.astype(np.float64)
        more = (self._half_grid, self._sums, self._floor, listed)
        return np.asarray(mean_of_all(means, sizes, chances, value, whole, *more))

    def _near(self, means: Floats, value: float) -> Floats:
        """How much likelier a value is where ``means`` are predicted than it is in general."""
        if np.isnan(value) or self._spread_in_group == 0:
            return np.ones(len(means))
        fits = np.exp(-0.5 * np.square((self._levels - means[:, None]) / self._spread_in_group))
        own = np.exp(-0.5 * np.square((value - means) / self._spread_in_group))
        return np.asarray(own / (fits @ self._shares))

    def rows_named(self, weights: Floats, known: Known) -> tuple[Indices, float]:
        best = float(weights.max())
        groups = np.flatnonzero(weights >= best * (1 - 1e-9))
        parts = [np.arange(self._members[one], self._members[one + 1]) for one in groups]
        return self._rows[np.concatenate(parts)], best

    def sharing(self, row: int) -> int:
        at = int(np.flatnonzero(self._rows == row)[0])
        return int(self._sizes[np.searchsorted(self._members, at, side="right") - 1])

    def _chance_of_items(self) -> Floats:
        """How likely anyone rated each item, from the share of groups that list it."""
        groups = max(self.count, 1)
        listed = np.minimum(self.table.item_support / groups, 1 - 0.5 / groups)
        return np.interp(listed, self._how_often_listed(), CHANCES)

    def _activity_of_groups(self) -> Floats:
        """How much the people of each group rate, from how many items its profile lists."""
        how_often = self._how_often_listed()
        chances = self._item_chance[self.table.item_support > 0]
        listed = [
            np.interp(_of_active(chances, activity), CHANCES, how_often).sum()
            for activity in ACTIVITIES
        ]
        at = np.searchsorted(listed, self.table.user_counts)
        return ACTIVITIES[np.minimum(at, len(ACTIVITIES) - 1)]

    def _how_often_listed(self) -> Floats:
        """For each of `CHANCES` that people rate an item how often a profile lists it."""
        size = round(float(self._sizes.mean())) if self.count else 1
        raters = np.arange(size + 1)
        ways = binom.pmf(raters[None, :], size, CHANCES[:, None])
        hidden = np.zeros(size + 1)  # the chance that so many raters are listed as none
        hidden[0] = 1.0
        if self._implied is not None and self.table.n_items:
            base = float(np.median(self._implied))
            slack = size * self._half_grid
            hidden[1:] = [adding_up(self._sums, int(c), c * base, slack) for c in raters[1:]]
            hidden[: self._floor] = 1.0
        return np.asarray(1 - ways @ hidden)


def _of_active(chances: Floats, activity: Floats | float) -> Floats:
    """The chance that somebody rates an item whom so many people of usual activity are like."""
    found = -np.expm1(np.log1p(-chances) * activity)
    return np.asarray(np.clip(found, LEAST_LIKELY, MOST_LIKELY))


def sums_of_ratings(scale: Scale, value_shares: Floats, most: int) -> SumsOfRatings:
    """How up to ``most`` ratings add up if each value is given with its share."""
    step = scale.span / (len(value_shares) - 1) if len(value_shares) > 1 else 1.0
    width = most * (len(value_shares) - 1) + 2
    below = np.zeros((most + 1, width))
    several = np.ones(1)
    for count in range(most + 1):
        running = np.concatenate([[0.0], np.cumsum(several)])
        below[count] = running[-1]
        below[count, : len(running)] = running
        several = np.convolve(several, value_shares)
    return SumsOfRatings(below, scale.low, step, scale.step is None)


def shares_of_values(known: Floats, scale: Scale) -> Floats:
    """How often each value of the scale is given, as far as the adversary knows ratings at all."""
    steps = round(scale.span / scale.step) if scale.step is not None else CONTINUOUS_STEPS
    places = np.rint((known - scale.low) / max(scale.span, 1e-9) * steps).astype(np.int64)
    counts = np.bincount(np.clip(places, 0, steps), minlength=steps + 1) + 0.5
    return np.asarray(counts / counts.sum())
