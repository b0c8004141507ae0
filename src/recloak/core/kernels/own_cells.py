"""Kernel that finds people's cells in the rows of a release."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Indices, Mask
from recloak.core.kernels import kernel
from recloak.core.kernels.layout import first_at_least


@kernel
def own_cells(
    users: Indices,
    items: Indices,
    owned_offsets: Indices,
    owned_rows: Indices,
    row_offsets: Indices,
    row_items: Codes,
    found: Mask,
) -> Indices:
    """For each (user, item) the first of the user's rows that holds the item, -1 for none.

    ``items`` are codes of the rows, -1 for an item that no row has; items ascend within a row.
    Every place at which a cell stands is marked in ``found``.
    """
    owners = np.full(len(users), -1, np.int64)
    for cell in range(len(users)):
        item = items[cell]
        if item < 0:
            continue
        for at in range(owned_offsets[users[cell]], owned_offsets[users[cell] + 1]):
            row = owned_rows[at]
            start, end = row_offsets[row], row_offsets[row + 1]
            place = first_at_least(row_items, start, end, item)
            if place < end and row_items[place] == item:
                found[place] = True
                if owners[cell] < 0:
                    owners[cell] = row
    return owners
