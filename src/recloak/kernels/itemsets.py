"""Kernels that count sets of terms: is there a set that some row holds, but too few?

In sparse rows of ascending term codes (`rare_set`) a set is grown term by term: the places where
its last term stands lead to all later terms of the same rows, so that only sets that occur are
ever looked at. In chunks of sub-records (`weak_combination`) rows are bits, and some items are
wanted absent.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import kernel

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]
Bits = NDArray[np.uint64]

NONE, FOUND, OVER_BUDGET = range(3)


@kernel
def count_later(
    places: Counts,
    row_of: Codes,
    offsets: Counts,
    terms: Codes,
    weights: Counts,
    few: int,
    held: Counts,
    seen: Counts,
    thin: NDArray[np.bool_],
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
    places: Counts,
    row_of: Codes,
    offsets: Counts,
    terms: Codes,
    starts: Counts,
    grouped: Counts,
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
    index_offsets: Counts,
    index: Counts,
    row_of: Codes,
    offsets: Counts,
    terms: Codes,
    weights: Counts,
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


@kernel
def ones(bits: Bits) -> int:
    """How many bits are set."""
    total = np.int64(0)
    for word in bits:
        word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
        word = (word & np.uint64(0x3333333333333333)) + (
            (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
        )
        word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        total += np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))
    return int(total)


@kernel
def term_bits(row_offsets: Counts, first: int, last: int, terms: Codes, domain: Codes) -> Bits:
    """For each term of ``domain`` which of the rows ``first..last - 1`` hold it."""
    bits = np.zeros((len(domain), (last - first + 63) // 64), np.uint64)
    for row in range(first, last):
        word, bit = (row - first) // 64, np.uint64(1) << np.uint64((row - first) % 64)
        for at in range(row_offsets[row], row_offsets[row + 1]):
            bits[np.searchsorted(domain, terms[at]), word] |= bit
    return bits


@kernel
def item_bits(bits: Bits, items: Codes, wanted: Codes) -> Bits:
    """For each wanted item which rows hold a term of it; ``items`` of the terms ascend."""
    held = np.zeros((len(wanted), bits.shape[1]), np.uint64)
    for place in range(len(wanted)):
        at = np.searchsorted(items, wanted[place])
        while at < len(items) and items[at] == wanted[place]:
            held[place] |= bits[at]
            at += 1
    return held


@kernel
def without(among: Bits, hits: Bits, hit_items: Codes, excepted: Codes) -> Bits:
    """Those of ``among`` that hold none of the items, except the excepted ones."""
    left = among.copy()
    for place in range(len(hit_items)):
        if not (excepted == hit_items[place]).any():
            left &= ~hits[place]
    return left


@kernel
def short_absence(
    present: Bits, possible: Bits, extra: int, hits: Bits, most: int, few: int, steps: Counts
) -> Codes:
    """Up to ``most`` hits whose absence leaves fewer than ``few``; -1 first if there are none.

    ``possible`` are all that hold what is wanted, ``present`` those that keep clear of other
    chunks; where no possible one is left, nobody may hold the combination and nothing is wrong.
    ``extra`` further rows hold nothing. ``steps[0]`` is what may still be spent.
    """
    left = np.empty((most + 1, 2, len(present)), np.uint64)
    left[0, 0], left[0, 1] = present, possible
    following, chosen = np.zeros(most + 1, np.int64), np.empty(most, np.int32)
    depth = 0
    if ones(present) + extra < few:
        return chosen[:0]
    while depth >= 0 and steps[0] > 0:
        hit = following[depth]
        if depth == most or hit == len(hits):
            depth -= 1
            continue
        following[depth] += 1
        steps[0] -= 2 * len(present)
        left[depth + 1, 0] = left[depth, 0] & ~hits[hit]
        left[depth + 1, 1] = left[depth, 1] & ~hits[hit]
        if ones(left[depth + 1, 1]) + extra > 0:
            chosen[depth] = hit
            depth += 1
            following[depth] = hit + 1
            if ones(left[depth, 0]) + extra < few:
                return chosen[:depth]
    return np.full(1, -1, np.int32)


@kernel
def weak_absence(
    among: Bits,
    extra: int,
    hits: Bits,
    hit_items: Codes,
    barred: Bits,
    barred_items: Codes,
    wanted_items: Codes,
    most: int,
    few: int,
    steps: Counts,
) -> Codes:
    """Up to ``most`` items without which the wanted terms are too few; -1 first if there are none.

    ``among`` hold the wanted terms. Barred items are to be absent in any case.
    """
    present = without(among, barred, barred_items, wanted_items)
    steps[0] -= (len(hit_items) + len(barred_items)) * len(among)
    kept, sizes = np.empty(len(hits), np.int64), np.empty(len(hits), np.int64)
    count = 0
    for hit in range(len(hits)):
        size = ones(hits[hit] & among)
        if size > 0 and not (wanted_items == hit_items[hit]).any():
            kept[count], sizes[count] = hit, size
            count += 1
    largest = np.sort(sizes[:count])[max(count - most, 0) :].sum()
    if ones(present) + extra - largest >= few:
        return np.full(1, -1, np.int32)
    kept = kept[:count]
    found = short_absence(present, among, extra, hits[kept], most, few, steps)
    return found if len(found) > 0 and found[0] < 0 else hit_items[kept[found]]


@kernel
def weak_in_chunk(
    bits: Bits,
    items: Codes,
    empties: int,
    absent: Codes,
    barred: Codes,
    few: int,
    most: int,
    steps: Counts,
) -> tuple[int, Codes, Codes]:
    """Terms that occur together, but in fewer than ``few`` rows that lack up to some items.

    Terms and the items of ``absent`` whose absence is wanted are at most ``most``. Returns what
    came of it, the terms, and the items.
    """
    hits, bars = item_bits(bits, items, absent), item_bits(bits, items, barred)
    among = np.zeros((most + 1, bits.shape[1]), np.uint64)
    for term in range(len(bits)):
        among[0] |= bits[term]
    wanted, following = np.zeros(most, np.int32), np.zeros(most + 1, np.int64)
    depth, fresh, elsewhere = 0, True, len(absent) + len(barred) > 0
    while depth >= 0 and steps[0] > 0:
        if fresh and elsewhere:
            extra = empties if depth == 0 else 0
            mine = items[wanted[:depth]]
            short = weak_absence(
                among[depth], extra, hits, absent, bars, barred, mine, most - depth, few, steps
            )
            if len(short) == 0 or short[0] >= 0:
                return FOUND, wanted[:depth], short
        fresh = False
        term = following[depth]
        if depth == most or term == len(bits):
            depth -= 1
            continue
        following[depth] += 1
        steps[0] -= bits.shape[1]
        among[depth + 1] = among[depth] & bits[term]
        held = ones(among[depth + 1])
        if held == 0:
            continue
        wanted[depth] = term
        depth += 1
        following[depth], fresh = term + 1, True
        if held < few:
            return FOUND, wanted[:depth], wanted[:0]
    return (NONE if steps[0] > 0 else OVER_BUDGET), wanted[:0], wanted[:0]


@kernel
def weak_combination(
    first_chunk: int,
    last_chunk: int,
    chunk_offsets: Counts,
    row_offsets: Counts,
    terms: Codes,
    term_items: Codes,
    empties: Counts,
    absent_offsets: Counts,
    absent: Codes,
    barred_offsets: Counts,
    barred: Codes,
    few: int,
    most: int,
    budget: int,
) -> tuple[int, int, Codes, Codes]:
    """The first chunk with terms that occur together, but too few times; see `weak_in_chunk`."""
    steps, nothing = np.full(1, budget, np.int64), np.empty(0, np.int32)
    for chunk in range(first_chunk, last_chunk):
        start, end = chunk_offsets[chunk], chunk_offsets[chunk + 1]
        domain = np.unique(terms[row_offsets[start] : row_offsets[end]])
        status, wanted, lacked = weak_in_chunk(
            term_bits(row_offsets, start, end, terms, domain),
            term_items[domain],
            empties[chunk],
            absent[absent_offsets[chunk] : absent_offsets[chunk + 1]],
            barred[barred_offsets[chunk] : barred_offsets[chunk + 1]],
            few,
            most,
            steps,
        )
        if status != NONE:
            return status, chunk, domain[wanted], lacked
    return NONE, -1, nothing, nothing
