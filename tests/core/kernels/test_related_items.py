"""What is added up over shared raters, against a loop over all pairs of ratings."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.core.kernels import kernel
from recloak.core.kernels.layout import transpose
from recloak.core.kernels.related_items import (
    PRODUCTS,
    ItemRatings,
    Sums,
    add_up,
    room_for_sums,
    squares_of,
)


@kernel
def added_up(
    cells: ItemRatings, item: int, packed: bool, touched: np.ndarray
) -> tuple[int, int, np.ndarray]:
    """The shift, how many items were met, and the sums; what is packed is left at 0."""
    sums = room_for_sums(cells, PRODUCTS, False)
    shift = sums.shift
    if not packed:
        sums = Sums(sums.pairs, sums.counted, sums.moments, sums.packed, 0)
    met = add_up(cells, item, sums, touched)
    for each in sums.packed:
        met = met if each == 0 else -1
    return shift, met, sums.pairs


def cells_of(table: np.ndarray) -> ItemRatings:
    """Ratings in whole units from a table with 0 for none."""
    users, items = np.nonzero(table)
    offsets = np.searchsorted(users, np.arange(len(table) + 1))
    items, units = items.astype(np.int32), table[table != 0].astype(np.int32)
    item_offsets, item_users, moved = transpose(
        offsets, items, np.arange(len(items), dtype=np.float32), table.shape[1]
    )
    norms = squares_of(items, units, table.shape[1])
    by_item = (item_offsets, item_users, units[moved.astype(np.int64)])
    return ItemRatings(offsets, items, units, np.empty(0, np.uint8), *by_item, norms)


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("n_items", [4, 60])  # raters have more ratings than that, and fewer
def test_both_sums_of_each_pair(n_items: int, packed: bool) -> None:
    rng = np.random.default_rng(n_items)
    table = rng.integers(-9, 9, (20, n_items)) * (rng.random((20, n_items)) < 3 / n_items)
    cells = cells_of(table)
    for item in range(n_items):
        touched = np.empty(n_items + 1, np.int32)
        shift, met, sums = added_up(cells, item, packed, touched)
        raters = table[table[:, item] != 0]
        common, products = (raters != 0).sum(axis=0), raters[:, item] @ raters
        assert shift > 0
        assert sorted(touched[:met].tolist()) == np.flatnonzero(common).tolist()
        assert sums.tolist() == np.stack([common, products], axis=1).tolist()


def test_sums_too_large_for_one_number_are_kept_apart() -> None:
    cells = cells_of(np.ones((3, 2)))._replace(norms=np.array([1, 1 << 61]))
    shift, _, _ = added_up(cells, 0, True, np.empty(3, np.int32))
    assert shift == 0
