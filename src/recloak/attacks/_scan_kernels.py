"""Kernels that hold rows against many tries at once, block by block.

What is known is indexed by item and rows are read one after the other, so that a row is in memory
once for all tries. What is found of several blocks merges exactly: sums are whole numbers, scores
are those of single rows. Tests compare with the scoreboard kernels, which need all rows at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.attacks._postings import KnownRatings, RowArrays, rank_of
from recloak.core.arrays import Floats, Indices, Integers, Offsets, Words
from recloak.core.kernels import inner_kernel, kernel

NO_ROW = 2**63 - 1
_UNIT = 2.0**40  # of sums; a score adds up few weights below 2, its square stays below 2²³
_LOW_BITS = 31
_LOW = 2**_LOW_BITS - 1


class KnownByItem(NamedTuple):
    """The known ratings of all tries by item: ``known[offsets[i]:offsets[i + 1]]`` are of item i.

    ``tries`` has the try of each known rating; ``counts`` how many ratings a try knows.
    """

    offsets: Offsets
    known: Indices
    tries: Indices
    counts: Integers


class OwnRows(NamedTuple):
    """The rows of the person of each try: their numbers, ascending, and fingerprints."""

    offsets: Offsets
    ids: Integers
    prints: Words


class Scan(NamedTuple):
    """What was found for each try among some rows; all merges with what others hold.

    ``first`` is the highest score, of the rows that look like ``leader``: ``size`` many, the first
    of which is ``leader_id``. ``second`` is the highest score of all others. Sums of scores and
    of their squares are whole numbers in two halves. ``fitting`` rows match all that is known;
    ``own`` of these are the person's, the first of them ``example``, ``alike`` look like one
    of these, and ``other`` is the first of the rest.
    """

    first: Floats
    second: Floats
    leader: Words
    leader_id: Integers
    size: Integers
    scores: Integers
    squares: Integers
    fitting: Integers
    own: Integers
    alike: Integers
    example: Integers
    other: Integers

    @classmethod
    def of_nothing(cls, tries: int) -> Scan:
        """That of no rows."""
        return cls(
            first=np.zeros(tries),
            second=np.zeros(tries),
            leader=np.zeros((tries, 2), np.uint64),
            leader_id=np.full(tries, NO_ROW),
            size=np.zeros(tries, np.int64),
            scores=np.zeros((tries, 2), np.int64),
            squares=np.zeros((tries, 2), np.int64),
            fitting=np.zeros(tries, np.int64),
            own=np.zeros(tries, np.int64),
            alike=np.zeros(tries, np.int64),
            example=np.full(tries, NO_ROW),
            other=np.full(tries, NO_ROW),
        )


@inner_kernel
def _add_halves(halves: Integers, amount: float) -> None:
    """Add a whole number of units."""
    units = np.int64(amount * _UNIT)
    halves[0] += units >> _LOW_BITS
    halves[1] += units & _LOW


@inner_kernel
def _matches(rows: RowArrays, at: int, rank: int, knowledge: KnownRatings, known: int) -> bool:
    if rank < knowledge.lows[known] or rank > knowledge.highs[known]:
        return False
    if knowledge.seconds < 0:
        return True
    return bool(abs(rows.times[at] - knowledge.times[known]) <= knowledge.seconds)


@inner_kernel
def _add_score(scan: Scan, at: int, value: float, row_id: int, row_print: Words) -> None:
    """Count the score of a row, and note whether it leads."""
    _add_halves(scan.scores[at], value)
    _add_halves(scan.squares[at], value * value)
    leader = scan.leader[at]
    if value > scan.first[at]:
        scan.second[at], scan.first[at] = scan.first[at], value
        leader[0], leader[1] = row_print[0], row_print[1]
        scan.leader_id[at], scan.size[at] = row_id, 1
    elif leader[0] == row_print[0] and leader[1] == row_print[1]:
        scan.leader_id[at] = min(scan.leader_id[at], row_id)
        scan.size[at] += 1
    elif value > scan.second[at]:
        scan.second[at] = value


@inner_kernel
def _add_fitting(scan: Scan, at: int, own: OwnRows, row_id: int, row_print: Words) -> None:
    """Count a row that matches all that is known in a try."""
    scan.fitting[at] += 1
    alike = False
    for place in range(own.offsets[at], own.offsets[at + 1]):
        if own.ids[place] == row_id:
            scan.own[at] += 1
            scan.example[at] = min(scan.example[at], row_id)
        if own.prints[place, 0] == row_print[0] and own.prints[place, 1] == row_print[1]:
            alike = True
    if alike:
        scan.alike[at] += 1
    else:
        scan.other[at] = min(scan.other[at], row_id)


@kernel
def scan_rows(
    rows: RowArrays,
    ids: Integers,
    prints: Words,
    knowledge: KnownRatings,
    by_item: KnownByItem,
    weights: Floats,
    own: OwnRows,
    scan: Scan,
) -> None:
    """Hold every row against every try that knows an item of it."""
    tries = len(by_item.counts)
    held, score = np.zeros(tries, np.int64), np.zeros(tries, np.float64)
    touched = np.empty(tries, np.int64)
    for row in range(len(rows.offsets) - 1):
        count = 0
        for at in range(rows.offsets[row], rows.offsets[row + 1]):
            item, rank = rows.items[at], rank_of(rows.value_bits[at])
            for place in range(by_item.offsets[item], by_item.offsets[item + 1]):
                known = by_item.known[place]
                if _matches(rows, at, rank, knowledge, known):
                    attempt = by_item.tries[known]
                    if held[attempt] == 0:
                        touched[count] = attempt
                        count += 1
                    held[attempt] += 1
                    score[attempt] += weights[item]
        for place in range(count):
            attempt = touched[place]
            _add_score(scan, attempt, score[attempt], ids[row], prints[row])
            if held[attempt] == by_item.counts[attempt]:
                _add_fitting(scan, attempt, own, ids[row], prints[row])
            held[attempt], score[attempt] = 0, 0.0


def merged(one: Scan, other: Scan) -> Scan:
    """What was found among the rows of both."""
    same = (one.leader == other.leader).all(axis=1) & (one.size > 0) & (other.size > 0)
    behind = other.first > one.first
    beaten = np.where(same, 0.0, np.minimum(one.first, other.first))
    second = np.maximum(np.maximum(one.second, other.second), beaten)
    ids = np.where(behind, other.leader_id, one.leader_id)
    sizes = np.where(behind, other.size, one.size)
    return Scan(
        first=np.maximum(one.first, other.first),
        second=second,
        leader=np.where(behind[:, None], other.leader, one.leader),
        leader_id=np.where(same, np.minimum(one.leader_id, other.leader_id), ids),
        size=np.where(same, one.size + other.size, sizes),
        scores=one.scores + other.scores,
        squares=one.squares + other.squares,
        fitting=one.fitting + other.fitting,
        own=one.own + other.own,
        alike=one.alike + other.alike,
        example=np.minimum(one.example, other.example),
        other=np.minimum(one.other, other.other),
    )


def in_units(halves: Integers) -> Floats:
    """Sums in two halves as numbers."""
    return np.asarray((halves[:, 0] * float(2**_LOW_BITS) + halves[:, 1]) / _UNIT)
