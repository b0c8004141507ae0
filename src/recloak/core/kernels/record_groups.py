"""Kernels on groups of records: item spreads, loss, and the mean profile of each group."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Floats, Indices, Integers, Mask, Offsets, Values
from recloak.core.kernels import kernel
from recloak.core.kernels.sorting import sort_ascending


@kernel
def item_moments(
    first: int,
    end: int,
    offsets: Offsets,
    items: Codes,
    values: Values,
    base: Floats,
) -> Floats:
    """Per item: the sum and the sum of squares of value − base over the rows first..end."""
    moments = np.zeros((2, len(base)))
    for at in range(offsets[first], offsets[end]):
        item = items[at]
        shifted = values[at] - base[item]
        moments[0, item] += shifted
        moments[1, item] += shifted * shifted
    return moments


@kernel
def standardise(
    first: int,
    end: int,
    offsets: Offsets,
    items: Codes,
    values: Values,
    base: Floats,
    spread: Floats,
    out: Floats,
    norms: Floats,
) -> None:
    """(value − base) / spread of each cell, and the squared norm of each row first..end."""
    for row in range(first, end):
        norm = 0.0
        for at in range(offsets[row], offsets[row + 1]):
            item = items[at]
            out[at] = (values[at] - base[item]) / spread[item]
            norm += out[at] * out[at]
        norms[row] = norm


@kernel
def gather_rows(
    rows: Indices,
    offsets: Offsets,
    items: Codes,
    values: Floats,
    out_offsets: Offsets,
    out_items: Codes,
    out_values: Floats,
) -> None:
    """Copy some rows, in the order given."""
    for row in range(len(rows)):
        to = out_offsets[row]
        for at in range(offsets[rows[row]], offsets[rows[row] + 1]):
            out_items[to] = items[at]
            out_values[to] = values[at]
            to += 1


@kernel
def group_losses(
    first: int,
    end: int,
    starts: Offsets,
    members: Integers,
    offsets: Offsets,
    items: Codes,
    values: Floats,
    known: Mask,
    spread: Floats,
) -> Floats:
    """Squared error of the groups first..end: standardised, in ratings, and on known cells only.

    A cell that no member stores is met exactly; one that some store is off by the mean for
    those who do not.
    """
    losses = np.zeros(3)
    sums = np.zeros(len(spread))
    raters = np.zeros(len(spread), np.int64)
    for group in range(first, end):
        size = starts[group + 1] - starts[group]
        _sum_cells(group, starts, members, offsets, items, values, sums, raters)
        for member in range(starts[group], starts[group + 1]):
            one = members[member]
            for at in range(offsets[one], offsets[one + 1]):
                item = items[at]
                gap = values[at] - sums[item] / size
                unit = spread[item] * spread[item]
                losses[0] += gap * gap
                losses[1] += gap * gap * unit
                if len(known) == 0 or known[at]:
                    losses[2] += gap * gap * unit
        for member in range(starts[group], starts[group + 1]):
            one = members[member]
            for at in range(offsets[one], offsets[one + 1]):
                item = items[at]
                if raters[item] > 0:
                    mean = sums[item] / size
                    loss = (size - raters[item]) * mean * mean
                    losses[0] += loss
                    losses[1] += loss * spread[item] * spread[item]
                    raters[item] = 0
                    sums[item] = 0.0
    return losses


@kernel
def _sum_cells(
    group: int,
    starts: Offsets,
    members: Integers,
    offsets: Offsets,
    items: Codes,
    values: Floats,
    sums: Floats,
    raters: Integers,
) -> int:
    """Add the rows of a group to ``sums`` and ``raters``; how many items they touch."""
    touched = 0
    for member in range(starts[group], starts[group + 1]):
        one = members[member]
        for at in range(offsets[one], offsets[one + 1]):
            touched += raters[items[at]] == 0
            raters[items[at]] += 1
            sums[items[at]] += values[at]
    return touched


@kernel
def count_profiles(
    first: int,
    end: int,
    starts: Offsets,
    members: Integers,
    offsets: Offsets,
    items: Codes,
    n_items: int,
    counts: Integers,
) -> None:
    """How many items each group first..end stores a mean for."""
    seen = np.full(n_items, -1, np.int64)
    for group in range(first, end):
        counts[group] = 0
        for member in range(starts[group], starts[group + 1]):
            one = members[member]
            for at in range(offsets[one], offsets[one + 1]):
                if seen[items[at]] != group:
                    seen[items[at]] = group
                    counts[group] += 1


@kernel
def fill_profiles(
    first: int,
    end: int,
    starts: Offsets,
    members: Integers,
    offsets: Offsets,
    items: Codes,
    values: Floats,
    known: Mask,
    base: Floats,
    spread: Floats,
    out_offsets: Offsets,
    out_items: Codes,
    out_values: Floats,
    out_raters: Codes,
) -> None:
    """The mean of each group first..end in rating units, items ascending, and who rated them."""
    sums = np.zeros(len(base))
    stored = np.zeros(len(base), np.int64)
    rated = np.zeros(len(base), np.int32)
    for group in range(first, end):
        size = starts[group + 1] - starts[group]
        _sum_cells(group, starts, members, offsets, items, values, sums, stored)
        to = out_offsets[group]
        for member in range(starts[group], starts[group + 1]):
            one = members[member]
            for at in range(offsets[one], offsets[one + 1]):
                item = items[at]
                rated[item] += len(known) == 0 or known[at]
                if stored[item] > 0:
                    stored[item] = 0
                    out_items[to] = item
                    to += 1
        cells = out_items[out_offsets[group] : to]
        sort_ascending(cells)
        for at in range(len(cells)):
            item = cells[at]
            out_values[out_offsets[group] + at] = base[item] + spread[item] * sums[item] / size
            out_raters[out_offsets[group] + at] = rated[item]
            sums[item] = 0.0
            rated[item] = 0
