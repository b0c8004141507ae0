"""Kernels that read single ratings back from the profiles of groups.

Tests compare them with plain loops in tests/attacks/test_profile_inversion.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Codes, Floats, Integers, Mask, Offsets, Values
from recloak.core.kernels import kernel

SINGLE = 1.2e-7  # of a value: what publishing in single precision can move it by
TALLIES = 7  # columns of what `read_back` counts


class CellRows(NamedTuple):
    """Rows of cells: the arrays of ratings or of profiles."""

    offsets: Offsets
    items: Codes
    values: Values


class ProfileRules(NamedTuple):
    """What is known of how profiles are made: the scale (step 0: continuous) and the rest.

    ``rounded`` is by how much a cell may have been rounded, ``floor`` the fewest raters of one,
    ``vague`` by how much an explanation may be off because the raters' own means are not known.
    """

    low: float
    high: float
    step: float
    rounded: float
    floor: int
    vague: float = 0.0


class ProfileCells(NamedTuple):
    """One group by item: is its cell visible, what is stated of how many, who rated it so."""

    visible: Mask
    stated: Floats
    claimed: Codes
    raters: Codes
    holders: Codes


@kernel
def on_scale(wanted: float, base: float, low: float, high: float, step: float) -> float:
    """The rating nearest to what is wanted; halfway between two, the one nearer to the base."""
    inside = min(max(wanted, low), high)
    if step == 0:
        return inside
    place, last = (inside - low) / step, np.floor((high - low) / step + 1e-6)
    towards = -1e-6 if base < inside else 1e-6
    rung: float = min(max(np.rint(place + towards), 0.0), last)
    return low + step * rung


@kernel
def explained(value: float, base: float, size: int, rules: ProfileRules) -> tuple[float, int]:
    """The rating that the fewest members, all alike, must have given to explain a cell.

    With r raters it is base + size / r · (value − base). Where it would lie beyond the scale more
    must have rated. NaN if it is not on the scale, or is the base, which would not have shown.
    """
    for raters in range(max(1, rules.floor), size + 1):
        share = size / raters
        wanted = base + share * (value - base)
        room = share * (rules.rounded + SINGLE * max(abs(value), abs(base))) + 1e-9
        room += rules.vague
        if wanted > rules.high + room or wanted < rules.low - room:
            continue
        rating = on_scale(wanted, base, rules.low, rules.high, rules.step)
        if abs(rating - wanted) <= room and abs(rating - base) > 1e-6:
            return rating, raters
        break
    return np.nan, 0


@kernel
def printed(value: float, rules: ProfileRules) -> tuple[float, int]:
    """The rating that a cell prints which is the mean over its raters alone, if on the scale."""
    rating = on_scale(value, value, rules.low, rules.high, rules.step)
    room = rules.rounded + SINGLE * abs(value) + 1e-9
    return (rating, 1) if abs(rating - value) <= room else (np.nan, 0)


@kernel
def state_cells(
    group: int,
    size: int,
    cells: CellRows,
    code: Integers,
    base: Floats,
    own: Floats,
    rules: ProfileRules,
    group_cells: ProfileCells,
    tally: Floats,
) -> None:
    """Fill in the claim about each cell; count the claims and the places in visible cells."""
    for at in range(cells.offsets[group], cells.offsets[group + 1]):
        value = np.float64(cells.values[at])
        if len(own) > 0:
            if value == own[group]:
                continue
            rating, raters = explained(value, own[group], size, rules)
        elif len(base) > 0:
            rating, raters = explained(value, base[cells.items[at]], size, rules)
        else:
            rating, raters = printed(value, rules)
        tally[3] += raters
        tally[5] += size
        item = code[cells.items[at]]
        if item >= 0:
            group_cells.visible[item] = True
            group_cells.stated[item], group_cells.claimed[item] = rating, raters


@kernel
def count_raters(
    members: Integers, original: CellRows, tolerance: float, group_cells: ProfileCells
) -> None:
    """How many members rated each item, and how many of them as stated."""
    for member in members:
        for at in range(original.offsets[member], original.offsets[member + 1]):
            item = original.items[at]
            group_cells.raters[item] += 1
            if abs(group_cells.stated[item] - original.values[at]) <= tolerance:
                group_cells.holders[item] += 1


@kernel
def credit(
    member: int,
    original: CellRows,
    tolerance: float,
    group_cells: ProfileCells,
    tally: Floats,
) -> float:
    """How many ratings of a member were read back; more holders than claims share them."""
    truly = 0.0
    for at in range(original.offsets[member], original.offsets[member + 1]):
        item = original.items[at]
        tally[0] += 1
        tally[1] += group_cells.raters[item] == 1
        tally[4] += group_cells.visible[item]
        if abs(group_cells.stated[item] - original.values[at]) <= tolerance:
            truly += (
                min(group_cells.claimed[item], group_cells.holders[item])
                / group_cells.holders[item]
            )
            tally[6] += group_cells.raters[item] == 1
    tally[2] += truly
    return truly


@kernel
def clear(
    group: int,
    members: Integers,
    original: CellRows,
    cells: CellRows,
    code: Integers,
    group_cells: ProfileCells,
) -> None:
    """Clear what was written of the group, and only that."""
    for member in members:
        for at in range(original.offsets[member], original.offsets[member + 1]):
            group_cells.raters[original.items[at]] = 0
            group_cells.holders[original.items[at]] = 0
    for at in range(cells.offsets[group], cells.offsets[group + 1]):
        item = code[cells.items[at]]
        if item >= 0:
            group_cells.visible[item] = False
            group_cells.stated[item] = np.nan


@kernel
def read_back(
    first: int,
    end: int,
    starts: Offsets,
    members: Integers,
    sizes: Integers,
    original: CellRows,
    cells: CellRows,
    code: Integers,
    n_items: int,
    base: Floats,
    own: Floats,
    rules: ProfileRules,
    tolerance: float,
    tallies: Floats,
    found: Floats,
) -> None:
    """Compare the claims about the groups first..end with what their members rated.

    ``code`` turns items of profiles into those of the original, -1 for none; ``base`` is what an
    item has where nobody rated it, ``own`` what a group has there; without both cells are means
    over their raters. ``tallies`` has a row for each group: ratings, those of items that one
    member rated, ratings read back, claims, ratings in visible cells, places in visible cells,
    ratings read back of items that one member rated. ``found`` says how many ratings of each
    person were read back.
    """
    group_cells = ProfileCells(
        np.zeros(n_items, np.bool_),
        np.full(n_items, np.nan),
        np.zeros(n_items, np.int32),
        np.zeros(n_items, np.int32),
        np.zeros(n_items, np.int32),
    )
    for group in range(first, end):
        here = members[starts[group] : starts[group + 1]]
        state_cells(group, sizes[group], cells, code, base, own, rules, group_cells, tallies[group])
        count_raters(here, original, tolerance, group_cells)
        for member in here:
            found[member] = credit(member, original, tolerance, group_cells, tallies[group])
        clear(group, here, original, cells, code, group_cells)
