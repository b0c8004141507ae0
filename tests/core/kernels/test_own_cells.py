from __future__ import annotations

import numpy as np

from recloak.core.kernels.own_cells import own_cells
from recloak.testing import random_ratings


def test_equals_a_search_row_by_row() -> None:
    rows = random_ratings(30, 15, 0.3)
    rng = np.random.default_rng(1)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(0, 4, 20))])
    owned = rng.integers(0, 30, offsets[-1])
    users, items = rng.integers(0, 20, 300), rng.integers(-1, 15, 300)
    found = np.zeros(len(rows), dtype=bool)
    owners = own_cells(users, items, offsets, owned, rows.offsets, rows.items, found)
    marked = set()
    for user, item, owner in zip(users, items, owners, strict=True):
        mine = owned[offsets[user] : offsets[user + 1]]
        holding = [row for row in mine if item in rows.row(row)[0]]
        assert owner == (holding[0] if holding else -1)
        for row in holding:
            marked.add(rows.offsets[row] + rows.row(row)[0].tolist().index(item))
    assert marked == set(np.flatnonzero(found))
    assert marked
