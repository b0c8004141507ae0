"""Kernels of the Bayesian adversary for rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Bytes, Codes, Floats, Integers, Mask, Offsets, Values
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.kernels.sorting import sort_ascending


class Habits(NamedTuple):
    """The values that are published, their chances given each true one, how often people in
    general give each true value, and how often each row's person does.
    """

    published: Floats
    masses: Floats
    shares: Floats
    of_row: Floats


@kernel
def row_masses(offsets: Offsets, items: Codes, weights: Floats) -> Floats:
    """For each row the summed weight of its items."""
    total = np.zeros(len(offsets) - 1, np.float64)
    for row in range(len(total)):
        for at in range(offsets[row], offsets[row + 1]):
            total[row] += weights[items[at]]
    return total


@kernel
def log_absent_below(offsets: Offsets, ranks: Codes, sums: Floats, limit: int) -> Floats:
    """For each row the sum of the logarithms of its cells whose rank is below ``limit``.

    ``ranks`` ascend within a row; ``sums`` are the running sums of all cells, from 0.
    """
    total = np.empty(len(offsets) - 1, np.float64)
    for row in range(len(total)):
        low, high = offsets[row], offsets[row + 1]
        start = low
        while low < high:
            middle = (low + high) // 2
            if ranks[middle] < limit:
                low = middle + 1
            else:
                high = middle
        total[row] = sums[low] - sums[start]
    return total


@kernel
def holding_all(item_offsets: Offsets, users: Codes, items: Codes) -> Integers:
    """The rows that hold all of some items: a row of the result for each item, in their order.

    It has the places of these rows among the holders of the item; ``users`` ascend within an item.
    """
    sizes = np.empty(len(items), np.int64)
    reached = np.empty(len(items), np.int64)
    for place in range(len(items)):
        reached[place] = item_offsets[items[place]]
        sizes[place] = item_offsets[items[place] + 1] - reached[place]
    order = np.argsort(sizes)  # the fewer hold an item, the more rows it rules out
    first = item_offsets[items[order[0]]]
    cells = np.empty((len(items), sizes[order[0]]), np.int64)
    found = 0
    for at in range(first, first + sizes[order[0]]):
        everywhere = True
        for place in order:
            end = item_offsets[items[place] + 1]
            reached[place] = _next_from(users, reached[place], end, users[at])
            if reached[place] == end or users[reached[place]] != users[at]:
                everywhere = False
                break
            cells[place, found] = reached[place]
        if everywhere:
            found += 1
    return cells[:, :found].copy()


@inner_kernel
def _next_from(users: Codes, low: int, end: int, user: int) -> int:
    """The first place from ``low`` on at which a user is not below ``user``, in longer steps."""
    high, step = low, 1
    while high < end and users[high] < user:
        low = high + 1
        high += step
        step *= 2
    high = min(high, end)
    while low < high:
        middle = (low + high) // 2
        if users[middle] < user:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def count_rarer(offsets: Offsets, items: Codes, ranks: Codes, rows: Codes, limit: int) -> Integers:
    """For each of ``rows`` how many of its items have a rank below ``limit``."""
    counts = np.zeros(len(rows), np.int64)
    for place in range(len(rows)):
        for at in range(offsets[rows[place]], offsets[rows[place] + 1]):
            if ranks[items[at]] < limit:
                counts[place] += 1
    return counts


@kernel
def noisy_fits(
    held: Codes, published: Floats, own: Floats, which: Integers, level: Integers, habits: Habits
) -> Floats:
    """How much likelier a known value is the true one, given what rows publish, than in general.

    ``held`` and ``published`` have a line of rows for each known rating, which has the value
    ``which``; the n-th value is nearest to the true value ``level[n]`` and makes the values that
    are published likely as ``own[n]`` says.
    """
    found = np.empty(held.shape, np.float64)
    for place in range(held.shape[0]):
        value = which[place]
        general = max(habits.shares[level[value]], 1e-12)
        for at in range(held.shape[1]):
            code = np.searchsorted(habits.published, published[place, at])
            theirs, total = habits.of_row[held[place, at]], 0.0
            for true in range(len(theirs)):
                total += theirs[true] * habits.masses[code, true]
            given = theirs[level[value]] / general
            found[place, at] = given * own[value, code] / max(total, 1e-300)
    return found


@kernel
def mark_overlapping(
    offsets: Offsets, items: Codes, item_offsets: Offsets, users: Codes, apart: Bytes
) -> None:
    """Set ``apart`` to 0 for every two rows that have an item in common, a row itself included."""
    for row in range(len(offsets) - 1):
        for at in range(offsets[row], offsets[row + 1]):
            item = items[at]
            for holder in users[item_offsets[item] : item_offsets[item + 1]]:
                apart[row, holder] = 0


@kernel
def sum_of_rows(table: Bytes, rows: Codes, amounts: Floats) -> Floats:
    """The sum of some rows of a table, each as often as its amount says."""
    total = np.zeros(table.shape[1], np.float64)
    for place in range(len(rows)):
        row, amount = table[rows[place]], amounts[place]
        for at in range(len(row)):
            total[at] += amount * row[at]
    return total


class Tally(NamedTuple):
    """Zeros to count with: how many known ratings each row holds, the sum of their logarithms, how
    many known ratings each chunk has, and the summed weight of its rows. Whoever uses it leaves
    zeros.
    """

    held: Codes
    logs: Floats
    wanted: Codes
    weights: Floats

    @classmethod
    def of(cls, rows: int, chunks: int) -> Tally:
        """Zeros for so many rows and chunks."""
        held, wanted = np.zeros(rows, np.int32), np.zeros(chunks, np.int32)
        return cls(held, np.zeros(rows), wanted, np.zeros(chunks))


class Places(NamedTuple):
    """The chunk of each row, its cluster or joint, and which of these are looked at."""

    chunk: Offsets
    cluster: Offsets
    near: Mask


@kernel
def consistent_rows(
    rows: Offsets,
    logs: Floats,
    chunks: Offsets,
    otherwise: Offsets,
    places: Places,
    tally: Tally,
) -> tuple[Offsets, Offsets, Floats]:
    """The rows that hold all known ratings of their chunk and no known item with another value,
    of clusters and joints that are near; how many they hold, and the sum of their logarithms.

    ``rows``, ``logs`` and ``chunks`` have an entry for each known rating that a row, or any row of
    a chunk, holds; ``otherwise`` are the rows that hold a known item with another value.
    """
    held, sums, wanted = tally.held, tally.logs, tally.wanted
    chunk_of, cluster, near = places.chunk, places.cluster, places.near
    found, count = np.empty(len(rows), np.int64), 0
    for at in range(len(rows)):
        row = rows[at]
        if not near[cluster[row]]:
            continue
        if held[row] == 0:
            found[count] = row
            count += 1
        held[row] += 1
        sums[row] += logs[at]
    for chunk in chunks:
        wanted[chunk] += 1
    for row in otherwise:
        held[row] = -abs(held[row])
    kept = 0
    for row in found[:count]:
        if held[row] == wanted[chunk_of[row]]:
            found[kept] = row
            kept += 1
        else:
            held[row], sums[row] = 0, 0.0
    found = found[:kept]
    sort_ascending(found)
    kept_held, kept_logs = np.empty(kept, np.int64), np.empty(kept, np.float64)
    for at in range(kept):
        row = found[at]
        kept_held[at], kept_logs[at] = held[row], sums[row]
        held[row], sums[row] = 0, 0.0
    for chunk in chunks:
        wanted[chunk] = 0
    return found, kept_held, kept_logs


@kernel
def shares_of_chunks(rows: Offsets, weights: Floats, chunk_of: Offsets, tally: Tally) -> Floats:
    """The weights of rows, each divided by the summed weight of the rows of its chunk."""
    sums, shares = tally.weights, np.empty(len(rows), np.float64)
    for at in range(len(rows)):
        sums[chunk_of[rows[at]]] += weights[at]
    for at in range(len(rows)):
        shares[at] = weights[at] / sums[chunk_of[rows[at]]]
    for row in rows:
        sums[chunk_of[row]] = 0.0
    return shares


@kernel
def activity_weights(rows: Offsets, known: Offsets, chances: Values, drawn: Floats) -> Floats:
    """For each row the sum over levels of activity of its chance and of ``drawn`` for so many."""
    weights = np.empty(len(rows), np.float64)
    for at in range(len(rows)):
        row, count, total = rows[at], known[at], 0.0
        for level in range(chances.shape[1]):
            total += chances[row, level] * drawn[count, level]
        weights[at] = total
    return weights
