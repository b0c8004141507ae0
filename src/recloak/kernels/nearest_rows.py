"""Kernels that find the row of a release nearest to a person's own, by all cells of some items.

A missing cell counts as the item's base, so that with values taken from there only listed cells
matter. Distances are screened first, through an item → rows index or by products of full tables;
rows that could be the nearest are compared by one sum in the order of items, which alone decides.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import kernel

SLACK = 1e-10  # far above what screening can be off, relative to the lengths of the rows


@kernel
def row_norms(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    values: NDArray[np.float32],
    base: NDArray[np.float64],
    compared: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """The squared length of each row, from the base, over the compared items."""
    norms = np.zeros(len(offsets) - 1)
    for row in range(len(norms)):
        for at in range(offsets[row], offsets[row + 1]):
            if compared[items[at]]:
                norms[row] += (np.float64(values[at]) - base[items[at]]) ** 2
    return norms


@kernel
def nearest_rows(
    first: int,
    end: int,
    people: NDArray[np.int64],
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    values: NDArray[np.float32],
    row_offsets: NDArray[np.int64],
    row_items: NDArray[np.int32],
    row_values: NDArray[np.float32],
    base: NDArray[np.float64],
    compared: NDArray[np.bool_],
    norms: NDArray[np.float64],
    index_offsets: NDArray[np.int64],
    index_rows: NDArray[np.int32],
    index_values: NDArray[np.float32],
) -> NDArray[np.int64]:
    """The nearest row to each of ``people[first:end]``; of equally near ones the first."""
    found = np.empty(end - first, np.int64)
    least = np.full(end - first, np.inf)
    screened = np.empty(len(norms), np.float64)
    for at in range(first, end):
        here = slice(offsets[people[at]], offsets[people[at] + 1])
        own, told = items[here], values[here]
        index = (index_offsets, index_rows, index_values)
        _screen(own, told, *index, norms, base, compared, screened)
        rows = (row_offsets, row_items, row_values)
        _decide(own, told, *rows, base, compared, norms, screened, 0, at - first, least, found)
    return found


@kernel
def decide(
    first: int,
    people: NDArray[np.int64],
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    values: NDArray[np.float32],
    row_offsets: NDArray[np.int64],
    row_items: NDArray[np.int32],
    row_values: NDArray[np.float32],
    base: NDArray[np.float64],
    compared: NDArray[np.bool_],
    norms: NDArray[np.float64],
    screened: NDArray[np.float64],
    first_row: int,
    least: NDArray[np.float64],
    found: NDArray[np.int64],
) -> None:
    """Bring ``least`` and ``found`` up to date with a block of rows, for a block of people.

    ``screened`` has a line for each of ``people[first:]`` and a column for each row from
    ``first_row`` on; blocks of rows must come in their order.
    """
    for line in range(len(screened)):
        at = first + line
        here = slice(offsets[people[at]], offsets[people[at] + 1])
        own = (items[here], values[here], row_offsets, row_items, row_values, base, compared)
        _decide(*own, norms, screened[line], first_row, at, least, found)


@kernel
def _decide(
    items: NDArray[np.int32],
    values: NDArray[np.float32],
    row_offsets: NDArray[np.int64],
    row_items: NDArray[np.int32],
    row_values: NDArray[np.float32],
    base: NDArray[np.float64],
    compared: NDArray[np.bool_],
    norms: NDArray[np.float64],
    screened: NDArray[np.float64],
    first_row: int,
    at: int,
    least: NDArray[np.float64],
    found: NDArray[np.int64],
) -> None:
    """The nearest of the rows that were screened, if it is nearer than ``least[at]``.

    Screened distances lack the squared length of the person's own row.
    """
    length = 0.0
    for step in range(len(items)):
        if compared[items[step]]:
            length += (np.float64(values[step]) - base[items[step]]) ** 2
    limit = min(screened.min(), least[at] - length)
    for column in range(len(screened)):
        row = first_row + column
        if screened[column] - limit > SLACK * (1.0 + length + norms[row]):
            continue
        cells = slice(row_offsets[row], row_offsets[row + 1])
        gap = distance(items, values, row_items[cells], row_values[cells], base, compared)
        if gap < least[at]:
            least[at], found[at] = gap, row


@kernel
def _screen(
    items: NDArray[np.int32],
    values: NDArray[np.float32],
    index_offsets: NDArray[np.int64],
    index_rows: NDArray[np.int32],
    index_values: NDArray[np.float32],
    norms: NDArray[np.float64],
    base: NDArray[np.float64],
    compared: NDArray[np.bool_],
    out: NDArray[np.float64],
) -> None:
    """Squared distances to all rows, less the squared length of the person's own."""
    out[:] = norms
    for step in range(len(items)):
        item = items[step]
        if compared[item]:
            pull = 2.0 * (np.float64(values[step]) - base[item])
            for at in range(index_offsets[item], index_offsets[item + 1]):
                out[index_rows[at]] -= pull * (np.float64(index_values[at]) - base[item])


@kernel
def distance(
    items: NDArray[np.int32],
    values: NDArray[np.float32],
    row_items: NDArray[np.int32],
    row_values: NDArray[np.float32],
    base: NDArray[np.float64],
    compared: NDArray[np.bool_],
) -> float:
    """The squared distance of two rows over the compared items, summed in their order."""
    total, one, two = 0.0, 0, 0
    while one < len(items) or two < len(row_items):
        left = items[one] if one < len(items) else np.int32(len(base))
        right = row_items[two] if two < len(row_items) else np.int32(len(base))
        item = min(left, right)
        mine, theirs = base[item], base[item]
        if left == item:
            mine, one = np.float64(values[one]), one + 1
        if right == item:
            theirs, two = np.float64(row_values[two]), two + 1
        if compared[item]:
            total += (mine - theirs) ** 2
    return total


@kernel
def values_at(
    rows: NDArray[np.int64],
    asked: NDArray[np.int32],
    row_offsets: NDArray[np.int64],
    row_items: NDArray[np.int32],
    row_values: NDArray[np.float32],
    base: NDArray[np.float64],
) -> NDArray[np.float64]:
    """What each of ``rows`` says of the item asked for; the item's base if it does not list it."""
    told = np.empty(len(rows), np.float64)
    for step in range(len(rows)):
        start, end = row_offsets[rows[step]], row_offsets[rows[step] + 1]
        at = start + np.searchsorted(row_items[start:end], asked[step])
        listed = at < end and row_items[at] == asked[step]
        told[step] = np.float64(row_values[at]) if listed else base[asked[step]]
    return told
