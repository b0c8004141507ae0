"""Kernels that find the rows of a survey which fit what is known about a person."""

from __future__ import annotations

from recloak.attacks._answer_distances import UNKNOWN, between, distance
from recloak.core.arrays import Integers, Levels
from recloak.core.kernels import inner_kernel, kernel


@kernel
def link(
    first: int,
    end: int,
    queries: Levels,
    reach: int,
    nearest: bool,
    known: Levels,
    hidden: Levels,
    apart: int,
    own: Integers,
    found: Integers,
    votes: Integers,
) -> None:
    """Of the people first..end: how many rows fit, is theirs among them, what do these answer.

    A row fits if every known issue of ``queries`` lies within ``reach``; an answer and none are
    ``apart``. With ``nearest`` the rows at the least total distance fit where no other does.
    ``found`` has two counts for each person, ``votes`` one for each sensitive issue and level.
    """
    for person in range(first, end):
        least = -1  # by reach
        _collect(person, queries, reach, least, known, hidden, apart, own, found, votes)
        if found[person, 0] == 0 and nearest:
            least = _least(queries[person], known, apart)
            _collect(person, queries, reach, least, known, hidden, apart, own, found, votes)


@inner_kernel
def _collect(
    person: int,
    queries: Levels,
    reach: int,
    least: int,
    known: Levels,
    hidden: Levels,
    apart: int,
    own: Integers,
    found: Integers,
    votes: Integers,
) -> None:
    wanted = queries[person]
    for row in range(len(known)):
        if least < 0:
            fits = _within(wanted, known, row, reach, apart)
        else:
            fits = distance(wanted, known, row, apart, least) <= least
        if fits:
            found[person, 0] += 1
            found[person, 1] += row == own[person]
            for issue in range(hidden.shape[1]):
                if hidden[row, issue] >= 0:
                    votes[person, issue, hidden[row, issue]] += 1


@inner_kernel
def _within(wanted: Levels, known: Levels, row: int, reach: int, apart: int) -> bool:
    for issue in range(len(wanted)):
        if wanted[issue] != UNKNOWN and between(wanted[issue], known[row, issue], apart) > reach:
            return False
    return True


@inner_kernel
def _least(wanted: Levels, known: Levels, apart: int) -> int:
    best = apart * len(wanted)
    for row in range(len(known)):
        best = min(best, distance(wanted, known, row, apart, best))
    return best
