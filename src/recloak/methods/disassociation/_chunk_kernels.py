"""Kernels that put terms into chunks, as many together as stay sound.

Sets of people are bits in 64-bit words. When a chunk is sound is said in
`recloak.methods.disassociation._soundness_kernels`.
"""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Offsets, Words
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.kernels.bits import everyone, popcount
from recloak.methods.disassociation._soundness_kernels import (
    LISTED,
    MEMBERS,
    REPEATED,
    Chunk,
    ChunkTerms,
    Search,
    is_sound_with,
    new_search,
)


@inner_kernel
def empty_chunk(terms: ChunkTerms, n_people: int) -> Chunk:
    """A chunk of nothing, before all others."""
    n_terms, n_items, width = len(terms.item), len(terms.n_values), terms.holders.shape[1]
    return Chunk(
        np.empty(n_terms, np.int64),
        np.zeros(3, np.int64),
        np.empty(n_items, np.int64),
        np.empty(n_items, np.int64),
        np.zeros((n_items, width), np.uint64),
        everyone(n_people),
        np.zeros(width, np.uint64),
        everyone(n_people),
        np.zeros(n_items, np.int64),
        np.zeros(n_items, np.int64),
        np.zeros(n_items, np.int64),
    )


@inner_kernel
def add(chunk: Chunk, terms: ChunkTerms, term: int) -> None:
    """Put a term into the chunk."""
    item, sizes = terms.item[term], chunk.sizes
    repeated = chunk.values_before[item] > 0
    chunk.members[sizes[MEMBERS]] = term
    sizes[MEMBERS] += 1
    if chunk.values_here[item] == 0:
        chunk.listed[sizes[LISTED]] = item
        sizes[LISTED] += 1
        if repeated:
            chunk.repeated[sizes[REPEATED]] = item
            sizes[REPEATED] += 1
    chunk.values_here[item] += 1
    for word in range(terms.holders.shape[1]):
        chunk.holders[item, word] |= terms.holders[term, word]
        if repeated:
            chunk.clear[word] &= ~terms.holders[term, word]


@inner_kernel
def remove_last(chunk: Chunk, terms: ChunkTerms) -> None:
    """Take out the term that was added last."""
    sizes = chunk.sizes
    sizes[MEMBERS] -= 1
    term = chunk.members[sizes[MEMBERS]]
    item = terms.item[term]
    chunk.values_here[item] -= 1
    for word in range(terms.holders.shape[1]):
        chunk.holders[item, word] &= ~terms.holders[term, word]
    if chunk.values_here[item] == 0:
        sizes[LISTED] -= 1
    if chunk.values_before[item] > 0:
        sizes[REPEATED] -= chunk.values_here[item] == 0
        for word in range(terms.holders.shape[1]):
            chunk.clear[word] = chunk.everyone[word]
            for at in range(sizes[REPEATED]):
                chunk.clear[word] &= ~chunk.holders[chunk.repeated[at], word]


@inner_kernel
def close(chunk: Chunk) -> None:
    """Start the next chunk; what this one held is from now on held before."""
    for at in range(chunk.sizes[LISTED]):
        item = chunk.listed[at]
        chunk.values_before[item] += chunk.values_here[item]
        chunk.values_here[item] = 0
        for word in range(len(chunk.clear)):
            chunk.held_before[item] += popcount(chunk.holders[item, word])
            chunk.holders[item, word] = 0
    chunk.sizes[:] = 0
    chunk.covered[:] = 0
    chunk.clear[:] = chunk.everyone


@inner_kernel
def room_allows(bits: Words, first: int, last: int, clear: Words, held_before: int, k: int) -> bool:
    """A quick look for an item of earlier chunks: may its sub-records find places elsewhere?

    What `_soundness_kernels.room_for_repeated` asks, for this item alone.
    """
    free = 0
    for word in range(len(clear)):
        left = clear[word]
        for term in range(first, last):
            left &= ~bits[term, word]
        free += popcount(left)
    return free >= held_before + k


@inner_kernel
def pairs_allow(
    bits: Words, first: int, last: int, members: Offsets, count: int, covered: Words, k: int
) -> bool:
    """A quick look that refuses most: does each pair of terms occur never or k times?"""
    for term in range(first, last):
        met = 0
        for word in range(len(covered)):
            met += popcount(bits[term, word] & covered[word])
        if 0 < met < k:
            return False
        for at in range(count if met > 0 else 0):
            both = 0
            for word in range(len(covered)):
                both += popcount(bits[members[at], word] & bits[term, word])
            if 0 < both < k:
                return False
    return True


@inner_kernel
def takes(
    chunk: Chunk, terms: ChunkTerms, search: Search, first: int, last: int, k: int, m: int
) -> bool:
    """Add terms ``first:last`` if the chunk stays sound with them."""
    for term in range(first, last):
        add(chunk, terms, term)
    if is_sound_with(chunk, terms, search, first, last, k, m):
        for term in range(first, last):
            for word in range(len(chunk.covered)):
                chunk.covered[word] |= terms.holders[term, word]
        return True
    for _ in range(first, last):
        remove_last(chunk, terms)
    return False


@kernel
def fill_chunks(
    holders: Words, item: Offsets, n_values: Offsets, groups: Offsets, n_people: int, k: int, m: int
) -> Offsets:
    """The chunk of each of the `ChunkTerms`, -1 for those that no chunk can take.

    Each chunk takes, in the order of the terms, what keeps it sound; what is left goes on to the
    next one.
    """
    terms = ChunkTerms(holders, item, n_values, groups)
    chunk_of = np.full(len(item), -1, np.int64)
    waiting = np.arange(len(groups) - 1)
    chunk, search = empty_chunk(terms, n_people), new_search(n_people, holders.shape[1], m)
    members, sizes, held_before = chunk.members, chunk.sizes, chunk.held_before
    covered, clear = chunk.covered, chunk.clear
    n_waiting, number = len(waiting), 0
    while n_waiting > 0:
        n_refused = 0
        for at in range(n_waiting):
            first, last = groups[waiting[at]], groups[waiting[at] + 1]
            before = held_before[item[first]]
            # Plain arrays: these are asked often, and what is passed with a chunk takes time.
            taken = before == 0 or room_allows(holders, first, last, clear, before, k)
            if taken and m > 1:
                taken = pairs_allow(holders, first, last, members, sizes[MEMBERS], covered, k)
            if not taken or not takes(chunk, terms, search, first, last, k, m):
                waiting[n_refused] = waiting[at]
                n_refused += 1
        if n_refused == n_waiting:
            break
        for at in range(chunk.sizes[MEMBERS]):
            chunk_of[chunk.members[at]] = number
        close(chunk)
        number, n_waiting = number + 1, n_refused
    return chunk_of
