"""Kernels of greedy selection: take rows one after the other if they share no item.

Tests compare them with plain loops in tests/attacks/scoreboard_multi/test_kernels.py.
"""

from __future__ import annotations

import numpy as np

from recloak.attacks._postings import KnownRatings, Postings, RowArrays, position_of, rank_of
from recloak.attacks._scoreboard_kernels import score_candidates
from recloak.core.arrays import Codes, Floats, Mask, Offsets
from recloak.core.kernels import inner_kernel, kernel

CLOSE = 1e-9


@inner_kernel
def has_marked_item(rows: RowArrays, row: int, marked: Mask) -> bool:
    """Does a row have an item that is marked already?"""
    at, end = rows.offsets[row], rows.offsets[row + 1]
    while at < end and not marked[rows.items[at]]:
        at += 1
    return bool(at < end)


@inner_kernel
def mark_row(rows: RowArrays, row: int, marked: Mask, mark: bool) -> None:
    """Mark or unmark all items of a row."""
    for at in range(rows.offsets[row], rows.offsets[row + 1]):
        marked[rows.items[at]] = mark


@inner_kernel
def unmark_rows(postings: Postings, rows: RowArrays, taken: Offsets, marked: Mask) -> None:
    """Unmark the items of all rows that were taken."""
    for candidate in taken:
        if candidate >= 0:
            mark_row(rows, postings.first[candidate], marked, False)


@kernel
def take_disjoint(
    postings: Postings,
    rows: RowArrays,
    n_items: int,
    start: int,
    end: int,
    picked: Offsets,
    chances: Floats,
    least: float,
    taken: Offsets,
) -> None:
    """Take candidates in their order whose chance exceeds ``least`` and that share no item.

    ``taken`` gets them in this order; what is left of it stays as it was (-1).
    """
    marked = np.zeros(n_items, np.bool_)
    for attempt in range(start, end):
        count = 0
        for at in range(picked.shape[1]):
            candidate = picked[attempt, at]
            if candidate < 0 or chances[attempt, at] <= least:
                continue
            row = postings.first[candidate]
            if not has_marked_item(rows, row, marked):
                taken[attempt, count] = candidate
                mark_row(rows, row, marked, True)
                count += 1
        unmark_rows(postings, rows, taken[attempt], marked)


@inner_kernel
def outstanding(
    postings: Postings,
    rows: RowArrays,
    count: int,
    touched: Codes,
    score: Floats,
    marked: Mask,
    phi: float,
) -> int:
    """The candidate that stands out from all that have no marked item, -1 if none."""
    winner, first, second, total, squares = -1, 0.0, 0.0, 0.0, 0.0
    for at in range(count):
        candidate = touched[at]
        value = score[candidate]
        score[candidate] = 0.0
        total += postings.sizes[candidate] * value
        squares += postings.sizes[candidate] * value * value
        if value <= second or has_marked_item(rows, postings.first[candidate], marked):
            continue
        if value > first:
            winner, first, second = candidate, value, first
        else:
            second = value
    n_rows = len(postings.candidate_of)
    deviation = np.sqrt(max(squares / n_rows - (total / n_rows) ** 2, 0.0))
    gap = first - second
    stands_out = gap > phi * deviation and gap > CLOSE * first
    return winner if stands_out or len(postings.sizes) == 1 else -1


@kernel
def take_outstanding(
    postings: Postings,
    rows: RowArrays,
    knowledge: KnownRatings,
    n_items: int,
    phi: float,
    start: int,
    end: int,
    taken: Offsets,
) -> None:
    """Scoreboard-RH again and again: each round leaves out the known items that a row explains.

    Known items are set to -1 once they are explained, so that ``knowledge`` is used up.
    """
    score = np.zeros(len(postings.sizes), np.float64)
    touched = np.empty(len(postings.sizes) + 1, np.int32)
    marked = np.zeros(n_items, np.bool_)
    for attempt in range(start, end):
        for place in range(taken.shape[1]):
            count = score_candidates(postings, rows, knowledge, attempt, score, touched)
            winner = outstanding(postings, rows, count, touched, score, marked, phi)
            if count == 0 or winner < 0:
                break
            taken[attempt, place] = winner
            row = postings.first[winner]
            mark_row(rows, row, marked, True)
            for known in range(knowledge.offsets[attempt], knowledge.offsets[attempt + 1]):
                if (
                    knowledge.items[known] >= 0
                    and position_of(rows, row, knowledge.items[known]) >= 0
                ):
                    knowledge.items[known] = -1
        unmark_rows(postings, rows, taken[attempt], marked)


@kernel
def count_confirmed(
    rows: RowArrays, knowledge: KnownRatings, offsets: Offsets, linked: Offsets, users: Offsets
) -> tuple[int, int]:
    """How many known ratings have their item in a row of the person (those ``linked`` from
    ``offsets[user]`` on), and how many of these match there.
    """
    there, matching = 0, 0
    for attempt in range(len(users)):
        own = linked[offsets[users[attempt]] : offsets[users[attempt] + 1]]
        for known in range(knowledge.offsets[attempt], knowledge.offsets[attempt + 1]):
            present, matches = False, False
            for row in own:
                at = (
                    position_of(rows, row, knowledge.items[known])
                    if knowledge.items[known] >= 0
                    else -1
                )
                if at >= 0:
                    rank = rank_of(rows.value_bits[at])
                    present = True
                    matches |= knowledge.lows[known] <= rank <= knowledge.highs[known]
            there += present
            matching += matches
    return there, matching
