"""Kernels that tell whether a chunk may take terms: no few of its terms may single anybody out.

A chunk is sound for k and m if for every set P of its terms that occurs, and every set N of its
items that have further values outside (in a later chunk or the term chunk), together at most m, at
least k records of the cluster hold in this chunk all of P, nothing of N, and no other item of an
earlier chunk. Then k records that hold P here can hold any m - |P| terms of other chunks as well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Offsets, Words
from recloak.core.kernels import inner_kernel
from recloak.core.kernels.bits import popcount


class ChunkTerms(NamedTuple):
    """The terms of some people, in the order in which they are tried.

    ``holders[t]`` are the bits of those who hold term ``t``, a value of item ``item[t]``, which
    has ``n_values[item]`` values. Terms ``groups[g]:groups[g + 1]`` go to one chunk together.
    """

    holders: Words
    item: Offsets
    n_values: Offsets
    groups: Offsets


class Chunk(NamedTuple):
    """A chunk under way: its terms, and for each item its holders here and its places."""

    members: Offsets
    sizes: Offsets  # how many members, listed items and items of earlier chunks there are
    listed: Offsets
    repeated: Offsets
    holders: Words
    everyone: Words
    covered: Words  # those who hold anything here
    clear: Words  # those who hold here no item of an earlier chunk
    values_here: Offsets
    values_before: Offsets
    held_before: Offsets


MEMBERS, LISTED, REPEATED = 0, 1, 2


class Search(NamedTuple):
    """Room for walking through sets of terms: a row for each that was chosen so far."""

    alive: Words
    allowed: Words
    items: Offsets
    upcoming: Offsets
    blocked: Offsets


@inner_kernel
def new_search(n_people: int, width: int, m: int) -> Search:
    """Room for sets of m terms beside a first one."""
    return Search(
        np.zeros((m + 2, width), np.uint64),
        np.zeros((m + 2, width), np.uint64),
        np.zeros(m + 2, np.int64),
        np.zeros(m + 2, np.int64),
        np.zeros(n_people, np.int64),
    )


@inner_kernel
def is_among(items: Offsets, count: int, item: int) -> bool:
    """Is the item one of the first few?"""
    found = False
    for at in range(count):
        found = found or items[at] == item
    return found


@inner_kernel
def enough_are_clear(
    allowed: Words,
    level: int,
    clear: Words,
    repeated: Offsets,
    n_repeated: int,
    item_bits: Words,
    chosen: Offsets,
    k: int,
) -> bool:
    """Do k of those allowed hold here no item of an earlier chunk except the chosen ones?"""
    total = 0
    for word in range(len(clear)):
        total += popcount(allowed[level, word] & clear[word])
    if total >= k or n_repeated == 0:
        return total >= k
    total = 0
    for word in range(len(clear)):
        left = allowed[level, word]
        for at in range(n_repeated):
            if left != 0 and not is_among(chosen, level + 1, repeated[at]):
                left &= ~item_bits[repeated[at], word]
        total += popcount(left)
    return total >= k


@inner_kernel
def keep_holders(bits: Words, row: int, alive: Words, allowed: Words, level: int) -> bool:
    """One more term is to be held; False if nobody alive does."""
    lives = False
    for word in range(bits.shape[1]):
        alive[level + 1, word] = alive[level, word] & bits[row, word]
        allowed[level + 1, word] = allowed[level, word] & bits[row, word]
        lives = lives or alive[level + 1, word] != 0
    return lives


@inner_kernel
def drop_holders(
    bits: Words, row: int, alive: Words, allowed: Words, level: int, narrowing: bool
) -> bool:
    """One more item is ruled out; False if that leaves nobody alive, where this matters."""
    lives = not narrowing
    for word in range(bits.shape[1]):
        alive[level + 1, word] = alive[level, word]
        if narrowing:
            alive[level + 1, word] &= ~bits[row, word]
        allowed[level + 1, word] = allowed[level, word] & ~bits[row, word]
        lives = lives or alive[level + 1, word] != 0
    return lives


@inner_kernel
def sets_have_k_records(
    chunk: Chunk, terms: ChunkTerms, search: Search, left: int, k: int, narrowing: bool
) -> bool:
    """Do k records remain for each way to add up to ``left`` more to what ``search`` starts with?

    That is one item and the records that are allowed with it. Items are ruled out, then terms
    held; sets are looked at while some of ``search.alive`` hold them, and with ``narrowing`` also
    lack what is ruled out.
    """
    # Each array is taken out once: with every step it would cost more than the step itself.
    alive, allowed, chosen, upcoming = search.alive, search.allowed, search.items, search.upcoming
    bits, item_bits, term_item = terms.holders, chunk.holders, terms.item
    members, listed, repeated, clear = chunk.members, chunk.listed, chunk.repeated, chunk.clear
    values, here, before = terms.n_values, chunk.values_here, chunk.values_before
    n_listed, n_repeated = chunk.sizes[LISTED], chunk.sizes[REPEATED]
    count, level = n_listed + chunk.sizes[MEMBERS], 0
    upcoming[0] = 0
    if not enough_are_clear(allowed, 0, clear, repeated, n_repeated, item_bits, chosen, k):
        return False
    while level >= 0:
        at = upcoming[level]
        if at == count or level == left:
            level -= 1
            continue
        upcoming[level] = at + 1
        out = at < n_listed
        item = listed[at] if out else term_item[members[at - n_listed]]
        if is_among(chosen, level + 1, item):
            continue
        if out and values[item] == here[item] + before[item]:
            continue
        if out and not drop_holders(item_bits, item, alive, allowed, level, narrowing):
            continue
        if not out and not keep_holders(bits, members[at - n_listed], alive, allowed, level):
            continue
        level += 1
        chosen[level], upcoming[level] = item, at + 1
        if not enough_are_clear(allowed, level, clear, repeated, n_repeated, item_bits, chosen, k):
            return False
    return True


@inner_kernel
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


@inner_kernel
def is_sound_with(
    chunk: Chunk, terms: ChunkTerms, search: Search, first: int, last: int, k: int, m: int
) -> bool:
    """Is the chunk sound after terms ``first:last``, all of one item, were added to it?

    It was before. So only sets with these terms need a look, and those that rule out the item (or
    any, if it stands in an earlier chunk) and may be held by someone who holds these terms here.
    """
    item = terms.item[first]
    repeated = chunk.values_before[item] > 0
    if repeated and not room_for_repeated(chunk, search, k):
        return False
    search.items[0] = item
    for case in range(first, last + 1):  # one call of the search: it is large once compiled
        rest = case == last
        if rest and not repeated and terms.n_values[item] == chunk.values_here[item]:
            break
        for word in range(len(chunk.clear)):
            holding = terms.holders[first if rest else case, word]
            for other in range(first + 1, last if rest else first):
                holding |= terms.holders[other, word]
            search.alive[0, word] = holding
            lacking = chunk.everyone[word] & ~chunk.holders[item, word]
            search.allowed[0, word] = lacking if rest else holding
        left = m if rest and repeated else m - 1
        if not sets_have_k_records(chunk, terms, search, left, k, rest):
            return False
    return True
