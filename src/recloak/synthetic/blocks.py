"""A block of users: who they are, what they rate, and which values their liking becomes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.kernels.draws import Floats
from recloak.kernels.layout import Codes, Offsets
from recloak.kernels.synthesis import (
    Opinions,
    Setting,
    Times,
    Visitors,
    draw_rows,
    score_rows,
    skip_blocks,
)
from recloak.randomness import Randomness
from recloak.scale import Scale
from recloak.synthetic.plan import Plan

_PILOT_USERS = 2_000
_KINSHIP = 0.6  # share of a person's taste that the groups decide


class Drawn(NamedTuple):
    """The rows of a block: items ascend within each user."""

    items: Codes
    times: Times
    scores: Floats


class Scorer(NamedTuple):
    """Turns likings into values on the scale, in the shares that the plan asks for."""

    scale: Scale
    edges: NDArray[np.float64]

    def values(self, scores: Floats) -> Floats:
        levels = self.scale.levels()
        if levels is not None:
            return levels.astype(np.float32)[np.searchsorted(self.edges[1:-1], scores)]
        slices = np.linspace(self.scale.low, self.scale.high, len(self.edges))
        return np.round(np.interp(scores, self.edges, slices), 2).astype(np.float32)


def make_scorer(plan: Plan, randomness: Randomness) -> Scorer:
    """Find the likings at which values change, from a pilot of some of the users."""
    pilot = draw_block(plan, 0, min(_PILOT_USERS, plan.like.users), randomness.generator("pilot"))
    shares = np.concatenate([[0.0], np.cumsum(plan.like.shares)])
    return Scorer(plan.like.scale, np.quantile(pilot.scores, np.clip(shares / shares[-1], 0, 1)))


def draw_block(plan: Plan, first: int, last: int, rng: np.random.Generator) -> Drawn:
    """Draw the rows of the users from ``first`` to before ``last``."""
    offsets = plan.offsets[first : last + 1] - plan.offsets[first]
    items = np.empty(offsets[-1], np.int32)
    times = np.zeros(offsets[-1], np.int64)
    visitors, opinions = _people(plan, first, last, rng)
    if plan.like.block_size:
        skip_blocks(rng, offsets, plan.like.items, plan.like.block_size, items)
    else:
        due_offsets, due = _due_from(plan, first, last)
        setting = Setting(visitors, plan.tables, plan.pace)
        draw_rows(rng, offsets, setting, due_offsets, due, items, times)
    return Drawn(items, times, score_rows(rng, offsets, items, opinions))


def _due_from(plan: Plan, first: int, last: int) -> tuple[Offsets, Codes]:
    offsets = plan.due_offsets[first : last + 1]
    return offsets - offsets[0], plan.due[offsets[0] : offsets[-1]]


def _people(
    plan: Plan, first: int, last: int, rng: np.random.Generator
) -> tuple[Visitors, Opinions]:
    """Tastes and habits: everyone belongs to one group of taste and leans to a second one."""
    like, count = plan.like, last - first
    group = rng.integers(0, like.groups, count, dtype=np.int32)
    second = rng.integers(0, like.groups, count, dtype=np.int32)
    loyalty = rng.uniform(0.5, 1.0, count).astype(np.float32)
    lean = loyalty[:, None] * plan.centres[group] + (1 - loyalty)[:, None] * plan.centres[second]
    lean /= np.sqrt(loyalty**2 + (1 - loyalty) ** 2)[:, None]
    own = rng.standard_normal((count, like.factors), dtype=np.float32)
    taste = like.taste_spread * (np.sqrt(_KINSHIP) * lean + np.sqrt(1 - _KINSHIP) * own)
    visitors = Visitors(plan.arrival[first:last], plan.leaving[first:last], group, second, loyalty)
    opinions = Opinions(
        user_bias=like.user_spread * rng.standard_normal(count, dtype=np.float32),
        user_spread=np.exp(like.temper * rng.standard_normal(count, dtype=np.float32)),
        user_taste=taste.astype(np.float32),
        item_bias=plan.items.bias,
        item_taste=plan.items.taste,
    )
    return visitors, opinions
