"""Kernels that count the subsets of a row that are in no other row, and sum them by person.

Tests compare them with plain loops in tests/attacks/subset_bound/test_kernels.py.
"""

from __future__ import annotations

import numpy as np

from recloak.attacks._postings import CANDIDATE, Postings, RowArrays, matching_range, rank_of
from recloak.core.arrays import Codes, Floats, Mask, Offsets
from recloak.core.kernels import inner_kernel, kernel

NEAREST = 24  # rows by which subsets of three and more ratings are bounded


@inner_kernel
def choose(whole: int, part: int) -> float:
    """How many subsets of ``part`` elements there are."""
    if part < 0 or part > whole:
        return 0.0
    subsets = 1.0
    for at in range(part):
        subsets = subsets * (whole - at) / (at + 1)
    return subsets


@inner_kernel
def shared_with(
    postings: Postings, rows: RowArrays, row: int, overlap: Codes, touched: Codes, starts: Offsets
) -> int:
    """How many ratings of a row each other candidate has; how many candidates have any.

    ``starts[i]:starts[i + 1]`` says, in the order of ``touched`` and by how many each has, where
    the shared ratings of the i-th are to stand.
    """
    own, count = postings.candidate_of[row], 0
    for at in range(rows.offsets[row], rows.offsets[row + 1]):
        rank = rank_of(rows.value_bits[at])
        low, high = matching_range(postings, rows.items[at], rank, rank)
        for key in postings.keys[low:high]:
            candidate = key & CANDIDATE
            if candidate != own:
                touched[count] = candidate
                count += overlap[candidate] == 0
                overlap[candidate] += 1
    starts[0] = 0
    for at in range(count):
        starts[at + 1] = starts[at] + overlap[touched[at]]
        overlap[touched[at]] = at + 1
    return count


@inner_kernel
def place_shared(
    postings: Postings, rows: RowArrays, row: int, overlap: Codes, starts: Offsets, places: Codes
) -> None:
    """Write which ratings of the row each candidate has, where ``starts`` says."""
    own, filled = postings.candidate_of[row], starts.copy()
    for at in range(rows.offsets[row], rows.offsets[row + 1]):
        rank = rank_of(rows.value_bits[at])
        low, high = matching_range(postings, rows.items[at], rank, rank)
        for key in postings.keys[low:high]:
            candidate = key & CANDIDATE
            if candidate != own:
                to = overlap[candidate] - 1
                places[filled[to]] = at - rows.offsets[row]
                filled[to] += 1


@inner_kernel
def count_exactly(size: int, count: int, starts: Offsets, places: Codes, shared: Floats) -> None:
    """Of a short row: how many subsets of each size stand in another row too, one by one."""
    covered = np.zeros(1 << size, np.bool_)
    covered[0] = True
    for at in range(count):
        mask = 0
        for place in places[starts[at] : starts[at + 1]]:
            mask |= 1 << place
        covered[mask] = True
    for place in range(size):
        for mask in range(1 << size):
            if mask >> place & 1 and covered[mask]:
                covered[mask ^ (1 << place)] = True
    for mask in range(1 << size):
        elements, left = 0, mask
        while left:
            elements += left & 1
            left >>= 1
        if covered[mask] and elements < len(shared):
            shared[elements] += 1


@inner_kernel
def count_small(size: int, count: int, starts: Offsets, places: Codes, shared: Floats) -> None:
    """Of a longer row: the empty subset, single ratings and pairs that another row has too."""
    pairs = np.zeros((size, size), np.bool_)
    for at in range(count):
        mine = places[starts[at] : starts[at + 1]]
        for one in range(len(mine)):
            for other in range(one + 1):
                pairs[mine[one], mine[other]] = True
    shared[0] = 1.0
    for one in range(size):
        if len(shared) > 1:
            shared[1] += pairs[one, one]
        for other in range(one):
            if len(shared) > 2:
                shared[2] += pairs[one, other]


@inner_kernel
def nearest_members(size: int, count: int, starts: Offsets, places: Codes) -> Mask:
    """For those that share most with the row, most first: which of its ratings they have."""
    members = np.zeros((min(count, NEAREST), size), np.bool_)
    used = np.zeros(count, np.bool_)
    for at in range(len(members)):
        most = -1
        for one in range(count):
            shares = starts[one + 1] - starts[one]
            if not used[one] and (most < 0 or shares > starts[most + 1] - starts[most]):
                most = one
        used[most] = True
        for place in places[starts[most] : starts[most + 1]]:
            members[at, place] = True
    return members


