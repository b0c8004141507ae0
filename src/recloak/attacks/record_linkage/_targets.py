"""Targets: the people under attack, and what the adversary knows about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from recloak.core.arrays import (
    Codes,
    Indices,
    Integers,
    Offsets,
    Values,
    offsets_of_runs,
)
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.releases.linkage import Linkage


@dataclass(frozen=True)
class Knowledge:
    """What is known about each target: ``positions`` of ratings in the original, by target."""

    offsets: Offsets
    positions: Indices
    items: Codes
    values: Values


@dataclass(frozen=True)
class Targets:
    """The people under attack (codes of the original) and their own rows in the release."""

    users: Integers
    original: Ratings
    item_in_release: Integers
    linkage: Linkage

    def __len__(self) -> int:
        return len(self.users)

    def blocks(self, size: int) -> Iterator[Targets]:
        """The same in blocks of at most ``size`` people."""
        for start in range(0, len(self.users), size):
            chosen = self.users[start : start + size]
            yield Targets(chosen, self.original, self.item_in_release, self.linkage)

    def own_rows(self) -> tuple[Integers, Integers]:
        """Offsets and row codes of each target's own rows."""
        rows = [self.linkage.rows_of(user) for user in self.users]
        offsets = offsets_of_runs(rows)
        return offsets, np.concatenate([*rows, np.empty(0, np.int64)])

    def knowledge(self, known: int, rng: np.random.Generator) -> Knowledge:
        """``known`` ratings of each target picked at random, all of them if 0."""
        starts = self.original.offsets[self.users]
        counts = self.original.user_counts[self.users]
        picked = [
            start + np.sort(rng.choice(count, known, replace=False) if known else np.arange(count))
            for start, count in zip(starts, counts, strict=True)
        ]
        offsets = offsets_of_runs(picked)
        positions = np.concatenate([*picked, np.empty(0, np.int64)])
        items = self.item_in_release[self.original.items[positions]].astype(np.int32)
        return Knowledge(offsets, positions, items, self.original.values[positions])


def draw_targets(
    context: AuditContext, wanted: int, at_least: int, rng: np.random.Generator
) -> Targets:
    """Up to ``wanted`` people at random who have a row and at least so many ratings."""
    linked = context.linkage.linked
    eligible = linked[context.original.user_counts[linked] >= at_least]
    chosen = eligible
    if len(eligible) > wanted:
        chosen = np.sort(rng.choice(eligible, wanted, replace=False))
    return Targets(chosen, context.original, context.item_in_release, context.linkage)
