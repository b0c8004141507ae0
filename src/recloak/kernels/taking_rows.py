"""Kernels that take rows one after the other, as long as they share no item."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import inner_kernel, kernel
from recloak.kernels.postings import (
    Asked,
    Codes,
    Floats,
    Offsets,
    Postings,
    Rows,
    place_of,
    rank_of,
)
from recloak.kernels.scoreboard import score_candidates

Held = NDArray[np.bool_]

CLOSE = 1e-9


@inner_kernel
def overlaps(rows: Rows, row: int, held: Held) -> bool:
    """Does a row have an item that is held already?"""
    at, end = rows.offsets[row], rows.offsets[row + 1]
    while at < end and not held[rows.items[at]]:
        at += 1
    return bool(at < end)


@inner_kernel
def hold(rows: Rows, row: int, held: Held, is_held: bool) -> None:
    """Mark all items of a row."""
    for at in range(rows.offsets[row], rows.offsets[row + 1]):
        held[rows.items[at]] = is_held


@inner_kernel
def let_go(postings: Postings, rows: Rows, taken: Offsets, held: Held) -> None:
    """Forget the items of all rows that were taken."""
    for candidate in taken:
        if candidate >= 0:
            hold(rows, postings.first[candidate], held, False)


@kernel
def take_apart(
    postings: Postings,
    rows: Rows,
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
    held = np.zeros(n_items, np.bool_)
    for attempt in range(start, end):
        count = 0
        for at in range(picked.shape[1]):
            candidate = picked[attempt, at]
            if candidate < 0 or chances[attempt, at] <= least:
                continue
            row = postings.first[candidate]
            if not overlaps(rows, row, held):
                taken[attempt, count] = candidate
                hold(rows, row, held, True)
                count += 1
        let_go(postings, rows, taken[attempt], held)


@inner_kernel
def outstanding(
    postings: Postings,
    rows: Rows,
    count: int,
    touched: Codes,
    score: Floats,
    held: Held,
    phi: float,
) -> int:
    """The candidate that stands out from all that share no item with what is held, -1 if none."""
    winner, first, second, total, squares = -1, 0.0, 0.0, 0.0, 0.0
    for at in range(count):
        candidate = touched[at]
        value = score[candidate]
        score[candidate] = 0.0
        total += postings.sizes[candidate] * value
        squares += postings.sizes[candidate] * value * value
        if value <= second or overlaps(rows, postings.first[candidate], held):
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
    rows: Rows,
    asked: Asked,
    n_items: int,
    phi: float,
    start: int,
    end: int,
    taken: Offsets,
) -> None:
    """Scoreboard-RH again and again: each round leaves out the known items that a row explains.

    Known items are set to -1 once they are explained, so that ``asked`` is used up.
    """
    score = np.zeros(len(postings.sizes), np.float64)
    touched = np.empty(len(postings.sizes) + 1, np.int32)
    held = np.zeros(n_items, np.bool_)
    for attempt in range(start, end):
        for place in range(taken.shape[1]):
            count = score_candidates(postings, rows, asked, attempt, score, touched)
            winner = outstanding(postings, rows, count, touched, score, held, phi)
            if count == 0 or winner < 0:
                break
            taken[attempt, place] = winner
            row = postings.first[winner]
            hold(rows, row, held, True)
            for known in range(asked.offsets[attempt], asked.offsets[attempt + 1]):
                if asked.items[known] >= 0 and place_of(rows, row, asked.items[known]) >= 0:
                    asked.items[known] = -1
        let_go(postings, rows, taken[attempt], held)


@kernel
def found_as_known(
    rows: Rows, asked: Asked, offsets: Offsets, linked: Offsets, users: Offsets
) -> tuple[int, int]:
    """How many known ratings have their item in a row of the person (those ``linked`` from
    ``offsets[user]`` on), and how many of these match there.
    """
    there, matching = 0, 0
    for attempt in range(len(users)):
        own = linked[offsets[users[attempt]] : offsets[users[attempt] + 1]]
        for known in range(asked.offsets[attempt], asked.offsets[attempt + 1]):
            held, matches = False, False
            for row in own:
                at = place_of(rows, row, asked.items[known]) if asked.items[known] >= 0 else -1
                if at >= 0:
                    rank = rank_of(rows.value_bits[at])
                    held = True
                    matches |= asked.lows[known] <= rank <= asked.highs[known]
            there += held
            matching += matches
    return there, matching