@inner_kernel
def bound_large(members: Mask, shared: Floats) -> None:
    """At least so many subsets of three and more ratings stand in another row too.

    Those of one row, less what rows before it have as well: never too many, for what several of
    these have in common is taken off more than once.
    """
    for elements in range(3, len(shared)):
        for one in range(len(members)):
            fresh = choose(int(members[one].sum()), elements)
            for other in range(one):
                fresh -= choose(int((members[one] & members[other]).sum()), elements)
            shared[elements] += max(fresh, 0.0)


@inner_kernel
def shared_subsets(
    postings: Postings,
    rows: RowArrays,
    row: int,
    exact: int,
    overlap: Codes,
    touched: Codes,
    shared: Floats,
) -> None:
    """How many subsets of each size of a row another row has too; at least, if it is long."""
    size = rows.offsets[row + 1] - rows.offsets[row]
    shared[:] = 0.0
    if postings.sizes[postings.candidate_of[row]] > 1:
        for elements in range(len(shared)):
            shared[elements] = choose(size, elements)
        return
    if len(postings.candidate_of) == 1:
        return
    starts = np.zeros(len(touched) + 1, np.int64)
    count = shared_with(postings, rows, row, overlap, touched, starts)
    places = np.empty(starts[count], np.int32)
    place_shared(postings, rows, row, overlap, starts[: count + 1], places)
    for at in range(count):
        overlap[touched[at]] = 0
    if size <= exact:
        count_exactly(size, count, starts, places, shared)
    else:
        count_small(size, count, starts, places, shared)
        bound_large(nearest_members(size, count, starts, places), shared)


@inner_kernel
def add_row(
    size: int, others: int, shared: Floats, none: Floats, one: Floats
) -> tuple[float, float]:
    """Count the choices of ratings in which no row, or one, is singled out, with one row more.

    Returns how many choices of all single this row out, and the further ratings it then tells.
    """
    known = len(none) - 1
    singled, further = 0.0, 0.0
    fresh_none, fresh_one = np.zeros(known + 1), np.zeros(known + 1)
    for mine in range(min(size, known) + 1):
        alone = max(choose(size, mine) - shared[mine], 0.0)
        choices = alone * choose(others, known - mine)
        singled += choices
        further += choices * (size - mine)
        for before in range(known + 1 - mine):
            fresh_none[before + mine] += none[before] * shared[mine]
            fresh_one[before + mine] += one[before] * shared[mine] + none[before] * alone
    none[:], one[:] = fresh_none, fresh_one
    return singled, further


@kernel
def singled_out(
    postings: Postings,
    rows: RowArrays,
    own_offsets: Offsets,
    own_rows: Offsets,
    users: Offsets,
    known: int,
    exact: int,
    start: int,
    end: int,
    found: Floats,
) -> None:
    """For ``users`` the share of all choices of ``known`` of their ratings that single out one of
    their rows or more, two or more, how many on average, and how many further ratings these tell.
    """
    overlap = np.zeros(len(postings.sizes), np.int32)
    touched = np.empty(len(postings.sizes) + 1, np.int32)
    shared = np.zeros(known + 1)
    for at in range(start, end):
        mine = own_rows[own_offsets[users[at]] : own_offsets[users[at] + 1]]
        total = 0
        for row in mine:
            total += rows.offsets[row + 1] - rows.offsets[row]
        none, one = np.zeros(known + 1), np.zeros(known + 1)
        none[0] = 1.0
        singled, further = 0.0, 0.0
        for row in mine:
            size = rows.offsets[row + 1] - rows.offsets[row]
            shared_subsets(postings, rows, row, exact, overlap, touched, shared)
            row_singled, row_further = add_row(size, total - size, shared, none, one)
            singled, further = singled + row_singled, further + row_further
        choices = choose(total, known)
        found[at, 0] = min(max(1 - none[known] / choices, 0.0), 1.0)
        found[at, 1] = min(max(1 - (none[known] + one[known]) / choices, 0.0), 1.0)
        found[at, 2], found[at, 3] = singled / choices, further / choices
