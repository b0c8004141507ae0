"""Blocks of plain numbers: the usual case, read in one go."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.formats.base import Batch
from recloak.formats.cells import POWERS
from recloak.formats.layout import Layout
from recloak.kernels.numeric import DATE, DECIMAL, SKIP, WHOLE, number_records


def plain_numbers(data: NDArray[np.uint8], layout: Layout) -> Batch | None:
    """The ratings of a block, or None if any of its fields takes a closer look."""
    kinds, slots, rows = _fields(layout)
    most = len(data) // (layout.width + len(layout.places)) + 1
    wholes = np.empty((max(1, len(rows)), most), np.int64)
    decimals = np.empty((1, most), np.float32)
    _, separator, second = layout.marks
    count = number_records(data, separator, second, kinds, slots, POWERS, wholes, decimals)
    if count < 0:
        return None
    return Batch(
        users=wholes[rows["user"], :count],
        items=wholes[rows["item"], :count],
        values=decimals[0, :count].copy() if "rating" in layout.places else None,
        times=wholes[rows["time"], :count].copy() if "time" in rows else None,
    )


def _fields(
    layout: Layout,
) -> tuple[NDArray[np.int64], NDArray[np.int64], dict[str, int]]:
    """What each field is, which row of the output takes it, and the rows by role."""
    kinds, slots = np.full(layout.width, SKIP), np.zeros(layout.width, np.int64)
    rows: dict[str, int] = {}
    for role, place in layout.places.items():
        if role == "rating":
            kinds[place] = DECIMAL
            continue
        kinds[place] = DATE if role == "time" and layout.iso_times else WHOLE
        slots[place] = rows[role] = len(rows)
    return kinds, slots, rows
