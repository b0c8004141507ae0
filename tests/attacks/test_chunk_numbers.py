"""Chunks are numbered by kind, group and place; every term by itself."""

from __future__ import annotations

import numpy as np

from recloak.attacks._chunk_numbers import numbered_chunks
from recloak.releases.disassociated import RECORD, SHARED, TERM, Clusters


def test_rows_of_one_chunk_have_one_number() -> None:
    kind = np.array([RECORD, RECORD, TERM, SHARED, RECORD, TERM, RECORD], np.int8)
    group = np.array([0, 1, 0, 0, 0, 0, 0])
    chunk = np.array([2, 2, 0, 2, 2, 0, 1], np.int32)
    ids = np.arange(2)
    placed = Clusters(kind, group, chunk, np.array([5, 6]), np.array([0, 1]), ids, ids)
    assert numbered_chunks(placed).tolist() == [1, 2, 4, 3, 1, 5, 0]
