"""Kernels that put terms into chunks in which no few terms single anybody out.

Sets of records are bits in 64-bit words. A chunk is sound for k and m if for every set P of its
terms that occurs, and every set N of its items that have further values outside (in a later chunk
or the term chunk), together at most m, at least k records of the cluster hold in this chunk all of
P, nothing of N, and no other item of an earlier chunk. Then k records that hold P here can hold any
m - |P| terms of other chunks as well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import kernel
from recloak.kernels.layout import Codes

Words = NDArray[np.uint64]


class Terms(NamedTuple):
    """The terms of some people, in the order in which they are tried.

    ``holders[t]`` are the bits of those who hold term ``t``, a value of item ``item[t]``, which
    has ``n_values[item]`` values. Terms ``groups[g]:groups[g + 1]`` go to one chunk together.
    """

    holders: Words
    item: Codes
    n_values: Codes
    groups: Codes


class Chunk(NamedTuple):
    """A chunk under way: its terms, and for each item its holders here and its places."""

    members: Codes
    sizes: Codes  # how many members, listed items and items of earlier chunks there are
    listed: Codes
    repeated: Codes
    holders: Words
    values_here: Codes
    values_before: Codes
    held_before: Codes


MEMBERS, LISTED, REPEATED = 0, 1, 2


class Search(NamedTuple):
    """Room for walking through sets of terms: a row for each that was chosen so far."""

    having: Words
    allowed: Words
    items: Codes
    upcoming: Codes
    everyone: Words
    nobody: Words
    blocked: NDArray[np.int64]


@kernel
def popcount(word: np.uint64) -> int:
    """How many bits are set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def count_bits(words: Words) -> int:
    """How many bits are set in all words."""
    total = 0
    for word in words:
        total += popcount(word)
    return total


@kernel
def count_common(one: Words, other: Words) -> int:
    """How many bits are set in both."""
    total = 0
    for at in range(len(one)):
        total += popcount(one[at] & other[at])
    return total


@kernel
def is_among(items: Codes, item: int) -> bool:
    """Is the item one of these few?"""
    found = False
    for other in items:
        found = found or other == item
    return found


@kernel
def new_search(n_people: int, m: int) -> Search:
    """Room for sets of m terms of these people."""
    width = (n_people + 63) // 64
    everyone = np.zeros(width, np.uint64)
    for person in range(n_people):
        everyone[person >> 6] |= np.uint64(1) << np.uint64(person & 63)
    return Search(
        np.zeros((m + 1, width), np.uint64),
        np.zeros((m + 1, width), np.uint64),
        np.zeros(m + 1, np.int32),
        np.zeros(m + 1, np.int32),
        everyone,
        np.zeros(width, np.uint64),
        np.zeros(n_people, np.int64),
    )


@kernel
def empty_chunk(terms: Terms) -> Chunk:
    """A chunk of nothing, before all others."""
    n_terms, n_items, width = len(terms.item), len(terms.n_values), terms.holders.shape[1]
    return Chunk(
        np.empty(n_terms, np.int32),
        np.zeros(3, np.int32),
        np.empty(n_items, np.int32),
        np.empty(n_items, np.int32),
        np.zeros((n_items, width), np.uint64),
        np.zeros(n_items, np.int32),
        np.zeros(n_items, np.int32),
        np.zeros(n_items, np.int32),
    )


@kernel
def add(chunk: Chunk, terms: Terms, term: int) -> None:
    """Put a term into the chunk."""
    item, sizes = terms.item[term], chunk.sizes
    chunk.members[sizes[MEMBERS]] = term
    sizes[MEMBERS] += 1
    if chunk.values_here[item] == 0:
        chunk.listed[sizes[LISTED]] = item
        sizes[LISTED] += 1
        if chunk.values_before[item] > 0:
            chunk.repeated[sizes[REPEATED]] = item
            sizes[REPEATED] += 1
    chunk.values_here[item] += 1
    for word in range(terms.holders.shape[1]):
        chunk.holders[item, word] |= terms.holders[term, word]


@kernel
def remove_last(chunk: Chunk, terms: Terms) -> None:
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
            sizes[REPEATED] -= 1


@kernel
def close(chunk: Chunk, terms: Terms) -> None:
    """Start the next chunk; what this one held is from now on held before."""
    for at in range(chunk.sizes[LISTED]):
        item = chunk.listed[at]
        chunk.values_before[item] += chunk.values_here[item]
        chunk.held_before[item] += count_bits(chunk.holders[item])
        chunk.values_here[item] = 0
        chunk.holders[item] = 0
    chunk.sizes[:] = 0


@kernel
def has_values_outside(chunk: Chunk, terms: Terms, item: int) -> bool:
    """May the item have values in a later chunk or in the term chunk?"""
    return bool(terms.n_values[item] > chunk.values_here[item] + chunk.values_before[item])


@kernel
def clear_of_repeated(chunk: Chunk, allowed: Words, items: Codes) -> int:
    """How many of ``allowed`` hold here no item of an earlier chunk except ``items``."""
    total = 0
    for at in range(len(allowed)):
        word = allowed[at]
        for place in range(chunk.sizes[REPEATED]):
            item = chunk.repeated[place]
            if not is_among(items, item):
                word &= ~chunk.holders[item, at]
        total += popcount(word)
    return total


