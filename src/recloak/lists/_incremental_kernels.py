"""Kernels that update the nearest items of each item: only changed pairs are computed again.

The similarity of two items depends on their own ratings alone. So the cached order of items that
did not change stays valid, and the changed ones are merged into it.
"""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Bytes, Codes, Mask, Offsets
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.kernels.related_items import (
    CORRELATION,
    ItemRatings,
    Sums,
    add_moments,
    add_up,
    clear,
    parts_of,
    room_for_sums,
    slot_of,
)
from recloak.core.kernels.similarity_rows import (
    SimilarityRow,
    about_of,
    empty_row,
    least_of,
    nearer,
    offer,
    put_in_order,
    set_similarity,
    surely_below,
)
from recloak.lists._cached_row_kernels import (
    CachedNeighbours,
    finish_row,
    last_cached,
    load_row,
    recall,
    row_size,
)
from recloak.lists._pair_kernels import ChangedPairs, note_pairs, recall_pairs, starts_for


@inner_kernel
def stays(last: int, other: int, row: SimilarityRow) -> bool:
    """Is a changed item farther than all cached ones, of which ``last`` is the last?"""
    return last >= 0 and not nearer(row, other, last)


@inner_kernel
def all_stay(
    cells: ItemRatings,
    kind: int,
    item: int,
    changed: Bytes,
    touched: Codes,
    sums: Sums,
    near: CachedNeighbours,
    few: CachedNeighbours,
    before: Codes,
    share: tuple[int, int],
    row: SimilarityRow,
) -> bool:
    """Do the cached rows of an item stay as they are, with nothing of its last list changed?

    What more than the ``share`` of its raters rated is none of the few, and cannot change them.
    """
    n_near, n_few = row_size(near, item), row_size(few, item)
    if changed[item] == 1 or n_near < 0 or n_few < 0:
        return False
    numerator, denominator = share
    raters, known = cells.item_offsets[item + 1] - cells.item_offsets[item], before[item]
    last = last_cached(cells, kind, near, item, n_near, row)
    last_few = last_cached(cells, kind, few, item, n_few, row)
    least = 0.0
    if last >= 0 and last_few >= 0:
        least = surely_below(min(row.about[last], row.about[last_few]))
    for other in touched:
        num, one, two = parts_of(cells, item, other, kind, sums)
        if other == item or num <= 0 or one <= 0 or two <= 0:
            continue
        if slot_of(known, other) >= 0:
            return False
        if about_of(num, one, two) < least:
            continue
        set_similarity(row, other, num, one, two)
        is_few = sums.pairs[other, 0] * denominator <= numerator * raters
        if not stays(last, other, row) or (is_few and not stays(last_few, other, row)):
            return False
    return True


@inner_kernel
def copy_candidates(
    cells: ItemRatings,
    kind: int,
    near: CachedNeighbours,
    few: CachedNeighbours,
    item: int,
    before: Codes,
    row: SimilarityRow,
    candidates: Codes,
) -> None:
    """Candidates from rows that stayed: two sorted rows are merged, nearest first."""
    nearest, fewest, known, able = near.items[item], few.items[item], before[item], candidates[item]
    here, there = next_shown(nearest, 0, known, fewest), 0
    for count in range(len(able)):
        left = nearest[here] if here < len(nearest) else -1
        right = fewest[there] if there < len(fewest) else -1
        if left >= 0 and right >= 0:
            recall(cells, kind, near, item, here, row)
            recall(cells, kind, few, item, there, row)
        if left >= 0 and (right < 0 or nearer(row, left, right)):
            able[count] = left
            here = next_shown(nearest, here + 1, known, fewest)
        else:
            able[count] = right
            there += 1


@inner_kernel
def next_shown(nearest: Codes, start: int, known: Codes, fewest: Codes) -> int:
    """The next place in a row of one that was shown and is none of the few; its end if none is."""
    for at in range(start, len(nearest)):
        other = nearest[at]
        if other >= 0 and slot_of(known, other) >= 0 and slot_of(fewest, other) < 0:
            return at
    return len(nearest)


@inner_kernel
def known_candidates(
    nearest: Codes, fewest: Codes, before: Codes, row: SimilarityRow, candidates: Codes
) -> int:
    """Start from the candidates among the cached neighbours; returns how many they are."""
    size = 0
    for other in nearest:
        if slot_of(before, other) >= 0 and slot_of(fewest, other) < 0:
            size = offer(candidates, size, other, row)
    for other in fewest:
        size = offer(candidates, size, other, row)
    return size


