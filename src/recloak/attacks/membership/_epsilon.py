"""A lower bound of ε from how well members can be told from outsiders."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from recloak.core.arrays import Floats, Mask

THRESHOLDS_BY_FALSE_POSITIVES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
"""Where thresholds are set, by the outsiders of the half from which is learnt."""


@dataclass(frozen=True)
class Decisions:
    """At each threshold: how many members and outsiders are called members, of how many."""

    called_members: tuple[int, ...]
    called_outsiders: tuple[int, ...]
    members: int
    outsiders: int


def decided(above: Mask, member: Mask) -> Decisions:
    """``above`` tells for each person and threshold whether they lie above it."""
    return Decisions(
        tuple(int(one) for one in above[member].sum(axis=0)),
        tuple(int(one) for one in above[~member].sum(axis=0)),
        int(member.sum()),
        int((~member).sum()),
    )


def thresholds(scores: Floats) -> Floats:
    """The thresholds that so many of these outsiders would pass."""
    return np.asarray(np.quantile(scores, 1 - np.array(THRESHOLDS_BY_FALSE_POSITIVES)))


def epsilon_at_least(found: Decisions, delta: float, confidence: float = 0.95) -> float:
    """The ε below which no (ε, δ)-differential privacy allows these decisions.

    It would keep P(called | member) ≤ e^ε · P(called | outsider) + δ, and the same for those who
    are not called. Both rates are taken at the unfavourable ends of Clopper–Pearson intervals; the
    best threshold and direction count, and the error is divided by how many there are.
    """
    tries = 4 * len(THRESHOLDS_BY_FALSE_POSITIVES)  # thresholds, two directions, two ends
    error = (1 - confidence) / tries
    best = 0.0
    for inside, outside in zip(found.called_members, found.called_outsiders, strict=True):
        pairs = (
            (inside, found.members, outside, found.outsiders),
            (found.outsiders - outside, found.outsiders, found.members - inside, found.members),
        )
        for hits, of_hits, misses, of_misses in pairs:
            surely = lower_end(hits, of_hits, error) - delta
            at_most = upper_end(misses, of_misses, error)
            if surely > at_most:
                best = max(best, float(np.log(surely / at_most)))
    return best


def lower_end(successes: int, trials: int, error: float) -> float:
    """The one-sided Clopper–Pearson limit from below."""
    if successes == 0:
        return 0.0
    return float(stats.beta.ppf(error, successes, trials - successes + 1))


def upper_end(successes: int, trials: int, error: float) -> float:
    """The one-sided Clopper–Pearson limit from above."""
    if successes == trials:
        return 1.0
    return float(stats.beta.ppf(1 - error, successes + 1, trials - successes))
