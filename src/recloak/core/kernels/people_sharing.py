"""Kernels that ask how many people share what is known about someone."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Integers, Offsets, Values
from recloak.core.kernels import kernel
from recloak.core.kernels.layout import first_at_least


@kernel
def count_people_sharing(
    known_offsets: Offsets,
    known: Integers,
    offsets: Offsets,
    items: Codes,
    values: Values,
    index_offsets: Offsets,
    index_users: Codes,
    with_values: bool,
    enough: int,
) -> Integers:
    """For each set of known ratings how many people have them all, counted up to ``enough``.

    ``known`` holds places in ``items`` and ``values``. Only the raters of the rarest known item
    are looked at.
    """
    sizes = np.zeros(len(known_offsets) - 1, np.int64)
    for at in range(len(sizes)):
        mine = known[known_offsets[at] : known_offsets[at + 1]]
        rarest = mine[0]
        for place in mine:
            item, best = items[place], items[rarest]
            if (
                index_offsets[item + 1] - index_offsets[item]
                < index_offsets[best + 1] - index_offsets[best]
            ):
                rarest = place
        item = items[rarest]
        for step in range(index_offsets[item], index_offsets[item + 1]):
            user = index_users[step]
            shares = True
            for place in mine:
                end = offsets[user + 1]
                there = first_at_least(items, offsets[user], end, items[place])
                shares = there < end and items[there] == items[place]
                if shares and with_values:
                    shares = values[there] == values[place]
                if not shares:
                    break
            if shares:
                sizes[at] += 1
                if sizes[at] >= enough:
                    break
    return sizes
