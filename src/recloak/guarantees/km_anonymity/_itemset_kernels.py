"""Kernels that count sets of terms in sparse rows: is there one that some row holds, but too few?

A set is grown term by term: the places where its last term stands lead to all later terms of the
same rows, so that only sets that occur are ever looked at.
"""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Integers, Mask
from recloak.core.kernels import kernel


@kernel
def count_later(
    places: Integers,
    row_of: Codes,
    offsets: Integers,
    terms: Codes,
    weights: Integers,
    few: int,
    held: Integers,
    seen: Integers,
    thin: Mask,
    touched: Codes,
) -> int:
    """How often each term stands behind one of ``places``; returns how many terms do.

    ``held`` counts rows by weight, ``seen`` entries; ``thin`` tells that a row of a weight below
    ``few`` is among them. The terms met are listed in ``touched``.
    """
    met = 0
    for place in places:
        row = row_of[place]
        weight = weights[row]
        for at in range(place + 1, offsets[row + 1]):
            term = terms[at]
            if seen[term] == 0:
                touched[met] = term
                met += 1
            held[term] += weight
            seen[term] += 1
            if weight < few:
                thin[term] = True
    return met


@kernel
def group_later(
    places: Integers,
    row_of: Codes,
    offsets: Integers,
    terms: Codes,
    starts: Integers,
    grouped: Integers,
) -> None:
    """The places behind ``places``, those of each term together; ``starts`` moves to the ends."""
    for place in places:
        for at in range(place + 1, offsets[row_of[place] + 1]):
            term = terms[at]
            if starts[term] >= 0:
                grouped[starts[term]] = at
                starts[term] += 1


@kernel
def rare_set(  # noqa: C901 - one loop: its parts share all of its scratch arrays
    first: int,
    last: int,
    index_offsets: Integers,
    index: Integers,
    row_of: Codes,
    offsets: Integers,
    terms: Codes,
    weights: Integers,
    few: int,
    most: int,
) -> Codes:
    """A set of 2 to ``most`` terms that occurs, but in rows of less weight than ``few`` in all.

    The smallest term of the set is one of ``first..last - 1``; empty if there is no such set. Rows
    of weight ``few`` or more cannot hold one, so that a term found in no other is passed over.
    """
    n_terms = len(index_offsets) - 1
    held, seen = np.zeros(n_terms, np.int64), np.zeros(n_terms, np.int64)
    thin, touched = np.zeros(n_terms, np.bool_), np.empty(n_terms, np.int32)
    starts = np.full(n_terms, -1, np.int64)
    for start in range(first, last):
        stack = [
            (index[index_offsets[start] : index_offsets[start + 1]], np.full(1, start, np.int32))
        ]
        while len(stack) > 0:
            places, prefix = stack.pop()
            met = count_later(
                places, row_of, offsets, terms, weights, few, held, seen, thin, touched
            )
            deeper = len(prefix) + 1 < most
            rare, total = -1, 0
            for term in touched[:met]:
                if held[term] < few and (rare < 0 or term < rare):
                    rare = term
                if deeper and thin[term]:
                    starts[term] = total
                    total += seen[term]
            if rare >= 0:
                return np.append(prefix, np.int32(rare)).astype(np.int32)
            if total > 0:
                grouped = np.empty(total, np.int64)
                group_later(places, row_of, offsets, terms, starts, grouped)
                for term in touched[:met]:
                    if thin[term]:
                        end = starts[term]
                        longer = np.append(prefix, np.int32(term)).astype(np.int32)
                        stack.append((grouped[end - seen[term] : end], longer))
            for term in touched[:met]:
                held[term], seen[term], thin[term], starts[term] = 0, 0, False, -1
    return np.empty(0, np.int32)