@kernel
def choose(chunk: Chunk, terms: Terms, search: Search, level: int, fixed: int, at: int) -> bool:
    """Add to what was chosen; False if there is no such set.

    Up to the number of members, ``at`` is one of the chunk's terms to be held, then one of its
    items to be ruled out.
    """
    held = at < chunk.sizes[MEMBERS]
    term = chunk.members[at] if held else 0
    item = terms.item[term] if held else chunk.listed[at - chunk.sizes[MEMBERS]]
    if is_among(search.items[: fixed + level], item):
        return False
    if not held and not has_values_outside(chunk, terms, item):
        return False
    search.items[fixed + level] = item
    occurs = False
    for word in range(search.having.shape[1]):
        having, allowed = search.having[level, word], search.allowed[level, word]
        if held:
            having &= terms.holders[term, word]
            allowed &= terms.holders[term, word]
        else:
            allowed &= ~chunk.holders[item, word]
        search.having[level + 1, word], search.allowed[level + 1, word] = having, allowed
        occurs = occurs or having != 0
    return occurs


@kernel
def sets_are_crowded(
    chunk: Chunk, terms: Terms, search: Search, fixed: int, left: int, k: int
) -> bool:
    """Do k records remain for each way to add up to ``left`` more to what ``search`` starts with?

    That are ``fixed`` items and the records that hold the chosen ones and lack those ruled out.
    """
    count = chunk.sizes[MEMBERS] + chunk.sizes[LISTED]
    level = 0
    search.upcoming[0] = 0
    while level >= 0:
        at = search.upcoming[level]
        if at == count or level == left:
            level -= 1
            continue
        search.upcoming[level] = at + 1
        if not choose(chunk, terms, search, level, fixed, at):
            continue
        items = search.items[: fixed + level + 1]
        if clear_of_repeated(chunk, search.allowed[level + 1], items) < k:
            return False
        level += 1
        search.upcoming[level] = at + 1
    return True


@kernel
def room_for_repeated(chunk: Chunk, search: Search, k: int) -> bool:
    """Can all sub-records with items of earlier chunks find a record that lacks these?

    Whatever k records were taken for, each such sub-record must find a free record by counting
    alone: not one of the k, not taken by another of them, not holding the item already.
    """
    blocked = search.blocked
    blocked[:] = 0
    for at in range(chunk.sizes[REPEATED]):
        item = chunk.repeated[at]
        for person in range(len(blocked)):
            if (chunk.holders[item, person >> 6] >> np.uint64(person & 63)) & np.uint64(1):
                blocked[person] += chunk.held_before[item]
    most, count = 0, 0
    for held_elsewhere in blocked:
        most = max(most, held_elsewhere)
        count += held_elsewhere > 0
    return count + most <= len(blocked) - k


@kernel
def begin(search: Search, having: Words, lacking: Words) -> None:
    """Start with those in ``having``, allowed of them who are not in ``lacking``."""
    for word in range(len(having)):
        search.having[0, word] = having[word]
        search.allowed[0, word] = having[word] & ~lacking[word]


@kernel
def is_sound_with(
    chunk: Chunk, terms: Terms, search: Search, first: int, last: int, k: int, m: int
) -> bool:
    """Is the chunk sound after terms ``first:last``, all of one item, were added to it?

    It was before, so only sets with these terms, or without this item, need a look; all of them
    if the item stands in an earlier chunk.
    """
    item = terms.item[first]
    repeated = chunk.values_before[item] > 0
    fixed = 0 if repeated else 1
    search.items[0] = item
    for case in range(first, last + 1):  # one call of the search: it is large once compiled
        having, lacking = search.everyone, search.nobody
        if not repeated and case < last:
            having = terms.holders[case]
        elif not repeated:
            lacking = chunk.holders[item]
            if not has_values_outside(chunk, terms, item):
                return True
        begin(search, having, lacking)
        if clear_of_repeated(chunk, search.allowed[0], search.items[:fixed]) < k:
            return False
        if not sets_are_crowded(chunk, terms, search, fixed, m - fixed, k):
            return False
        if repeated:
            return room_for_repeated(chunk, search, k)
    return True


@kernel
def pairs_allow(chunk: Chunk, terms: Terms, first: int, last: int, k: int) -> bool:
    """A quick look that refuses most: does each pair of terms occur never or k times?"""
    for at in range(chunk.sizes[MEMBERS]):
        for term in range(first, last):
            both = count_common(terms.holders[chunk.members[at]], terms.holders[term])
            if 0 < both < k:
                return False
    return True


@kernel
def fill_chunks(terms: Terms, n_people: int, k: int, m: int) -> Codes:
    """The chunk of each term, -1 for those that no chunk can take.

    Each chunk takes, in the order of the terms, what keeps it sound; what is left goes on to the
    next one.
    """
    chunk_of = np.full(len(terms.item), -1, np.int32)
    waiting = np.arange(len(terms.groups) - 1)
    chunk, search = empty_chunk(terms), new_search(n_people, m)
    number = 0
    while len(waiting) > 0:
        n_refused = 0
        for group in waiting:
            first, last = terms.groups[group], terms.groups[group + 1]
            taken = m < 2 or pairs_allow(chunk, terms, first, last, k)
            if taken:
                for term in range(first, last):
                    add(chunk, terms, term)
                taken = is_sound_with(chunk, terms, search, first, last, k, m)
                if not taken:
                    for _ in range(first, last):
                        remove_last(chunk, terms)
            if not taken:
                waiting[n_refused] = group
                n_refused += 1
        if n_refused == len(waiting):
            break
        for at in range(chunk.sizes[MEMBERS]):
            chunk_of[chunk.members[at]] = number
        close(chunk, terms)
        number += 1
        waiting = waiting[:n_refused]
    return chunk_of
