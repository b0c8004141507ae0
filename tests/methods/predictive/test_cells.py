"""Cells carried over to a larger support: against a table."""

from __future__ import annotations

import numpy as np

from recloak.methods.predictive._cells import carry_over


def test_old_cells_keep_their_values_and_new_ones_are_not_told() -> None:
    rng = np.random.default_rng(0)
    wide = rng.random((8, 20)) < 0.6
    narrow = wide & (rng.random((8, 20)) < 0.5)
    table, enough_raters = rng.random((8, 20)).astype(np.float32), rng.random((8, 20)) < 0.5
    offsets, new_offsets = (
        np.concatenate([[0], np.cumsum(cells.sum(axis=1))]) for cells in (narrow, wide)
    )
    items, new_items = (np.nonzero(cells)[1].astype(np.int32) for cells in (narrow, wide))
    values, flags = np.empty(len(new_items), np.float32), np.empty(len(new_items), np.bool_)
    carry_over(
        offsets, items, table[narrow], enough_raters[narrow], new_offsets, new_items, values, flags
    )
    assert values.tolist() == np.where(narrow, table, 0)[wide].tolist()
    assert flags.tolist() == (narrow & enough_raters)[wide].tolist()
