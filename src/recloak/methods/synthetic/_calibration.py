"""Fame: the weights with which items must be drawn so that the counts come out right."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Floats, Indices
from recloak.methods.synthetic._draw_kernels import expected_counts
from recloak.methods.synthetic._model import Sizes
from recloak.methods.synthetic._public import PublicFacts

ROUNDS = 12
PEOPLE = 384
_LEAST = 1e-12


def weights_for(
    public: PublicFacts,
    kept: Indices,
    shares: Floats,
    directions: Floats,
    sizes: Sizes,
    rng: np.random.Generator,
) -> Floats:
    """The log weights of the items that are kept, or of the answers of a survey."""
    if public.question is None:
        return fame_for(shares[kept], directions[kept], sizes, rng)
    question = np.unique(public.question[kept], return_inverse=True)[1]
    return answer_weights_for(shares[kept], directions[kept], question, rng)


def fame_for(shares: Floats, directions: Floats, sizes: Sizes, rng: np.random.Generator) -> Floats:
    """The log weights for which made-up people give these shares of counts.

    Counts are weighted by 1/√ratings, as the shares were. Whoever rates much runs out of famous
    items, so that weights in proportion to counts would give famous items too few.
    """
    degrees = np.maximum(sizes.spread(PEOPLE), 1)
    degrees = np.minimum(rng.permutation(degrees), int((shares > 0).sum()))
    half = rng.standard_normal((PEOPLE // 2, directions.shape[1]))
    tilts = np.vstack([half, -half]) @ directions.T
    fame = np.log(np.maximum(shares, _LEAST))
    goal = np.maximum(shares, _LEAST) / np.maximum(shares, _LEAST).sum()
    for _ in range(ROUNDS):
        counts = np.zeros(len(fame))
        expected_counts(fame, tilts, degrees, 1 / np.sqrt(degrees), counts)
        counts /= counts.sum()
        fame += np.clip(np.log(goal / np.maximum(counts, _LEAST)), -1, 1)
    return np.asarray(fame - fame.max())


def answer_weights_for(
    shares: Floats, directions: Floats, question: Indices, rng: np.random.Generator
) -> Floats:
    """The same for a survey, where everybody gives one answer to each question."""
    half = rng.standard_normal((PEOPLE // 2, directions.shape[1]))
    tilts = np.vstack([half, -half]) @ directions.T
    starts = np.flatnonzero(np.diff(question, prepend=-1))
    goal = np.maximum(shares, _LEAST)
    goal = goal / np.add.reduceat(goal, starts)[question]
    fame = np.log(goal)
    for _ in range(ROUNDS):
        weights = np.exp(fame + tilts)
        chances = (weights / np.add.reduceat(weights, starts, axis=1)[:, question]).mean(axis=0)
        fame = fame + np.clip(np.log(goal / np.maximum(chances, _LEAST)), -1, 1)
    return fame
