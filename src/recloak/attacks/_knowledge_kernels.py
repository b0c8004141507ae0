"""Kernels that draw what an adversary knows, and count what a named row adds to it."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import (
    Codes,
    Floats,
    Mask,
    Offsets,
    Values,
)
from recloak.core.kernels import kernel

_KNOWN = -1


@kernel
def count_allowed(offsets: Offsets, items: Codes, allowed: Mask) -> Offsets:
    """How many allowed items each user has."""
    counts = np.zeros(len(offsets) - 1, np.int64)
    for user in range(len(counts)):
        for at in range(offsets[user], offsets[user + 1]):
            counts[user] += allowed[items[at]]
    return counts


@kernel
def draw_known(
    offsets: Offsets,
    items: Codes,
    allowed: Mask,
    users: Offsets,
    known_offsets: Offsets,
    uniforms: Floats,
) -> Offsets:
    """Positions of ratings of allowed items: a few for each of ``users``, without replacement.

    ``known_offsets`` tells how many, ``uniforms`` which.
    """
    positions = np.empty(known_offsets[-1], np.int64)
    longest = 0
    for user in users:
        longest = max(longest, offsets[user + 1] - offsets[user])
    pool = np.empty(longest, np.int64)
    for attempt in range(len(users)):
        count = 0
        for at in range(offsets[users[attempt]], offsets[users[attempt] + 1]):
            if allowed[items[at]]:
                pool[count] = at
                count += 1
        for to in range(known_offsets[attempt], known_offsets[attempt + 1]):
            pick = int(uniforms[to] * count)
            positions[to] = pool[pick]
            count -= 1
            pool[pick] = pool[count]
    return positions


@kernel
def put_in_place(
    items: Codes, item_in_release: Offsets, first: int, step: int, place: Offsets
) -> None:
    """Write ``first``, ``first + step`` … where the release has the items."""
    for at in range(len(items)):
        item = item_in_release[items[at]]
        if item >= 0:
            place[item] = first + step * at


@kernel
def count_learned(
    chosen: Offsets,
    users: Offsets,
    known_offsets: Offsets,
    known_positions: Offsets,
    true_offsets: Offsets,
    true_items: Codes,
    true_values: Values,
    item_in_release: Offsets,
    row_offsets: Offsets,
    row_items: Codes,
    row_values: Values,
    n_items: int,
    factor: float,
    shift: float,
    tolerance: float,
) -> Floats:
    """What the row chosen in each try (-1: none) tells about the person beyond what was known.

    Counted are true items, true values among them, and false items. A true value ``v`` reads
    ``factor * v + shift`` on the scale of the rows; none matches if ``tolerance`` is below 0.
    """
    learned = np.zeros((len(chosen), 3), np.float64)
    place = np.zeros(n_items, np.int64)  # one more than the position of the person's rating
    for attempt in range(len(chosen)):
        if chosen[attempt] < 0:
            continue
        start, end = true_offsets[users[attempt]], true_offsets[users[attempt] + 1]
        put_in_place(true_items[start:end], item_in_release, start + 1, 1, place)
        known = known_positions[known_offsets[attempt] : known_offsets[attempt + 1]]
        put_in_place(true_items[known], item_in_release, _KNOWN, 0, place)
        for at in range(row_offsets[chosen[attempt]], row_offsets[chosen[attempt] + 1]):
            true = place[row_items[at]]
            if true == 0:
                learned[attempt, 2] += 1
            elif true != _KNOWN:
                learned[attempt, 0] += 1
                gap = abs(factor * true_values[true - 1] + shift - row_values[at])
                learned[attempt, 1] += gap <= tolerance
        put_in_place(true_items[start:end], item_in_release, 0, 0, place)
    return learned
