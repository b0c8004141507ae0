"""Kernels that put sub-records and terms together again into records that may have been."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Mask, Offsets, Words
from recloak.core.kernels import kernel
from recloak.core.kernels.draws import below

NOWHERE = -1


@kernel
def shuffled(state: Words, count: int) -> Offsets:
    """The numbers below ``count`` in random order."""
    order = np.arange(count)
    for last in range(count - 1, 0, -1):
        at = below(state, last + 1)
        order[at], order[last] = order[last], order[at]
    return order


@kernel
def slot_of(table: Offsets, key: int) -> int:
    """Where the key stands in an open hash table of 2^n slots, or the free slot where it would."""
    mask = len(table) - 1
    at = (key * 0x9E3779B97F4A7C1) >> 20 & mask
    while table[at] != NOWHERE and table[at] != key:
        at = at + 1 & mask
    return at


@kernel
def lacks_all(table: Offsets, record: int, items: Codes, n_items: int) -> bool:
    """Does the record hold none of these items so far?"""
    for item in items:
        key = np.int64(record) * n_items + item
        if table[slot_of(table, key)] == key:
            return False
    return True


@kernel
def note(table: Offsets, record: int, items: Codes, n_items: int) -> None:
    """From now on the record holds these items."""
    for item in items:
        key = np.int64(record) * n_items + item
        table[slot_of(table, key)] = key


@kernel
def find_place(
    wanting: int,
    rows: Offsets,
    order: Offsets,
    taken: Offsets,
    offsets: Offsets,
    items: Codes,
    low: int,
    table: Offsets,
    n_items: int,
) -> bool:
    """Give sub-record ``wanting`` of a chunk a record, moving others of the chunk if need be.

    ``taken`` tells which sub-record each record has, counted from ``low``; ``order`` is the order
    in which records are tried. False if there is no way (a matching that cannot grow).
    """
    asked_by = np.full(len(taken), NOWHERE, np.int64)
    place_of = np.full(len(rows), NOWHERE, np.int64)
    queue = np.empty(len(taken) + 1, np.int64)
    queue[0], head, tail = wanting, 0, 1
    while head < tail:
        asking = queue[head]
        head += 1
        row = rows[asking]
        mine = items[offsets[row] : offsets[row + 1]]
        for only_free in (True, False):
            for place in order:
                free = taken[place] == NOWHERE
                if free != only_free or asked_by[place] != NOWHERE:
                    continue
                if not lacks_all(table, low + place, mine, n_items):
                    continue
                asked_by[place] = asking
                if not free:
                    place_of[taken[place]] = place
                    queue[tail] = taken[place]
                    tail += 1
                    continue
                while place != NOWHERE:  # each moves to where it asked, up to the first
                    mover = asked_by[place]
                    taken[place] = mover
                    place = place_of[mover]
                return True
    return False


@kernel
def place_chunk(
    state: Words,
    rows: Offsets,
    offsets: Offsets,
    items: Codes,
    low: int,
    high: int,
    table: Offsets,
    n_items: int,
    record_of: Offsets,
) -> bool:
    """Give each sub-record of a chunk a record of its own in ``low:high`` that lacks its items."""
    taken = np.full(high - low, NOWHERE, np.int64)
    order = shuffled(state, high - low)
    for at in range(len(rows)):
        if not find_place(at, rows, order, taken, offsets, items, low, table, n_items):
            return False
    for place in range(high - low):
        if taken[place] != NOWHERE:
            row = rows[taken[place]]
            record_of[row] = low + place
            note(table, low + place, items[offsets[row] : offsets[row + 1]], n_items)
    return True


@kernel
def place_terms(
    state: Words,
    rows: Offsets,
    offsets: Offsets,
    items: Codes,
    low: int,
    high: int,
    table: Offsets,
    n_items: int,
    record_of: Offsets,
) -> bool:
    """Give each term to a record in ``low:high`` that lacks its item."""
    for row in rows:
        mine = items[offsets[row] : offsets[row + 1]]
        start = below(state, high - low)
        for step in range(high - low):
            record = low + (start + step) % (high - low)
            if lacks_all(table, record, mine, n_items):
                record_of[row] = record
                note(table, record, mine, n_items)
                break
        if record_of[row] == NOWHERE:
            return False
    return True


@kernel
def place_all(
    state: Words,
    rows: Offsets,
    starts: Offsets,
    low: Offsets,
    high: Offsets,
    are_terms: Mask,
    offsets: Offsets,
    items: Codes,
    n_items: int,
) -> Offsets:
    """The record of each row; NOWHERE for some if there is no place.

    Rows ``rows[starts[s]:starts[s + 1]]`` are a chunk or a term chunk of records
    ``low[s]:high[s]``; term chunks come last.
    """
    size = 16
    while size < 2 * len(items):
        size *= 2
    table = np.full(size, NOWHERE, np.int64)
    record_of = np.full(len(rows), NOWHERE, np.int64)
    for at in range(len(starts) - 1):
        here = rows[starts[at] : starts[at + 1]]
        args = (state, here, offsets, items, low[at], high[at], table, n_items, record_of)
        if not (place_terms(*args) if are_terms[at] else place_chunk(*args)):
            break
    return record_of


@kernel
def fill_empty(
    state: Words,
    rows: Offsets,
    low: int,
    high: int,
    are_terms: bool,
    record_of: Offsets,
    pieces: Offsets,
    extra_rows: Offsets,
    extra_records: Offsets,
    n_extra: int,
) -> int:
    """Give the empty records in ``low:high`` something of these rows.

    A term may be held by one more; a sub-record moves there from a record that has others.
    Returns how many terms were given once more so far.
    """
    for record in range(low, high):
        start = below(state, len(rows))
        for step in range(len(rows)):
            row = rows[(start + step) % len(rows)]
            if pieces[record] > 0:
                break
            if are_terms:
                extra_rows[n_extra], extra_records[n_extra] = row, record
                n_extra += 1
                pieces[record] += 1
            elif pieces[record_of[row]] > 1:
                pieces[record_of[row]] -= 1
                record_of[row] = record
                pieces[record] += 1
    return n_extra
