"""Kernels of the scoreboard attacks: score rows by the postings of what is known.

Tests compare them with the plain scoreboard in tests/attacks/plain_scoreboard.py.
"""

from __future__ import annotations

import numpy as np

from recloak.attacks._postings import (
    CANDIDATE,
    KnownRatings,
    Postings,
    RowArrays,
    matches,
    matching_range,
    position_of,
)
from recloak.core.arrays import Codes, Floats, Offsets
from recloak.core.kernels import kernel

_LOOK_UP = 32  # postings that are read in the time of one look into a row
_OWN = 3


@kernel
def add_scores(keys: Offsets, weight: float, score: Floats, touched: Codes, count: int) -> int:
    """Add a weight to the candidates of ``keys``; how many are touched now.

    ``touched`` has room for one more than there are: writing it always is faster than asking.
    """
    for key in keys:
        candidate = key & CANDIDATE
        before = score[candidate]
        touched[count] = candidate
        count += before == 0.0
        score[candidate] = before + weight
    return count


@kernel
def add_timed_scores(
    keys: Offsets,
    postings: Postings,
    rows: RowArrays,
    knowledge: KnownRatings,
    known: int,
    score: Floats,
    touched: Codes,
    count: int,
) -> int:
    """The same for those candidates alone that match in time too."""
    item = knowledge.items[known]
    for at in range(len(keys)):
        row = postings.first[keys[at] & CANDIDATE]
        if matches(rows, row, knowledge, known, position_of(rows, row, item)):
            one = keys[at : at + 1]
            count = add_scores(one, postings.weights[item], score, touched, count)
    return count


@kernel
def score_candidates(
    postings: Postings,
    rows: RowArrays,
    knowledge: KnownRatings,
    attempt: int,
    score: Floats,
    touched: Codes,
) -> int:
    """Score all candidates that match anything known in a try; how many are touched."""
    count = 0
    for known in range(knowledge.offsets[attempt], knowledge.offsets[attempt + 1]):
        item = knowledge.items[known]
        low, high = matching_range(postings, item, knowledge.lows[known], knowledge.highs[known])
        keys = postings.keys[low:high]
        if knowledge.seconds >= 0:
            count = add_timed_scores(keys, postings, rows, knowledge, known, score, touched, count)
        elif high > low:
            count = add_scores(keys, postings.weights[item], score, touched, count)
    return count


@kernel
def best_candidates(
    postings: Postings,
    rows: RowArrays,
    knowledge: KnownRatings,
    start: int,
    end: int,
    best: Offsets,
    scores: Floats,
) -> None:
    """For tries ``start`` to ``end`` the candidate with the highest score, -1 if none has any.

    ``scores`` gets the highest score, the highest of all other candidates, and the deviation over
    all rows, those without any match included.
    """
    n_candidates, n_rows = len(postings.sizes), max(len(postings.candidate_of), 1)
    score = np.zeros(n_candidates, np.float64)
    touched = np.empty(n_candidates + 1, np.int32)
    for attempt in range(start, end):
        winner, first, second, total, squares = -1, 0.0, 0.0, 0.0, 0.0
        for at in range(score_candidates(postings, rows, knowledge, attempt, score, touched)):
            candidate = touched[at]
            value = score[candidate]
            score[candidate] = 0.0
            total += postings.sizes[candidate] * value
            squares += postings.sizes[candidate] * value * value
            if value > first:
                winner, first, second = candidate, value, first
            elif value > second:
                second = value
        best[attempt] = winner
        scores[attempt, 0], scores[attempt, 1] = first, second
        mean = total / n_rows
        scores[attempt, 2] = np.sqrt(max(squares / n_rows - mean * mean, 0.0))


@kernel
def rarest_known(postings: Postings, knowledge: KnownRatings, attempt: int) -> tuple[int, int, int]:
    """Which known item of a try has the fewest matching postings, and where these stand."""
    rarest, low, high = -1, 0, 0
    for known in range(knowledge.offsets[attempt], knowledge.offsets[attempt + 1]):
        start, end = matching_range(
            postings, knowledge.items[known], knowledge.lows[known], knowledge.highs[known]
        )
        if rarest < 0 or end - start < high - low:
            rarest, low, high = known, start, end
    return rarest, low, high


