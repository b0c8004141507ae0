"""Kernels of the Bayesian adversary for pairs of fragments of one person."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Floats, Indices, Mask, Offsets, Words
from recloak.core.kernels import inner_kernel, kernel

NOTHING = np.uint64(0)
ONE = np.uint64(1)


@kernel
def overlapping(
    offsets: Offsets, items: Codes, rows: Indices, some: Indices, marks: Words
) -> Words:
    """For each of ``rows`` with which of ``some``, at most 64, it has an item in common.

    ``marks`` has a zero for each item, and is left so.
    """
    found = np.zeros(len(rows), np.uint64)
    for place in range(len(some)):
        for at in range(offsets[some[place]], offsets[some[place] + 1]):
            marks[items[at]] |= ONE << np.uint64(place)
    for place in range(len(rows)):
        for at in range(offsets[rows[place]], offsets[rows[place] + 1]):
            found[place] |= marks[items[at]]
    for row in some:
        for at in range(offsets[row], offsets[row + 1]):
            marks[items[at]] = NOTHING
    return found


@kernel
def weigh_pairs(
    chances: Floats,
    held: Mask,
    overlap: Words,
    own: Floats,
    beside: Floats,
    left: float,
    log_left: float,
    drawn: Floats,
    joined: Floats,
) -> float:
    """The log-weight of all pairs of rows that hold known ratings and share no item.

    ``chances`` are logarithms, by row and known rating; one that neither row holds lies in what is
    ``left`` of the person, which is less than beside one row, as ``log_left`` says. ``own`` is what
    a row weighs, ``beside`` what else each row of a pair adds. ``drawn`` are the weights of what is
    known, ascending, or none if any other ratings could not as well have come to be known.
    ``joined`` has the log-weight of each row by itself, and gets that of all its pairs beside.
    """
    total = -np.inf
    for one in range(len(own)):
        for other in range(one + 1, len(own)):
            if (overlap[one] >> np.uint64(other)) & ONE:
                continue
            weight = beside[one] + beside[other]
            by_one = by_other = False
            for place in range(held.shape[1]):
                if held[one, place]:
                    weight += chances[one, place]
                    by_one = True
                elif held[other, place]:
                    weight += chances[other, place]
                    by_other = True
                else:
                    weight += log_left + 0.5 * (chances[one, place] + chances[other, place])
            if by_one and by_other:
                weight -= _log_ways(own[one] + own[other] + left, drawn)
                joined[one] = _log_sum(joined[one], weight)
                joined[other] = _log_sum(joined[other], weight)
                total = _log_sum(total, weight)
    return total


@inner_kernel
def _log_ways(mass: float, drawn: Floats) -> float:
    """In how many ways what is known can be drawn, one after the other, as a logarithm."""
    ways, before = 0.0, 0.0
    mass = max(mass, drawn.sum())
    for weight in drawn:
        ways += np.log(mass - before)
        before += weight
    return ways


@inner_kernel
def _log_sum(one: float, other: float) -> float:
    """The logarithm of the sum of two weights."""
    high, low = max(one, other), min(one, other)
    return high + np.log1p(np.exp(low - high)) if low > -np.inf else high
