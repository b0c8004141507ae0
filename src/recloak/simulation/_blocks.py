"""A block of users: who they are, what they rate, and which values their liking becomes."""

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
from recloak.core.randomness import Randomness
from recloak.core.scale import Scale
from recloak.simulation._kernels import (
    DrawInputs,
    LikingTraits,
    UserVisits,
    draw_rows,
    score_rows,
    skip_blocks,
)
from recloak.simulation._plan import SimulationPlan

_PILOT_USERS = 2_000
_KINSHIP = 0.6  # share of a person's taste that the groups decide


class BlockRows(NamedTuple):
    """The rows of a block: items ascend within each user."""

    items: Codes
    times: Integers
    scores: Values


class LikingScale(NamedTuple):
    """Turns likings into values on the scale, in the shares that the model asks for."""

    scale: Scale
    edges: Floats

    def values(self, scores: Values) -> Values:
        levels = self.scale.levels()
        if levels is not None:
            return levels.astype(np.float32)[np.searchsorted(self.edges[1:-1], scores)]
        slices = np.linspace(self.scale.low, self.scale.high, len(self.edges))
        return np.round(np.interp(scores, self.edges, slices), 2).astype(np.float32)


def make_liking_scale(plan: SimulationPlan, randomness: Randomness) -> LikingScale:
    """Find the likings at which values change, from a pilot of some of the users."""
    pilot = draw_block(plan, 0, min(_PILOT_USERS, plan.model.users), randomness.generator("pilot"))
    shares = np.concatenate([[0.0], np.cumsum(plan.model.shares)])
    return LikingScale(
        plan.model.scale, np.quantile(pilot.scores, np.clip(shares / shares[-1], 0, 1))
    )


def draw_block(plan: SimulationPlan, first: int, last: int, rng: np.random.Generator) -> BlockRows:
    """Draw the rows of the users from ``first`` to before ``last``."""
    offsets = plan.offsets[first : last + 1] - plan.offsets[first]
    items = np.empty(offsets[-1], np.int32)
    times = np.zeros(offsets[-1], np.int64)
    visits, liking = _people(plan, first, last, rng)
    if plan.model.block_size:
        skip_blocks(rng, offsets, plan.model.items, plan.model.block_size, items)
    else:
        due_offsets, due = _due_from(plan, first, last)
        inputs = DrawInputs(visits, plan.tables, plan.timing)
        draw_rows(rng, offsets, inputs, due_offsets, due, items, times)
    return BlockRows(items, times, score_rows(rng, offsets, items, liking))


def _due_from(plan: SimulationPlan, first: int, last: int) -> tuple[Offsets, Codes]:
    offsets = plan.due_offsets[first : last + 1]
    return offsets - offsets[0], plan.due[offsets[0] : offsets[-1]]


def _people(
    plan: SimulationPlan, first: int, last: int, rng: np.random.Generator
) -> tuple[UserVisits, LikingTraits]:
    """Tastes and habits: everyone belongs to one group of taste and leans to a second one."""
    model, count = plan.model, last - first
    group = rng.integers(0, model.groups, count, dtype=np.int32)
    second = rng.integers(0, model.groups, count, dtype=np.int32)
    loyalty = rng.uniform(0.5, 1.0, count).astype(np.float32)
    lean = loyalty[:, None] * plan.centres[group] + (1 - loyalty)[:, None] * plan.centres[second]
    lean /= np.sqrt(loyalty**2 + (1 - loyalty) ** 2)[:, None]
    own = rng.standard_normal((count, model.factors), dtype=np.float32)
    taste = model.taste_spread * (np.sqrt(_KINSHIP) * lean + np.sqrt(1 - _KINSHIP) * own)
    visits = UserVisits(plan.arrival[first:last], plan.leaving[first:last], group, second, loyalty)
    liking = LikingTraits(
        user_bias=model.user_spread * rng.standard_normal(count, dtype=np.float32),
        user_spread=np.exp(model.temper * rng.standard_normal(count, dtype=np.float32)),
        user_taste=taste.astype(np.float32),
        item_bias=plan.items.bias,
        item_taste=plan.items.taste,
    )
    return visits, liking
