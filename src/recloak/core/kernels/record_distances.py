"""Kernels that find nearest records by all cells: screening, and the one distance that decides.

A cell that is not listed counts as the item's base, so that with values taken from there only
listed cells matter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Codes, Floats, Indices, Mask, Offsets, Values
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.kernels.layout import first_at_least, put

_ROUNDING = 2.0**-24  # of the screen, in single precision


class SearchedRecords(NamedTuple):
    """Records that are asked about, and the others among which their nearest are looked for.

    ``norms`` are the squared lengths of the former around the ``base``; ``largest_norm`` is that
    of the latter. Up to the share ``close`` of a squared distance two are a tie.
    """

    offsets: Offsets
    items: Codes
    values: Values
    other_offsets: Offsets
    other_items: Codes
    other_values: Values
    base: Floats
    norms: Floats
    largest_norm: float
    close: float


class OwnCandidates(NamedTuple):
    """The candidates of each query that are its own: ``candidates[starts[q]:ends[q]]``."""

    starts: Offsets
    ends: Offsets
    candidates: Indices


@kernel
def squared_distance(
    items: Codes, values: Values, other_items: Codes, other_values: Values, base: Floats
) -> float:
    """The canonical distance, squared, over all cells: one that is not listed counts as its base.

    It is summed by ascending item, so that it decides every choice in the same way.
    """
    total = 0.0
    at, there = 0, 0
    while at < len(items) or there < len(other_items):
        mine = there == len(other_items) or (at < len(items) and items[at] <= other_items[there])
        item = items[at] if mine else other_items[there]
        one = two = base[item]
        if mine:
            one = np.float64(values[at])
            at += 1
        if there < len(other_items) and other_items[there] == item:
            two = np.float64(other_values[there])
            there += 1
        total += (one - two) * (one - two)
    return total


@kernel
def centred_norms(offsets: Offsets, items: Codes, values: Values, base: Floats) -> Floats:
    """The squared length of each row around the base."""
    norms = np.zeros(len(offsets) - 1, np.float64)
    for row in range(len(norms)):
        for at in range(offsets[row], offsets[row + 1]):
            gap = values[at] - base[items[at]]
            norms[row] += gap * gap
    return norms


@kernel
def fill_dense(
    rows: Offsets,
    offsets: Offsets,
    items: Codes,
    values: Values,
    base: Floats,
    out: Values,
) -> None:
    """The rows around the base as lines of ``out``, which holds zeros."""
    for line in range(len(rows)):
        for at in range(offsets[rows[line]], offsets[rows[line] + 1]):
            out[line, items[at]] = values[at] - base[items[at]]


@kernel
def screen_by_items(
    rows: Offsets,
    offsets: Offsets,
    items: Codes,
    values: Values,
    base: Floats,
    index_offsets: Offsets,
    index_rows: Codes,
    index_values: Values,
    norms: Values,
    out: Values,
) -> None:
    """|c|² − 2 q·c of each of ``rows`` and every candidate c, through the index by item."""
    for line in range(len(rows)):
        near = out[line]
        put(norms, near)
        for at in range(offsets[rows[line]], offsets[rows[line] + 1]):
            item = items[at]
            twice, middle = np.float32(2.0 * (values[at] - base[item])), np.float32(base[item])
            for place in range(index_offsets[item], index_offsets[item + 1]):
                near[index_rows[place]] -= twice * (index_values[place] - middle)


@kernel
def screening_slack(
    own_norm: float, largest_norm: float, cells: int, least: float, close: float
) -> float:
    """How far above the least of the screened distances a candidate may be the nearest after all.

    Twice the error of a sum of ``cells`` products in single precision, and what counts as a tie.
    """
    reach: float = np.sqrt(own_norm) + np.sqrt(largest_norm)
    error = 4.0 * (cells + 8) * _ROUNDING * reach * reach
    return 2.0 * error + 2.0 * close * (max(0.0, least + own_norm) + error)


@inner_kernel
def _distance_between(searched: SearchedRecords, row: int, candidate: int) -> float:
    here = slice(searched.offsets[row], searched.offsets[row + 1])
    there = slice(searched.other_offsets[candidate], searched.other_offsets[candidate + 1])
    return squared_distance(
        searched.items[here],
        searched.values[here],
        searched.other_items[there],
        searched.other_values[there],
        searched.base,
    )


@kernel
def decide(
    screened: Values,
    rows: Offsets,
    searched: SearchedRecords,
    own: OwnCandidates,
    weights: Offsets,
    ranks: Offsets,
    ties: Offsets,
    first: Offsets,
    own_tied: Mask,
) -> None:
    """For each of ``rows``: how many candidates are nearest, the first, and are its own of them?

    Who may be nearest by the screened distances is measured again by the canonical one, and who
    is close to the least is a tie. ``ties`` adds up ``weights``, ``first`` is the smallest of
    ``ranks``.
    """
    offsets, norms, close = searched.offsets, searched.norms, searched.close
    near, exact = np.empty(screened.shape[1], np.int64), np.empty(screened.shape[1], np.float64)
    for line in range(len(rows)):
        row, distances = rows[line], screened[line]
        cells, lowest = offsets[row + 1] - offsets[row], np.float64(distances.min())
        bound = lowest + screening_slack(norms[row], searched.largest_norm, cells, lowest, close)
        count, least = 0, np.inf
        for candidate in range(len(distances)):
            if distances[candidate] > bound:
                continue
            exact[count] = _distance_between(searched, row, candidate)
            least = min(least, exact[count])
            near[count] = candidate
            count += 1
        limit = least * (1.0 + close)
        first[line] = np.iinfo(np.int64).max
        for step in range(count):
            if exact[step] <= limit:
                ties[line] += weights[near[step]]
                first[line] = min(first[line], ranks[near[step]])
        for at in range(own.starts[line], own.ends[line]):
            place = first_at_least(near, 0, count, own.candidates[at])
            listed = place < count and near[place] == own.candidates[at]
            own_tied[at] = listed and exact[place] <= limit


@kernel
def beaten(
    screened: Values,
    rows: Offsets,
    searched: SearchedRecords,
    own: OwnCandidates,
    out: Mask,
) -> None:
    """Which of ``rows`` have someone among those screened who is surely nearer than their own?

    The others need not all be screened: one who is nearer by more than the screen can err, and by
    more than a tie, tells that none of one's own candidates is the nearest.
    """
    offsets, norms = searched.offsets, searched.norms
    for line in range(len(rows)):
        row, nearest_own = rows[line], np.inf
        for candidate in own.candidates[own.starts[line] : own.ends[line]]:
            nearest_own = min(nearest_own, _distance_between(searched, row, candidate))
        cells, least = offsets[row + 1] - offsets[row], np.float64(screened[line].min())
        error = 0.5 * screening_slack(norms[row], searched.largest_norm, cells, least, 0.0)
        out[line] = (least + norms[row] + error) * (1.0 + 2.0 * searched.close) < nearest_own


@kernel
def values_at(
    rows: Offsets,
    items: Codes,
    row_offsets: Offsets,
    row_items: Codes,
    row_values: Values,
    base: Floats,
) -> Floats:
    """What each of ``rows`` says of the item asked for; the item's base if it does not list it."""
    found = np.empty(len(rows), np.float64)
    for step in range(len(rows)):
        start, end = row_offsets[rows[step]], row_offsets[rows[step] + 1]
        at = first_at_least(row_items, start, end, items[step])
        listed = at < end and row_items[at] == items[step]
        found[step] = np.float64(row_values[at]) if listed else base[items[step]]
    return found
