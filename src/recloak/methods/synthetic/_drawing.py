"""Drawing made-up people from a model."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import Codes, Integers, Labels, Offsets, Values, offsets_from
from recloak.core.parallel import in_threads
from recloak.core.people_draws import PeopleDraws
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.methods.synthetic._draw_kernels import draw_items, draw_values
from recloak.methods.synthetic._traits import Traits

PEOPLE_PER_BLOCK = 2048
RATINGS_AT_A_TIME = 1 << 20
_HUNDREDTHS = 100.0


@dataclass(frozen=True, repr=False)
class MadeUpPeople:
    """People to be drawn: each follows from a number of their own, whoever is drawn beside them.

    So they can be drawn in any order, a few at a time, and again.
    """

    traits: Traits
    scale: Scale
    item_labels: Labels
    calm: float
    randomness: Randomness
    count: int

    @property
    def listed_items(self) -> Labels:
        """The items that they may rate."""
        return self.item_labels[self.traits.items]

    def draws(self, start: int, end: int) -> PeopleDraws:
        """Where the draws of the people from ``start`` up to ``end`` come from."""
        return PeopleDraws.of(self.randomness, np.arange(start, end))

    def names(self) -> Integers:
        """The names of all, random and distinct."""
        return self.draws(0, self.count).one_pseudonym("pseudonyms")

    def sizes(self, draws: PeopleDraws) -> Integers:
        """How many ratings they have."""
        chances = draws.stream("sizes").uniform(_once(draws))
        return np.minimum(self.traits.sizes.quantiles(chances), len(self.traits.items))

    def blocks(self) -> list[tuple[int, int]]:
        """Ranges of people with about a million ratings each."""
        mean = max(float(self.traits.sizes.spread(1000).mean()), 1.0)
        step = max(1, int(RATINGS_AT_A_TIME / mean))
        return [(start, min(start + step, self.count)) for start in range(0, self.count, step)]

    def rows(self, start: int, end: int, progress: Progress = SILENT) -> Ratings:
        """The items that the people from ``start`` up to ``end`` rate, and what they give."""
        draws = self.draws(start, end)
        sizes = self.sizes(draws)
        drawn = _Rows(self, draws, offsets_from(sizes))
        inner = [*range(0, end - start, PEOPLE_PER_BLOCK), end - start]
        with progress.task("Drawing people", len(inner) - 1) as task:
            in_threads(drawn.fill, pairwise(inner), task)
        rows = Ratings(
            drawn.offsets,
            drawn.items,
            drawn.values,
            self.scale,
            np.arange(start, end),
            self.listed_items,
            times=_times(self.traits, sizes, draws),
        )
        return rows.with_values(rows.scale.canonical(rows.values))


class _Rows:
    """Fills in block after block; which block comes first makes no difference."""

    def __init__(self, people: MadeUpPeople, draws: PeopleDraws, offsets: Offsets) -> None:
        traits = people.traits
        self.traits, self.scale, self.draws, self.offsets = traits, people.scale, draws, offsets
        self.items: Codes = np.empty(offsets[-1], np.int32)
        self.values: Values = np.ones(offsets[-1], np.float32)
        self.residual = people.calm * traits.residual
        self.fame = traits.fame.astype(np.float32)
        self.directions = np.ascontiguousarray(traits.directions.T, dtype=np.float32)
        self.effects = traits.effects.astype(np.float32)
        self.likes = np.ascontiguousarray(traits.likes, dtype=np.float32)

    def fill(self, start: int, end: int) -> None:
        """Draw the people from ``start`` up to ``end`` of these."""
        draws = self.draws[start:end]
        states = generators_of(draws)
        interests = normal_rows(draws, "interests", len(self.directions))
        first, last = self.offsets[start], self.offsets[end]
        offsets = self.offsets[start : end + 1] - first
        items, values = self.items[first:last], self.values[first:last]
        draw_items(states, offsets, self.fame, self.directions, interests, items)
        if self.scale.implicit:
            return
        draw_values(
            states,
            offsets,
            items,
            self.effects,
            self.traits.generosity * normal_rows(draws, "generosity", 1)[:, 0],
            self.likes,
            normal_rows(draws, "tastes", self.likes.shape[1]),
            self.residual,
            values,
        )
        values[:] = written_values(values, self.scale)


def written_values(values: Values, scale: Scale) -> Values:
    """On the scale, in its steps, or in hundredths where it has none."""
    if scale.step is not None:
        return scale.snap(values.astype(np.float64)).astype(np.float32)
    return scale.clip(np.rint(values * _HUNDREDTHS) / _HUNDREDTHS).astype(np.float32)


def _once(draws: PeopleDraws) -> Integers:
    return np.ones(len(draws), np.int64)


def generators_of(draws: PeopleDraws) -> NDArray[np.uint64]:
    """The state of a generator for each person, as kernels that draw take it."""
    return draws.stream("states").words(4 * _once(draws)).reshape(-1, 4).copy()


def normal_rows(draws: PeopleDraws, name: str, each: int) -> Values:
    """So many standard normal numbers for each person, in a row."""
    drawn = draws.stream(name).normal(each * _once(draws))
    return drawn.reshape(len(draws), each).astype(np.float32)


def _times(traits: Traits, sizes: Integers, draws: PeopleDraws) -> Integers | None:
    """One coarse time for each person, for all of their ratings."""
    if traits.periods is None or traits.period_shares is None:
        return None
    ends = np.cumsum(traits.period_shares)
    chances = draws.stream("times").uniform(_once(draws)) * ends[-1]
    period = np.minimum(np.searchsorted(ends, chances), len(ends) - 1)
    return np.repeat(traits.periods[period], sizes)
