"""Kernels that tear the records of a cluster into chunks and gather those of a joint."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import kernel
from recloak.kernels.chunks import Terms, fill_chunks
from recloak.kernels.clusters import FIRST_SHARED, LEFT_OUT, TERM_CHUNK
from recloak.kernels.layout import Codes, Offsets, stable_order


class Local(NamedTuple):
    """The ratings of a few people by term.

    Ratings ``ratings[starts[t]:starts[t + 1]]``, by ``holders`` (places among the people), are of
    local term ``t``, a value of local item ``item[t]``; terms of an item stand together.
    """

    ratings: Offsets
    holders: Codes
    starts: Offsets
    item: Codes
    n_items: int


@kernel
def gather(
    people: Codes,
    offsets: Offsets,
    terms: Codes,
    item_of: Codes,
    place: Codes,
    barred: NDArray[np.bool_],
    only_unplaced: bool,
) -> Local:
    """The ratings of these people by term; those outside record chunks and not barred, if asked."""
    count = 0
    for person in people:
        count += offsets[person + 1] - offsets[person]
    ratings, holders = np.empty(count, np.int64), np.empty(count, np.int32)
    held = np.empty(count, np.int32)
    count = 0
    for local in range(len(people)):
        for at in range(offsets[people[local]], offsets[people[local] + 1]):
            if only_unplaced and (place[at] >= 0 or barred[item_of[terms[at]]]):
                continue
            ratings[count], holders[count], held[count] = at, local, terms[at]
            count += 1
    order = stable_order(held[:count], len(item_of))
    ratings, holders = ratings[order], holders[order]
    starts, item = np.empty(count + 1, np.int64), np.empty(count, np.int32)
    n_terms, n_items = 0, 0
    for at in range(count):
        term = terms[ratings[at]]
        if at == 0 or term != terms[ratings[at - 1]]:
            if at == 0 or item_of[term] != item_of[terms[ratings[at - 1]]]:
                n_items += 1
            starts[n_terms], item[n_terms] = at, n_items - 1
            n_terms += 1
    starts[n_terms] = count
    return Local(ratings, holders, starts[: n_terms + 1], item[:n_terms], n_items)


@kernel
def supports(local: Local) -> Codes:
    """How many people hold each term."""
    support = np.empty(len(local.item), np.int32)
    for term in range(len(support)):
        support[term] = local.starts[term + 1] - local.starts[term]
    return support


@kernel
def rare_terms_to_leave_out(local: Local, n_people: int, k: int) -> NDArray[np.bool_]:
    """Rare terms that would be forced upon somebody.

    If nearly everyone rated an item and its rare values are all listed, who lacks its frequent
    values must hold just these, each as often as there are people. So at least k - 1 more people
    than further rare values must lack the frequent ones; the least held values are left out.
    """
    support = supports(local)
    lacking = np.full(local.n_items, n_people, np.int64)
    rare = np.zeros(local.n_items, np.int64)
    for term in range(len(support)):
        if support[term] >= k:
            lacking[local.item[term]] -= support[term]
        else:
            rare[local.item[term]] += 1
    excess = np.maximum(rare - np.maximum(lacking - k + 1, 0), 0)
    left_out = np.zeros(len(support), np.bool_)
    for term in stable_order(support, n_people + 1):
        if support[term] < k and excess[local.item[term]] > 0:
            left_out[term] = True
            excess[local.item[term]] -= 1
    return left_out


@kernel
def in_order(local: Local, tried: Offsets, n_values: Codes, groups: Codes, n_people: int) -> Terms:
    """The terms ``tried``, in that order, with the bits of their holders."""
    holders = np.zeros((len(tried), (n_people + 63) // 64), np.uint64)
    for at in range(len(tried)):
        for entry in range(local.starts[tried[at]], local.starts[tried[at] + 1]):
            person = local.holders[entry]
            holders[at, person >> 6] |= np.uint64(1) << np.uint64(person & 63)
    return Terms(holders, local.item[tried], n_values, groups)


@kernel
def count_subrecords(local: Local, chunk_of: Codes, n_people: int) -> tuple[int, int]:
    """How many sub-records all record chunks have together, and how many chunks there are."""
    n_chunks = 0
    for chunk in chunk_of:
        n_chunks = max(n_chunks, chunk + 1)
    present = np.zeros((n_chunks, n_people), np.bool_)
    for term in range(len(chunk_of)):
        if chunk_of[term] >= 0:
            for entry in range(local.starts[term], local.starts[term + 1]):
                present[chunk_of[term], local.holders[entry]] = True
    return int(present.sum()), n_chunks


@kernel
def stands_alone(local: Local, chunk_of: Codes, n_people: int, k: int, m: int) -> bool:
    """Have the record chunks sub-records enough that no record is empty and none is forced?"""
    total, n_chunks = count_subrecords(local, chunk_of, n_people)
    return total >= n_people + k * (min(m, n_chunks) - 1)


@kernel
def move_rarest_item(local: Local, chunk_of: Codes) -> None:
    """Move the item that fewest people rated to the term chunk; chunks are numbered anew."""
    support = np.zeros(local.n_items, np.int64)
    for term in range(len(chunk_of)):
        support[local.item[term]] += local.starts[term + 1] - local.starts[term]
        if chunk_of[term] < 0:  # what was left out stays so, and cannot be made a term again
            support[local.item[term]] += len(local.ratings)
    rarest = np.argmin(support)
    used = np.zeros(len(chunk_of) + 1, np.int32)
    for term in range(len(chunk_of)):
        if local.item[term] == rarest:
            chunk_of[term] = TERM_CHUNK
        elif chunk_of[term] >= 0:
            used[chunk_of[term]] = 1
    number = np.cumsum(used) - 1
    for term in range(len(chunk_of)):
        if chunk_of[term] >= 0:
            chunk_of[term] = number[chunk_of[term]]


@kernel
def tear(
    people: Codes,
    offsets: Offsets,
    terms: Codes,
    item_of: Codes,
    k: int,
    m: int,
    place: Codes,
) -> bool:
    """Fill the place of each rating of a cluster; returns whether its record chunks stand alone."""
    local = gather(people, offsets, terms, item_of, place, np.empty(0, np.bool_), False)
    support, n_people = supports(local), len(people)
    chunk_of = np.full(len(support), TERM_CHUNK, np.int32)
    n_values = np.zeros(local.n_items, np.int32)
    left_out = rare_terms_to_leave_out(local, n_people, k)
    for term in range(len(support)):
        n_values[local.item[term]] += not left_out[term]
        if left_out[term]:
            chunk_of[term] = LEFT_OUT
    tried = stable_order(n_people - support, n_people + 1)[: (support >= k).sum()]
    groups = np.arange(len(tried) + 1).astype(np.int32)
    chunk_of[tried] = fill_chunks(
        in_order(local, tried, n_values, groups, n_people), n_people, k, m
    )
    alone = stands_alone(local, chunk_of, n_people, k, m)
    if not alone and not (chunk_of == TERM_CHUNK).any():
        move_rarest_item(local, chunk_of)
    write_places(local, chunk_of, place)
    return alone


@kernel
def write_places(local: Local, chunk_of: Codes, place: Codes) -> None:
    """From terms to their ratings."""
    for term in range(len(chunk_of)):
        for entry in range(local.starts[term], local.starts[term + 1]):
            place[local.ratings[entry]] = chunk_of[term]


@kernel
def tear_all(
    people: Codes,
    starts: Offsets,
    offsets: Offsets,
    terms: Codes,
    item_of: Codes,
    k: int,
    m: int,
    place: Codes,
    alone: NDArray[np.bool_],
    first: int,
    last: int,
) -> None:
    """`tear` clusters ``first:last``; each writes to its own people's ratings alone."""
    for cluster in range(first, last):
        members = people[starts[cluster] : starts[cluster + 1]]
        alone[cluster] = tear(members, offsets, terms, item_of, k, m, place)


@kernel
def share(
    people: Codes,
    offsets: Offsets,
    terms: Codes,
    item_of: Codes,
    k: int,
    m: int,
    place: Codes,
    barred: NDArray[np.bool_],
) -> None:
    """Put the items of a joint that are not barred into shared chunks, all values together."""
    local = gather(people, offsets, terms, item_of, place, barred, True)
    n_terms = len(local.item)
    n_values, raters = np.zeros(local.n_items, np.int32), np.zeros(local.n_items, np.int32)
    for term in range(n_terms):
        n_values[local.item[term]] += 1
        raters[local.item[term]] += local.starts[term + 1] - local.starts[term]
    by_item = stable_order(len(people) - raters, len(people) + 1)
    tried = stable_order(len(people) - raters[local.item], len(people) + 1)
    groups = np.zeros(local.n_items + 1, np.int32)
    groups[1:] = np.cumsum(n_values[by_item])
    found = fill_chunks(in_order(local, tried, n_values, groups, len(people)), len(people), k, m)
    chunk_of = np.empty(n_terms, np.int32)
    chunk_of[tried] = FIRST_SHARED - found
    write_places(local, chunk_of, place)
