"""Kernels of the verifier of lists: the background that tells most about a target, exactly.

Of all background sets that the same raters of a target share, the largest one has the fewest
other raters and so tells most. It is enough to visit these closed sets, each once (Uno et al.,
LCM, 2004), which no algorithm that makes lists does: the two ways check each other.
"""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Mask, Offsets, Words
from recloak.core.kernels import inner_kernel, kernel

LOOKED_AT_ALL, GAVE_UP = 0, 1


@inner_kernel
def gather_people(
    offsets: Offsets, users: Codes, known: Codes, row_of: Codes
) -> tuple[Words, Offsets]:
    """A row of bits for each rater of a known item, and the user of each row."""
    size = 0
    for item in known:
        size += offsets[item + 1] - offsets[item]
    members = np.empty(size, np.int64)
    bits = np.zeros((size, (len(known) + 63) // 64), np.uint64)
    count = 0
    for bit in range(len(known)):
        flag = np.uint64(1) << np.uint64(bit & 63)
        for at in range(offsets[known[bit]], offsets[known[bit] + 1]):
            user = users[at]
            if row_of[user] < 0:
                row_of[user] = count
                members[count] = user
                count += 1
            bits[row_of[user], bit >> 6] |= flag
    return bits, members[:count]


@inner_kernel
def raters_among(
    offsets: Offsets,
    users: Codes,
    time_rank: Codes,
    target: int,
    since: int,
    row_of: Codes,
    count: int,
) -> Mask:
    """Which rows are people who rated the target, with the rating ``since`` or later."""
    inside = np.zeros(count, np.bool_)
    for at in range(offsets[target], offsets[target + 1]):
        row = row_of[users[at]]
        if row >= 0 and time_rank[at] >= since:
            inside[row] = True
    return inside


@inner_kernel
def narrow(bits: Words, order: Offsets, end: int, wanted: Words) -> int:
    """Bring those of the first ``end`` rows in order that have all wanted bits to the front."""
    count = 0
    for at in range(end):
        row, all_there = order[at], True
        for word in range(len(wanted)):
            all_there &= (bits[row, word] & wanted[word]) == wanted[word]
        if all_there:
            order[at] = order[count]
            order[count] = row
            count += 1
    return count


@inner_kernel
def close(bits: Words, order: Offsets, end: int, inside: Mask, shared: Words) -> int:
    """Into ``shared`` what all inside rows of the first ``end`` have; returns how many they are."""
    count = 0
    for at in range(end):
        row = order[at]
        if inside[row]:
            for word in range(len(shared)):
                shared[word] = bits[row, word] & (shared[word] if count else bits[row, word])
            count += 1
    return count


@inner_kernel
def adds_before(shared: Words, chosen: Words, bit: int) -> bool:
    """Does ``shared`` have a bit below ``bit`` that ``chosen`` lacks? Then it was met before."""
    for word in range(len(shared)):
        fresh = shared[word] & ~chosen[word]
        if word == bit >> 6:
            fresh &= (np.uint64(1) << np.uint64(bit & 63)) - np.uint64(1)
        elif word > bit >> 6:
            fresh = np.uint64(0)
        if fresh:
            return True
    return False


@inner_kernel
def set_bits(source: Words, to: Words) -> bool:
    """Copy a set; is there anything in it?"""
    some = False
    for word in range(len(source)):
        to[word] = source[word]
        some |= source[word] != 0
    return some


@inner_kernel
def next_bit(sets: Words, bit: Offsets, depth: int, n_known: int) -> int:
    """The next bit to add to the set at ``depth``; ``n_known`` if there is none left."""
    now = bit[depth]
    while now < n_known and sets[depth, now >> 6] & (np.uint64(1) << np.uint64(now & 63)):
        now += 1
    bit[depth] = now + 1
    return int(now)


@inner_kernel
def search(
    bits: Words, order: Offsets, inside: Mask, n_known: int, budget: int, worst: Words
) -> tuple[int, int, int]:
    """The closed set with the largest share of inside rows: that share, and if all were visited.

    ``worst`` receives the set. The share is 0 / 1 where nobody inside shares anything. Depth 0
    holds the empty set, and depth 1 its closure, what everybody inside shares.
    """
    sets = np.zeros((n_known + 3, len(worst)), np.uint64)
    end, bit = np.zeros(n_known + 3, np.int64), np.zeros(n_known + 3, np.int64)
    wanted, shared = np.zeros(len(worst), np.uint64), np.zeros(len(worst), np.uint64)
    most, of_all, depth, visited = 0, 1, 0, 0
    end[0], now = len(order), 0
    while depth >= 0:
        visited += 1
        count = narrow(bits, order, end[depth], wanted)
        among = close(bits, order, count, inside, shared)
        if among > 0 and not adds_before(shared, sets[depth], now):
            count = narrow(bits, order, count, shared)
            bit[depth + 1] = now + (visited > 1)
            depth += 1
            end[depth] = count
            if set_bits(shared, sets[depth]) and among * of_all > most * count:
                most, of_all = among, count
                set_bits(shared, worst)
        now = next_bit(sets, bit, depth, n_known)
        while depth >= 1 and now >= n_known:
            depth -= 1
            now = next_bit(sets, bit, depth, n_known)
        if depth < 1 or most == of_all:
            break
        if visited >= budget:
            return most, of_all, GAVE_UP
        set_bits(sets[depth], wanted)
        wanted[now >> 6] |= np.uint64(1) << np.uint64(now & 63)
    return most, of_all, LOOKED_AT_ALL


@kernel
def worst_background(
    offsets: Offsets,
    users: Codes,
    time_rank: Codes,
    target: int,
    known: Codes,
    since: int,
    budget: int,
    row_of: Codes,
) -> tuple[int, int, int, Words]:
    """Sup(B ∪ target) and Sup(B) of the worst B within ``known``, whether all was seen, and B."""
    bits, members = gather_people(offsets, users, known, row_of)
    inside = raters_among(offsets, users, time_rank, target, since, row_of, len(members))
    for user in members:
        row_of[user] = -1
    worst = np.zeros(bits.shape[1], np.uint64)
    order = np.arange(len(members))
    most, of_all, state = search(bits, order, inside, len(known), budget, worst)
    return most, of_all, state, worst


@kernel
def worst_of_targets(
    offsets: Offsets,
    users: Codes,
    time_rank: Codes,
    starts: Offsets,
    locations: Codes,
    since: int,
    budget: int,
    n_users: int,
    first: int,
    last: int,
    found: Offsets,
) -> None:
    """`worst_background` of each target from ``first`` to ``last``, its three numbers in a row."""
    row_of = np.full(n_users, -1, np.int32)
    for target in range(first, last):
        known = locations[starts[target] : starts[target + 1]]
        if len(known) > 0:
            most, of_all, state, _ = worst_background(
                offsets, users, time_rank, target, known, since, budget, row_of
            )
            found[3 * target] = most
            found[3 * target + 1] = of_all
            found[3 * target + 2] = state
