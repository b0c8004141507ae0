"""Simulated people: from them a fit learns how strong a structure of known size is in an answer.

They are drawn from noisy answers alone, so that asking them costs no privacy.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from recloak.core.arrays import Codes, Floats, Indices, Mask, Offsets, offsets_from
from recloak.methods.synthetic._draw_kernels import draw_answers, draw_items
from recloak.methods.synthetic._public import PublicFacts
from recloak.methods.synthetic._traits import Sizes

PEOPLE = 1500
_ROUNDS = 3
_MOST_CHANGE = 2.0  # of a size in one round


class SimulatedPeople:
    """People with fixed interests and random numbers, who rate by whatever directions are tried."""

    def __init__(
        self, public: PublicFacts, sizes: Sizes, fame: Floats, rank: int, rng: np.random.Generator
    ) -> None:
        self.interests = rng.standard_normal((PEOPLE, rank))
        self._public, self._fame = public, fame.astype(np.float32)
        self._states = rng.integers(0, 2**64, (PEOPLE, 4), dtype=np.uint64)
        degrees = np.minimum(rng.permutation(np.maximum(sizes.spread(PEOPLE), 1)), len(fame))
        self.offsets: Offsets = offsets_from(degrees)

    def items(self, directions: Floats | None = None) -> Codes:
        """What they rate, row by row, as the offsets say."""
        rank = 0 if directions is None else directions.shape[1]
        along = np.zeros((0, len(self._fame)), np.float32)
        if directions is not None:
            along = np.ascontiguousarray(directions.T, dtype=np.float32)
        interests = np.ascontiguousarray(self.interests[:, :rank], dtype=np.float32)
        items = np.empty(self.offsets[-1], np.int32)
        states, question = self._states.copy(), self._public.question
        if question is None:
            draw_items(states, self.offsets, self._fame, along, interests, items)
            return items
        answers = np.zeros((PEOPLE, len(items) // PEOPLE), np.int32)
        draw_answers(states, question, self._fame, along, interests, answers)
        return answers.ravel()

    def held(self, items: Codes, place: Indices, head: int) -> Mask:
        """Who has which items of the head: a row for each person."""
        held = np.zeros((PEOPLE, head), np.bool_)
        owner = np.repeat(np.arange(PEOPLE), np.diff(self.offsets))
        inside = place[items] >= 0
        held[owner[inside], place[items[inside]]] = True
        return held


def beyond_fame(held: Mask, share: Floats) -> tuple[Floats, Floats]:
    """Rows as in the query `support`, of length 1, and what they were multiplied by for that."""
    rows = held - held.sum(axis=1, keepdims=True) * share
    factors = 1 / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    factors[~held.any(axis=1)] = 0.0
    return rows * factors, factors[:, 0]


def strength_along(rows: Floats, vectors: Floats) -> Floats:
    """For each unit vector v the mean of v·(y·yᵀ)·v without the diagonal, for rows y."""
    return np.asarray(((rows @ vectors) ** 2 - (rows**2) @ (vectors**2)).mean(axis=0))


def fitted_sizes(
    start: Floats, wanted: Floats, without: Floats, measured: Callable[[Floats], Floats]
) -> Floats:
    """Sizes for which simulated people differ as much as ``wanted``.

    ``without`` is the strength without any structure; ``measured(sizes)`` that with one.
    """
    sizes = start
    for _ in range(_ROUNDS):
        gain = np.maximum(measured(sizes) - without, 1e-12) / np.maximum(sizes, 1e-12) ** 2
        better = np.sqrt(np.maximum(wanted - without, 0.0) / gain)
        sizes = np.clip(better, sizes / _MOST_CHANGE, sizes * _MOST_CHANGE)
    return np.asarray(sizes)
