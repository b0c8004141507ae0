"""The crowd that tries draw from: people with enough ratings, a few of them known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recloak.kernels.knowledge import count_allowed, draw_known
from recloak.ratings import Ratings
from recloak.scale import Scale
from recloak.scene import Scene


@dataclass(frozen=True)
class Tries:
    """Whom each try goes for, and which ratings are known: places in the original, and values."""

    users: NDArray[np.int64]
    offsets: NDArray[np.int64]
    positions: NDArray[np.int64]
    values: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.users)


@dataclass(frozen=True)
class Crowd:
    """The people who have a row and enough ratings of the items that may be known.

    ``users`` ascend by ``counts``, how many of their ratings may be known.
    """

    original: Ratings
    users: NDArray[np.int64]
    counts: NDArray[np.int64]
    allowed: NDArray[np.bool_]
    known: int
    upto: int

    @classmethod
    def of(
        cls,
        scene: Scene,
        known: int,
        upto: int = 0,
        popular: int = 0,
        among: NDArray[np.bool_] | None = None,
    ) -> Crowd:
        """Everyone of whom ``known`` ratings, among the ``popular`` most rated items, can be known.

        With ``upto`` a try knows any number from one to the other; ``among`` says who counts.
        """
        original, linked = scene.original, scene.linkage.linked
        linked = linked if among is None else linked[among[linked]]
        allowed = _most_rated(original, popular)
        counts = original.user_counts
        if not allowed.all():
            counts = count_allowed(original.offsets, original.items, allowed)
        able = linked[counts[linked] >= known]
        able = able[np.argsort(counts[able], kind="stable")]
        return cls(original, able, counts[able], allowed, known, upto or known)

    def __len__(self) -> int:
        return len(self.users)

    def draw(self, count: int, wrong: float, rng: np.random.Generator) -> Tries:
        """``count`` tries; each known value is off by a step with probability ``wrong``."""
        most = min(self.upto, int(self.counts[-1]))
        sizes = rng.integers(self.known, most + 1, count)
        first = np.searchsorted(self.counts, sizes)
        users = self.users[first + (rng.random(count) * (len(self) - first)).astype(np.int64)]
        offsets = np.concatenate([[0], np.cumsum(sizes)])
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
            values = _misremembered(values, self.original.scale, wrong, rng)
        return Tries(users, offsets, positions, values)


def _most_rated(original: Ratings, popular: int) -> NDArray[np.bool_]:
    """Which items are among the ``popular`` most rated; all of them if 0."""
    allowed = np.zeros(original.n_items, dtype=np.bool_)
    ranked = np.argsort(-original.item_support, kind="stable")
    allowed[ranked[: popular or len(ranked)]] = True
    return allowed


def _misremembered(
    values: NDArray[np.float32], scale: Scale, wrong: float, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Some values off by one step, up or down, never off the scale."""
    step = np.float32(2 * scale.tolerance)
    moved = np.where(rng.random(len(values)) < 0.5, values + step, values - step)
    moved = np.where(scale.holds(moved), moved, 2 * values - moved)
    off = (rng.random(len(values)) < wrong) & scale.holds(moved)
    return np.where(off, moved, values).astype(np.float32)
