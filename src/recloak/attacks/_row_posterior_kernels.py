"""Kernels of the posterior over rows: what people's own rows look like, and which rows fit best."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Floats, Indices, Integers, Offsets
from recloak.core.kernels import inner_kernel, kernel


@kernel
def count_own_cells(
    people: Indices,
    offsets: Offsets,
    items: Codes,
    levels: Codes,
    owned_offsets: Offsets,
    owned: Indices,
    row_offsets: Offsets,
    row_items: Codes,
    row_states: Codes,
    fame: Codes,
    row_class: Codes,
    by_level: Floats,
    listed: Floats,
    honest: Floats,
) -> None:
    """Compare the ratings of people with the cells of their own rows, row by row.

    ``by_level[level, state]`` counts ratings by what the row says, ``listed[fame, class]`` those
    that a row of this class lists and all of them, ``honest[fame, state]`` cells that are true and
    all of them.
    """
    level_of = np.full(len(fame), -1, np.int32)
    for person in people:
        start, end = offsets[person], offsets[person + 1]
        for at in range(start, end):
            level_of[items[at]] = levels[at]
        for place in range(owned_offsets[person], owned_offsets[person + 1]):
            length_class = row_class[owned[place]]
            for at in range(start, end):
                listed[fame[items[at]], length_class, 1] += 1
            for cell in range(row_offsets[owned[place]], row_offsets[owned[place] + 1]):
                item, state = row_items[cell], row_states[cell]
                honest[fame[item], state, 1] += 1
                if level_of[item] >= 0:
                    honest[fame[item], state, 0] += 1
                    listed[fame[item], length_class, 0] += 1
                    by_level[level_of[item], state] += 1
        for at in range(start, end):
            level_of[items[at]] = -1


@inner_kernel
def insert_best(
    row: int, score: float, best_rows: Indices, best_scores: Floats, filled: int
) -> int:
    """Put a row among the best, in order of score, then of number; how many there are then."""
    last = len(best_rows)
    if filled == last and score <= best_scores[last - 1]:
        return filled
    at = filled if filled < last else last - 1
    while at > 0 and best_scores[at - 1] < score:
        best_rows[at], best_scores[at] = best_rows[at - 1], best_scores[at - 1]
        at -= 1
    best_rows[at], best_scores[at] = row, score
    return min(filled + 1, last)


@inner_kernel
def weigh_known(
    items: Codes,
    levels: Codes,
    column_offsets: Offsets,
    column_rows: Codes,
    column_states: Codes,
    gain: Floats,
    own_state: Floats,
    any_state: Floats,
    row_class: Codes,
    held: Integers,
    items_gain: Floats,
    value_gain: Floats,
    touched: Indices,
) -> int:
    """Add up what known items say of rows that list them; how many rows are touched."""
    count = 0
    for at in range(len(items)):
        item, level = items[at], levels[at]
        for place in range(column_offsets[item], column_offsets[item + 1]):
            row, state = column_rows[place], column_states[place]
            if held[row] == 0:
                touched[count] = row
                count += 1
            held[row] += 1
            items_gain[row] += gain[item, row_class[row]]
            value_gain[row] += own_state[level, state] - any_state[item, state]
    return count


@inner_kernel
def of_nothing_listed(items: Codes, absent: Floats, base: Floats) -> None:
    """The log-weight of a row of each class that lists none of the items."""
    base[:] = 0.0
    for item in items:
        base += absent[item]


@kernel
def best_rows(
    known_offsets: Offsets,
    known_items: Codes,
    known_levels: Codes,
    column_offsets: Offsets,
    column_rows: Codes,
    column_states: Codes,
    absent: Floats,
    gain: Floats,
    own_state: Floats,
    any_state: Floats,
    row_class: Codes,
    lengths: Integers,
    log_factorial: Floats,
    mean_length: float,
    rows_out: Indices,
    scores_out: Floats,
    held_out: Integers,
    values_out: Floats,
    totals: Floats,
) -> None:
    """The rows with the highest log-weights for each person, best first.

    A row of class ``l`` that does not list known item ``j`` gains ``absent[j, l]``; one that lists
    it in state ``s`` gains ``gain[j, l]`` more and, if the rating is of level ``v``,
    ``own_state[v, s] - any_state[j, s]``. Of a row of n items that lists c known ones, these are
    one of n! / (n - c)! choices. ``totals`` get the log of the sum of all weights, and how many
    rows list all that is known.
    """
    n_rows = len(lengths)
    held, items_gain = np.zeros(n_rows, np.int64), np.zeros(n_rows)
    value_gain, touched = np.zeros(n_rows), np.empty(n_rows, np.int64)
    base, of_class = np.zeros(absent.shape[1]), np.zeros(absent.shape[1], np.int64)
    for row in range(n_rows):
        of_class[row_class[row]] += 1
    for person in range(len(known_offsets) - 1):
        here = slice(known_offsets[person], known_offsets[person + 1])
        known, levels = known_items[here], known_levels[here]
        of_nothing_listed(known, absent, base)
        count = weigh_known(
            known, levels, column_offsets, column_rows, column_states, gain, own_state, any_state,
            row_class, held, items_gain, value_gain, touched,
        )  # fmt: skip
        filled, highest, complete = 0, base.max(), 0
        untouched = of_class.copy()
        for row in touched[:count]:
            choices = log_factorial[lengths[row]] - log_factorial[lengths[row] - held[row]]
            score = base[row_class[row]] + items_gain[row] + value_gain[row]
            items_gain[row] = score + held[row] * np.log(mean_length) - choices
            highest = max(highest, items_gain[row])
            complete += held[row] == len(known)
            untouched[row_class[row]] -= 1
            filled = insert_best(row, items_gain[row], rows_out[person], scores_out[person], filled)
        total = (untouched * np.exp(base - highest)).sum()
        for row in touched[:count]:
            total += np.exp(items_gain[row] - highest)
        totals[person, 0], totals[person, 1] = highest + np.log(total), complete
        for place in range(filled):
            held_out[person, place] = held[rows_out[person, place]]
            values_out[person, place] = value_gain[rows_out[person, place]]
        rows_out[person, filled:], scores_out[person, filled:] = -1, base.max()
        for row in touched[:count]:
            held[row], items_gain[row], value_gain[row] = 0, 0.0, 0.0