@kernel
def narrow_candidates(
    postings: Postings,
    rows: RowArrays,
    knowledge: KnownRatings,
    known: int,
    candidates: Codes,
    count: int,
    mark: Codes,
) -> int:
    """Keep the candidates that match one more known item, and mark them; how many are left.

    A candidate's mark is 1, and 0 for all others, before and after.
    """
    item = knowledge.items[known]
    low, high = matching_range(postings, item, knowledge.lows[known], knowledge.highs[known])
    looked_up = knowledge.seconds >= 0 or count * _LOOK_UP < high - low
    for at in range(low, low if looked_up else high):
        candidate = postings.keys[at] & CANDIDATE
        mark[candidate] *= 2
    left = 0
    for at in range(count):
        candidate = candidates[at]
        fits = mark[candidate] == 2
        if looked_up:
            row = postings.first[candidate]
            fits = matches(rows, row, knowledge, known, position_of(rows, row, item))
        mark[candidate] = fits
        candidates[left] = candidate
        left += fits
    return left


@kernel
def candidates_containing_all(
    postings: Postings,
    rows: RowArrays,
    knowledge: KnownRatings,
    attempt: int,
    candidates: Codes,
    mark: Codes,
) -> int:
    """Put the candidates that match all that is known in a try into ``candidates``; how many."""
    rarest, low, high = rarest_known(postings, knowledge, attempt)
    for at in range(low, high):
        candidates[at - low] = postings.keys[at] & CANDIDATE
        mark[candidates[at - low]] = 1
    count = high - low
    for known in range(knowledge.offsets[attempt], knowledge.offsets[attempt + 1]):
        if count > 0 and (known != rarest or knowledge.seconds >= 0):
            count = narrow_candidates(postings, rows, knowledge, known, candidates, count, mark)
    return count


@kernel
def containing_candidates(
    postings: Postings,
    rows: RowArrays,
    knowledge: KnownRatings,
    own_offsets: Offsets,
    own_rows: Offsets,
    users: Offsets,
    start: int,
    end: int,
    found: Offsets,
) -> None:
    """For tries ``start`` to ``end`` the rows that match all that is known.

    ``found`` gets how many there are, how many are the person's own, how many look like one of
    these, one of these, and the first of the others; -1 where there is none.
    """
    mark = np.zeros(len(postings.sizes), np.int32)
    candidates = np.empty(len(postings.sizes), np.int32)
    for attempt in range(start, end):
        count = candidates_containing_all(postings, rows, knowledge, attempt, candidates, mark)
        size, own, alike, example, other = 0, 0, 0, -1, -1
        for at in range(own_offsets[users[attempt]], own_offsets[users[attempt] + 1]):
            candidate = postings.candidate_of[own_rows[at]]
            if mark[candidate] == 1:
                mark[candidate] = _OWN
                alike += postings.sizes[candidate]
                example = own_rows[at] if example < 0 else example
            own += mark[candidate] == _OWN
        for at in range(count):
            candidate = candidates[at]
            size += postings.sizes[candidate]
            row = postings.first[candidate]
            if mark[candidate] != _OWN and (other < 0 or row < other):
                other = row
            mark[candidate] = 0
        found[0, attempt], found[1, attempt], found[2, attempt] = size, own, alike
        found[3, attempt], found[4, attempt] = example, other


@kernel
def owned(
    candidates: Offsets,
    candidate_of: Offsets,
    own_offsets: Offsets,
    own_rows: Offsets,
    users: Offsets,
) -> Offsets:
    """For each try how many of the person's own rows look like the candidate that was named."""
    counts = np.zeros(len(users), np.int64)
    for attempt in range(len(users)):
        for at in range(own_offsets[users[attempt]], own_offsets[users[attempt] + 1]):
            counts[attempt] += candidate_of[own_rows[at]] == candidates[attempt]
    return counts
