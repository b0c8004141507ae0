"""Kernels that look in chunks of sub-records for terms that occur together, but too few times.

Rows are bits. Where items of a chunk stand elsewhere too, some are wanted absent: whoever holds
them from there does not hold them here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Codes, Integers, Words
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.kernels.bits import item_bits, number_terms, popcount, term_bits

NONE, FOUND, OVER_BUDGET = range(3)
NO_SET = -1


class SearchBuffers(NamedTuple):
    """Room for walking through sets: what was chosen at each depth, and who is left there."""

    left: Words
    chosen: Integers
    following: Integers


@inner_kernel
def new_walk(most: int, width: int) -> SearchBuffers:
    """Room for sets of up to ``most``."""
    return SearchBuffers(
        np.zeros((most + 1, width), np.uint64),
        np.zeros(most + 1, np.int64),
        np.zeros(most + 1, np.int64),
    )


@inner_kernel
def count_left(left: Words, depth: int) -> int:
    """How many rows are left at this depth."""
    total = 0
    for word in range(left.shape[1]):
        total += popcount(left[depth, word])
    return total


@inner_kernel
def choose_hits(
    hits: Words,
    hit_items: Codes,
    first_item: int,
    among: Words,
    depth: int,
    items: Integers,
    chosen: Integers,
    most: int,
    kept: Integers,
    largest: Integers,
) -> int:
    """Keep the hits that any of ``among`` has, except those of chosen terms; returns how many.

    ``largest`` gets the sizes of the ``most`` largest among them.
    """
    count = 0
    largest[:] = 0
    for hit in range(len(hits)):
        size = 0
        for word in range(hits.shape[1]):
            size += popcount(hits[hit, word] & among[depth, word])
        for at in range(depth):
            if items[chosen[at]] == hit_items[first_item + hit]:
                size = 0
        if size > 0:
            kept[count] = hit
            count += 1
        for at in range(most):  # the sizes stay in descending order
            if size > largest[at]:
                size, largest[at] = largest[at], size
    return count


@inner_kernel
def short_absence(
    present: SearchBuffers,
    possible: SearchBuffers,
    extra: int,
    hits: Words,
    kept: Integers,
    count: int,
    most: int,
    few: int,
    steps: Integers,
) -> int:
    """How many hits must be absent to leave fewer than ``few``, -1 if up to ``most`` do not.

    They are in ``present.chosen``. ``possible`` are all that hold what is wanted, ``present`` those
    that keep clear of other chunks; where no possible one is left, nobody may hold the combination
    and nothing is wrong. ``extra`` further rows hold nothing. ``steps[0]`` may still be spent.
    """
    left, others, following = present.left, possible.left, present.following
    following[0], depth = 0, 0
    if count_left(left, 0) + extra < few:
        return 0
    while depth >= 0 and steps[0] > 0:
        at = following[depth]
        if depth == most or at == count:
            depth -= 1
            continue
        following[depth] += 1
        steps[0] -= 2 * left.shape[1]
        for word in range(left.shape[1]):
            left[depth + 1, word] = left[depth, word] & ~hits[kept[at], word]
            others[depth + 1, word] = others[depth, word] & ~hits[kept[at], word]
        if count_left(others, depth + 1) + extra > 0:
            present.chosen[depth] = kept[at]
            depth += 1
            following[depth] = at + 1
            if count_left(left, depth) + extra < few:
                return depth
    return NO_SET


@inner_kernel
def keep_clear(
    among: Words,
    depth: int,
    bars: Words,
    barred: Codes,
    first_barred: int,
    items: Integers,
    chosen: Integers,
    left: Words,
) -> None:
    """Those of ``among`` that hold none of the barred items, except those of chosen terms."""
    for word in range(among.shape[1]):
        left[0, word] = among[depth, word]
    for bar in range(len(bars)):
        excepted = False
        for at in range(depth):
            excepted = excepted or items[chosen[at]] == barred[first_barred + bar]
        for word in range(0 if excepted else among.shape[1]):
            left[0, word] &= ~bars[bar, word]


@kernel
def weak_combination(  # noqa: C901 - one walk: its parts share all of its scratch arrays
    first_chunk: int,
    last_chunk: int,
    chunk_offsets: Integers,
    row_offsets: Integers,
    terms: Codes,
    term_items: Codes,
    empties: Integers,
    absent_offsets: Integers,
    absent: Codes,
    barred_offsets: Integers,
    barred: Codes,
    few: int,
    most: int,
    budget: int,
) -> tuple[int, int, Integers, Integers]:
    """The first chunk with terms that occur together, but in too few rows that lack some items.

    Terms and the items of ``absent`` whose absence is wanted are at most ``most``; the items of
    ``barred`` are to be absent in any case. Returns what came of it, the chunk, terms, and items.
    """
    n_terms, n_items, nothing = len(term_items), 0, np.empty(0, np.int64)
    for term in range(n_terms):
        n_items = max(n_items, term_items[term] + 1)
    number, place = np.full(n_terms, -1, np.int64), np.full(n_items, -1, np.int64)
    domain, items = np.empty(n_terms, np.int64), np.empty(n_terms, np.int64)
    steps, largest = np.full(1, budget, np.int64), np.zeros(most, np.int64)
    for chunk in range(first_chunk, last_chunk):
        start, end = chunk_offsets[chunk], chunk_offsets[chunk + 1]
        count = number_terms(terms, row_offsets[start], row_offsets[end], number, domain)
        for at in range(count):
            items[at] = term_items[domain[at]]
        bits = term_bits(row_offsets, start, end, terms, number, count)
        for at in range(count):
            number[domain[at]] = -1
        away, bar = absent_offsets[chunk], barred_offsets[chunk]
        hits = item_bits(bits, items, absent, away, absent_offsets[chunk + 1], place)
        bars = item_bits(bits, items, barred, bar, barred_offsets[chunk + 1], place)
        width, kept = bits.shape[1], np.empty(len(hits), np.int64)
        walk, present = new_walk(most, width), new_walk(most, width)
        possible = new_walk(most, width)
        among, chosen, following = walk.left, walk.chosen, walk.following
        for term in range(count):
            for word in range(width):
                among[0, word] |= bits[term, word]
        depth, fresh = 0, len(hits) + len(bars) > 0
        while depth >= 0 and steps[0] > 0:
            if fresh:
                fresh = False
                extra, spare = (empties[chunk] if depth == 0 else 0), most - depth
                steps[0] -= (len(hits) + len(bars)) * width
                keep_clear(among, depth, bars, barred, bar, items, chosen, present.left)
                n_kept = choose_hits(
                    hits, absent, away, among, depth, items, chosen, spare, kept, largest
                )
                if count_left(present.left, 0) + extra - largest.sum() < few:
                    for word in range(width):
                        possible.left[0, word] = among[depth, word]
                    found = short_absence(
                        present, possible, extra, hits, kept, n_kept, spare, few, steps
                    )
                    if found != NO_SET:
                        lacked = np.empty(found, np.int64)
                        for at in range(found):
                            lacked[at] = absent[away + present.chosen[at]]
                        return FOUND, chunk, domain[chosen[:depth]], lacked
            term = following[depth]
            if depth == most or term == count:
                depth -= 1
                continue
            following[depth] += 1
            steps[0] -= width
            for word in range(width):
                among[depth + 1, word] = among[depth, word] & bits[term, word]
            held = count_left(among, depth + 1)
            if held > 0:
                chosen[depth] = term
                depth += 1
                following[depth], fresh = term + 1, len(hits) + len(bars) > 0
                if held < few:
                    return FOUND, chunk, domain[chosen[:depth]], nothing
        if steps[0] <= 0:
            return OVER_BUDGET, chunk, nothing, nothing
    return NONE, -1, nothing, nothing
