"""Fame: the weights with which items must be drawn so that the counts come out right."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Floats, Indices
from recloak.methods.synthetic._draw_kernels import expected_counts
from recloak.methods.synthetic._public import PublicFacts
from recloak.methods.synthetic._traits import Sizes

ROUNDS = 12
PEOPLE = 384
_LEAST = 1e-12
_MOST_LONGER = 4.0


def calibrated(
    public: PublicFacts,
    kept: Indices,
    shares: Floats,
    directions: Floats,
    sizes: Sizes,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """The log weights and directions of the items that are kept, or of the answers of a survey."""
    chosen = directions[kept]
    if public.question is None:
        return fame_for(shares[kept], chosen, sizes, rng), chosen
    question = np.unique(public.question[kept], return_inverse=True)[1]
    return answers_for(shares[kept], chosen, question, rng)


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


def answers_for(
    shares: Floats, directions: Floats, question: Indices, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """The same for a survey, where everybody gives one answer to each question.

    Chances of answers saturate, so that a direction moves them less than it should: it is made
    longer until made-up respondents differ as much along it as real ones.
    """
    half = rng.standard_normal((PEOPLE // 2, directions.shape[1]))
    people = np.vstack([half, -half])
    starts = np.flatnonzero(np.diff(question, prepend=-1))
    goal = np.maximum(shares, _LEAST)
    goal = goal / np.add.reduceat(goal, starts)[question]
    fame, wanted = np.log(goal), np.sqrt(goal)[:, None] * directions
    sizes = np.ones(directions.shape[1])
    for _ in range(ROUNDS):
        weights = np.exp(fame + people @ (directions * sizes).T)
        chances = weights / np.add.reduceat(weights, starts, axis=1)[:, question]
        fame = fame + np.clip(np.log(goal / np.maximum(chances.mean(axis=0), _LEAST)), -1, 1)
        sizes = np.clip(sizes * _too_small(chances - goal, wanted, goal), 1.0, _MOST_LONGER)
    return fame, directions * sizes


def _too_small(moves: Floats, wanted: Floats, goal: Floats) -> Floats:
    """By how much people differ less along each direction than they should."""
    lengths = np.maximum(np.linalg.norm(wanted, axis=0), _LEAST)
    along = (moves / np.sqrt(goal)) @ (wanted / lengths)
    return np.asarray(lengths / np.maximum(np.sqrt((along**2).mean(axis=0)), _LEAST))
