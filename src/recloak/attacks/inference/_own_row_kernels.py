"""Kernels of own rows: which known items a row lacks, and which rows exclude each other.

Tests compare them with plain loops in tests/attacks/inference/test_own_rows.py.
"""

from __future__ import annotations

import numpy as np

from recloak.attacks._co_occurrence import SAMPLED_ITEMS, Chances, surprise
from recloak.attacks._postings import RowArrays
from recloak.core.arrays import Codes, Floats, Indices, Integers, Mask, Offsets, Words
from recloak.core.kernels import inner_kernel, kernel

NO_RIVAL = -12.0


@kernel
def surprises(
    best: Indices,
    rows: RowArrays,
    known_offsets: Offsets,
    known_items: Codes,
    place: Codes,
    chances: Chances,
    out: Floats,
) -> None:
    """For the best rows of each person how surprising the known items are that it has and lacks."""
    known_at, sampled = np.full(len(place), -1, np.int32), np.empty(SAMPLED_ITEMS, np.int32)
    most = 0
    for person in range(len(best)):
        most = max(most, known_offsets[person + 1] - known_offsets[person])
    mask = np.zeros(most // 64 + 1, np.uint64)
    for person in range(len(best)):
        known = known_items[known_offsets[person] : known_offsets[person + 1]]
        for at in range(len(known)):
            known_at[known[at]] = at
        for rank in range(best.shape[1]):
            row = best[person, rank]
            if row < 0:
                break
            mark_known(rows, row, known_at, mask)
            line = out[person, rank]
            line[0], line[1] = surprise(rows, row, known, mask, place, chances, sampled)
        for item in known:
            known_at[item] = -1


@inner_kernel
def mark_known(rows: RowArrays, row: int, known_at: Codes, mask: Words) -> None:
    """Set a bit for each known item that a row has, and no other."""
    mask[:] = np.uint64(0)
    for cell in range(rows.offsets[row], rows.offsets[row + 1]):
        at = known_at[rows.items[cell]]
        if at >= 0:
            mask[at // 64] |= np.uint64(1) << np.uint64(at % 64)


@kernel
def rival_odds(best: Indices, odds: Floats, rows: RowArrays, n_items: int, out: Floats) -> None:
    """The log-odds of the best rival and of all rivals of each row, and what the others say.

    Rivals are rows that share an item with it: only one of them can be the person's. Of the others
    the best log-odds count, and how many of them are likely the person's.
    """
    marked, shares = np.full(n_items, -1, np.int64), np.zeros(best.shape[1], np.bool_)
    for person in range(len(best)):
        for rank in range(best.shape[1]):
            if best[person, rank] < 0:
                break
            mark = person * best.shape[1] + rank
            mark_rivals(rows, best[person], rank, marked, mark, shares)
            line, total, likely = out[person, rank], np.exp(NO_RIVAL), 0.0
            line[0], line[2] = NO_RIVAL, NO_RIVAL
            for other in range(best.shape[1]):
                if other == rank or best[person, other] < 0:
                    continue
                rival = odds[person, other]
                if shares[other]:
                    line[0], total = max(line[0], rival), total + np.exp(rival)
                else:
                    line[2], likely = max(line[2], rival), likely + 1 / (1 + np.exp(-rival))
            line[1], line[3] = np.log(total), likely


@inner_kernel
def mark_rivals(
    rows: RowArrays, best: Indices, rank: int, marked: Integers, mark: int, shares: Mask
) -> None:
    """Which of the rows share an item with that of this rank."""
    for cell in range(rows.offsets[best[rank]], rows.offsets[best[rank] + 1]):
        marked[rows.items[cell]] = mark
    for other in range(len(best)):
        shares[other] = False
        if best[other] < 0:
            continue
        for cell in range(rows.offsets[best[other]], rows.offsets[best[other] + 1]):
            if marked[rows.items[cell]] == mark:
                shares[other] = True
                break
