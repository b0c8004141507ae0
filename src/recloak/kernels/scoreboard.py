"""Kernels of the scoreboard attacks: scores that touch only the postings of what is known."""

from __future__ import annotations

import numpy as np

from recloak.kernels import kernel
from recloak.kernels.postings import (
    CANDIDATE,
    Asked,
    Codes,
    Floats,
    Offsets,
    Postings,
    Rows,
    matches,
    matching_range,
    place_of,
)

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
def add_timely_scores(
    keys: Offsets,
    postings: Postings,
    rows: Rows,
    asked: Asked,
    known: int,
    score: Floats,
    touched: Codes,
    count: int,
) -> int:
    """The same for those candidates alone that match in time too."""
    item = asked.items[known]
    for at in range(len(keys)):
        row = postings.first[keys[at] & CANDIDATE]
        if matches(rows, row, asked, known, place_of(rows, row, item)):
            one = keys[at : at + 1]
            count = add_scores(one, postings.weights[item], score, touched, count)
    return count


@kernel
def score_candidates(
    postings: Postings, rows: Rows, asked: Asked, attempt: int, score: Floats, touched: Codes
) -> int:
    """Score all candidates that match anything known in a try; how many are touched."""
    count = 0
    for known in range(asked.offsets[attempt], asked.offsets[attempt + 1]):
        item = asked.items[known]
        low, high = matching_range(postings, item, asked.lows[known], asked.highs[known])
        keys = postings.keys[low:high]
        if asked.seconds >= 0:
            count = add_timely_scores(keys, postings, rows, asked, known, score, touched, count)
        elif high > low:
            count = add_scores(keys, postings.weights[item], score, touched, count)
    return count


@kernel
def best_candidates(
    postings: Postings,
    rows: Rows,
    asked: Asked,
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
        for at in range(score_candidates(postings, rows, asked, attempt, score, touched)):
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
def rarest_known(postings: Postings, asked: Asked, attempt: int) -> tuple[int, int, int]:
    """Which known item of a try has the fewest matching postings, and where these stand."""
    rarest, low, high = -1, 0, 0
    for known in range(asked.offsets[attempt], asked.offsets[attempt + 1]):
        start, end = matching_range(
            postings, asked.items[known], asked.lows[known], asked.highs[known]
        )
        if rarest < 0 or end - start < high - low:
            rarest, low, high = known, start, end
    return rarest, low, high


@kernel
def narrowed(
    postings: Postings,
    rows: Rows,
    asked: Asked,
    known: int,
    fitting: Codes,
    count: int,
    mark: Codes,
) -> int:
    """Keep the candidates that match one more known item, and mark them; how many are left.

    A candidate's mark is 1, and 0 for all others, before and after.
    """
    item = asked.items[known]
    low, high = matching_range(postings, item, asked.lows[known], asked.highs[known])
    looked_up = asked.seconds >= 0 or count * _LOOK_UP < high - low
    for at in range(low, low if looked_up else high):
        candidate = postings.keys[at] & CANDIDATE
        mark[candidate] *= 2
    left = 0
    for at in range(count):
        candidate = fitting[at]
        fits = mark[candidate] == 2
        if looked_up:
            row = postings.first[candidate]
            fits = matches(rows, row, asked, known, place_of(rows, row, item))
        mark[candidate] = fits
        fitting[left] = candidate
        left += fits
    return left


@kernel
def fitting_all(
    postings: Postings, rows: Rows, asked: Asked, attempt: int, fitting: Codes, mark: Codes
) -> int:
    """Put the candidates that match all that is known in a try into ``fitting``; how many."""
    rarest, low, high = rarest_known(postings, asked, attempt)
    for at in range(low, high):
        fitting[at - low] = postings.keys[at] & CANDIDATE
        mark[fitting[at - low]] = 1
    count = high - low
    for known in range(asked.offsets[attempt], asked.offsets[attempt + 1]):
        if count > 0 and (known != rarest or asked.seconds >= 0):
            count = narrowed(postings, rows, asked, known, fitting, count, mark)
    return count


@kernel
def fitting_candidates(
    postings: Postings,
    rows: Rows,
    asked: Asked,
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
    fitting = np.empty(len(postings.sizes), np.int32)
    for attempt in range(start, end):
        count = fitting_all(postings, rows, asked, attempt, fitting, mark)
        size, own, alike, example, other = 0, 0, 0, -1, -1
        for at in range(own_offsets[users[attempt]], own_offsets[users[attempt] + 1]):
            candidate = postings.candidate_of[own_rows[at]]
            if mark[candidate] == 1:
                mark[candidate] = _OWN
                alike += postings.sizes[candidate]
                example = own_rows[at] if example < 0 else example
            own += mark[candidate] == _OWN
        for at in range(count):
            candidate = fitting[at]
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
