"""Trials: whom each try attacks and which ratings it knows, drawn among all who have enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from pydantic import Field, model_validator

from recloak.attacks._knowledge_kernels import count_allowed, draw_known
from recloak.core.arrays import (
    Indices,
    Integers,
    Mask,
    Offsets,
    Values,
    offsets_from,
)
from recloak.core.parameters import Parameters
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.evaluation.context import AuditContext


@dataclass(frozen=True)
class Trials:
    """Whom each try goes for, and which ratings are known: places in the original, and values."""

    users: Integers
    offsets: Offsets
    positions: Indices
    values: Values

    def __len__(self) -> int:
        return len(self.users)


@dataclass(frozen=True)
class TargetSampler:
    """The people who have a row and enough ratings of the items that may be known.

    ``users`` ascend by ``counts``, how many of their ratings may be known.
    """

    original: Ratings
    users: Integers
    counts: Integers
    allowed: Mask
    known: int
    upto: int

    @classmethod
    def of(
        cls,
        context: AuditContext,
        known: int,
        upto: int = 0,
        popular: int = 0,
        among: Mask | None = None,
    ) -> TargetSampler:
        """Everyone of whom ``known`` ratings, among the ``popular`` most rated items, can be known.

        With ``upto`` a try knows any number from one to the other; ``among`` says who counts.
        """
        original, linked = context.original, context.linkage.linked
        linked = linked if among is None else linked[among[linked]]
        allowed = _most_rated(context.item_support, popular)
        counts = original.user_counts
        if not allowed.all():
            counts = count_allowed(original.offsets, original.items, allowed)
        able = linked[counts[linked] >= known]
        able = able[np.argsort(counts[able], kind="stable")]
        return cls(original, able, counts[able], allowed, known, upto or known)

    def __len__(self) -> int:
        return len(self.users)

    def draw(self, count: int, wrong: float, rng: np.random.Generator) -> Trials:
        """``count`` tries; each known value is off by a step with probability ``wrong``."""
        most = min(self.upto, int(self.counts[-1]))
        sizes = rng.integers(self.known, most + 1, count)
        first = np.searchsorted(self.counts, sizes)
        users = self.users[first + (rng.random(count) * (len(self) - first)).astype(np.int64)]
        offsets = offsets_from(sizes)
        positions = draw_known(
            self.original.offsets,
            self.original.items,
            self.allowed,
            users,
            offsets,
            rng.random(offsets[-1]),
        )
        values = self.original.values[positions]
        if wrong > 0:
            values = misremembered(values, self.original.scale, wrong, rng)
        return Trials(users, offsets, positions, values)


def _most_rated(support: Integers, popular: int) -> Mask:
    """Which items are among the ``popular`` most rated; all of them if 0."""
    allowed = np.zeros(len(support), dtype=np.bool_)
    ranked = np.argsort(-support, kind="stable")
    allowed[ranked[: popular or len(ranked)]] = True
    return allowed


def misremembered(values: Values, scale: Scale, wrong: float, rng: np.random.Generator) -> Values:
    """Some values off by one step, up or down, never off the scale."""
    step = np.float32(2 * scale.tolerance)
    moved = np.where(rng.random(len(values)) < 0.5, values + step, values - step)
    moved = np.where(scale.holds(moved), moved, 2 * values - moved)
    off = (rng.random(len(values)) < wrong) & scale.holds(moved)
    return np.where(off, moved, values).astype(np.float32)


class TrialParameters(Parameters):
    """What the adversary knows, and how sure the rates are to be."""

    known: int = Field(default=20, ge=1)
    """How many of a person's ratings the adversary knows, picked at random."""

    upto: int = Field(default=0, ge=0)
    """If above 0, each try knows any number of ratings from `known` to this one (the paper: 20
    to 25)."""

    wrong: float = Field(default=0.0, ge=0, le=1)
    """Probability that a rating the adversary knows is off by one step."""

    popular: int = Field(default=0, ge=0)
    """If above 0, they know only ratings of this many of the most rated items."""

    width: float = Field(default=0.02, ge=0.001, le=0.5)
    """Tries go on until the 95 % intervals of success, inconclusive and wrong are at most this wide
    to either side. Where people of a sample are sought among more than 8 million ratings, fewer
    are made."""

    at_least: int = Field(default=300, ge=2, le=1_000_000)
    """The smallest number of tries."""

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        if 0 < self.upto < self.known:
            raise ValueError(f"upto = {self.upto} is less than known = {self.known}")
        return self

    @property
    def amount(self) -> str:
        """What is known, in words, without the noun: ``20 to 25``."""
        return f"{self.known} to {self.upto}" if self.upto else str(self.known)

    @property
    def limits(self) -> list[str]:
        """What else is to be said of what is known."""
        parts = [f"of the {self.popular:,} most rated items"] if self.popular else []
        return parts + ([f"{self.wrong:.0%} of them wrong"] if self.wrong else [])
