"""Excess: by how much an adversary does better against members than against outsiders."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Floats
from recloak.evaluation.findings import Figure
from recloak.evaluation.intervals import wilson

RESAMPLES = 1000


def excess_figure(name: str, members: Floats, outsiders: Floats, meaning: str) -> Figure:
    """The mean outcome of members less that of outsiders, one outcome between 0 and 1 for each."""
    ones = (np.ones(len(members)), np.ones(len(outsiders)))
    return ratio_excess_figure(name, (members, ones[0]), (outsiders, ones[1]), meaning)


def ratio_excess_figure(
    name: str, members: tuple[Floats, Floats], outsiders: tuple[Floats, Floats], meaning: str
) -> Figure:
    """The share of all parts in all wholes of members, less the same of outsiders.

    Each side has parts and wholes by person. People are drawn again with repetition for the
    interval; it is no narrower than if tries were independent, for a few that all end alike prove
    little.
    """
    rng = np.random.Generator(np.random.Philox(len(members[0]) + len(outsiders[0])))
    sides = [_resampled(*side, rng) for side in (members, outsiders)]
    low, high = np.quantile(sides[0] - sides[1], [0.025, 0.975])
    (one, one_low, one_high), (other, other_low, other_high) = (
        _share(*side) for side in (members, outsiders)
    )
    value = one - other
    surely_low = value - float(np.hypot(one - one_low, other_high - other))
    surely_high = value + float(np.hypot(one_high - one, other - other_low))
    low, high = min(float(low), surely_low), max(float(high), surely_high)
    return Figure(name, value, max(-1.0, low), min(1.0, high), "share", meaning)


def _share(parts: Floats, wholes: Floats) -> tuple[float, float, float]:
    part, whole = float(parts.sum()), float(wholes.sum())
    low, high = wilson(part, round(whole))
    return part / max(whole, 1.0), low, high


def _resampled(parts: Floats, wholes: Floats, rng: np.random.Generator) -> Floats:
    """Shares of people drawn with repetition; where they have no whole, none of it."""
    shares = np.empty(RESAMPLES)
    for at in range(RESAMPLES):
        picked = rng.integers(0, len(parts), len(parts))
        shares[at] = parts[picked].sum() / max(wholes[picked].sum(), 1.0)
    return shares