@kernel
def only_items(
    offsets: Offsets, items: Codes, units: Codes, wanted: Mask
) -> tuple[Offsets, Codes, Codes]:
    """People's rows with the wanted items alone; nothing as long as all ratings is made beside."""
    kept = np.zeros(len(offsets), np.int64)
    for user in range(len(offsets) - 1):
        kept[user + 1] = kept[user]
        for at in range(offsets[user], offsets[user + 1]):
            kept[user + 1] += wanted[items[at]]
    kept_items, kept_units = np.empty(kept[-1], np.int32), np.empty(kept[-1], np.int32)
    place = 0
    for at in range(len(items)):
        if wanted[items[at]]:
            kept_items[place], kept_units[place] = items[at], units[at]
            place += 1
    return kept, kept_items, kept_units


@inner_kernel
def sum_up(
    cells: ItemRatings,
    kind: int,
    item: int,
    pairs: ChangedPairs,
    noted: bool,
    starts: Offsets,
    before: Codes,
    share: tuple[int, int],
    sums: Sums,
    touched: Codes,
) -> int:
    """Add up what an item shares with others, or recall it; lists these and returns their number.

    Of a correlation nothing is ever noted.
    """
    if noted:
        return recall_pairs(pairs, item, starts, sums.pairs, touched)
    met = add_up(cells, item, sums, touched)
    note_pairs(pairs, cells, kind, item, sums.pairs, before, share)
    if kind == CORRELATION:
        add_moments(cells, item, sums.moments)
    return met


@kernel
def update_items(
    cells: ItemRatings,
    kind: int,
    which: Codes,
    changed: Bytes,
    numerator: int,
    denominator: int,
    before: Codes,
    near: CachedNeighbours,
    few: CachedNeighbours,
    candidates: Codes,
    pairs: ChangedPairs,
    noted: bool,
) -> None:
    """Merge the similarities from ``cells`` into the cached neighbours of the items ``which``.

    ``near`` are the nearest items of each and ``few`` the nearest rated by no more than a share of
    its raters; both are changed in place. ``candidates`` are filled from ``few`` and from the items
    of the list ``before``. ``changed`` marks the items that ``cells`` lists by user. What these
    share with others is kept in ``pairs``; once it is ``noted``, nothing is added up again.
    """
    n_items, share = len(cells.norms), (numerator, denominator)
    sums = room_for_sums(cells, kind, False)
    row = empty_row(n_items)
    touched = np.empty(n_items + 1, np.int32)
    nearest = np.empty(near.items.shape[1], np.int32)
    fewest = np.empty(few.items.shape[1], np.int32)
    starts = np.zeros(0, np.int64)
    if noted and len(which) > 0:
        starts = starts_for(pairs, which[0])
    for item in which:
        met = sum_up(cells, kind, item, pairs, noted, starts, before, share, sums, touched)
        some = touched[:met]
        if all_stay(cells, kind, item, changed, some, sums, near, few, before, share, row):
            copy_candidates(cells, kind, near, few, item, before, row, candidates)
            clear(sums, touched[:met])
            continue
        raters = cells.item_offsets[item + 1] - cells.item_offsets[item]
        able, known = candidates[item], before[item]  # a view for all others
        n_near = load_row(cells, kind, near, item, row, nearest)
        n_few = load_row(cells, kind, few, item, row, fewest)
        n_able = known_candidates(nearest[:n_near], fewest[:n_few], known, row, able)
        least, least_few = least_of(nearest, n_near, row), least_of(fewest, n_few, row)
        least_able = least_of(able, n_able, row)
        recalled_near, recalled_few = n_near, n_few
        offered_near, offered_few = n_near, n_few
        for other in touched[:met]:
            num, one, two = parts_of(cells, item, other, kind, sums)
            if other == item or num <= 0 or one <= 0 or two <= 0:
                continue
            is_few = sums.pairs[other, 0] * denominator <= numerator * raters
            offered_near += 1
            offered_few += is_few
            about = about_of(num, one, two)
            if about < least and about < least_few and about < least_able:
                continue
            set_similarity(row, other, num, one, two)
            if about >= least:
                n_near = offer(nearest, n_near, other, row)
                least = least_of(nearest, n_near, row)
            if is_few and about >= least_few:
                n_few = offer(fewest, n_few, other, row)
                least_few = least_of(fewest, n_few, row)
            if about >= least_able and (is_few or slot_of(known, other) >= 0):
                n_able = offer(able, n_able, other, row)
                least_able = least_of(able, n_able, row)
        put_in_order(able, n_able, row)
        finish_row(nearest, n_near, (recalled_near, offered_near), changed, row, near, item)
        finish_row(fewest, n_few, (recalled_few, offered_few), changed, row, few, item)
        clear(sums, touched[:met])
