"""Kernels of the attack that takes many rows: what speaks for a row, and which go together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.kernels import inner_kernel, kernel
from recloak.kernels.postings import (
    CANDIDATE,
    Asked,
    Codes,
    Floats,
    Offsets,
    Postings,
    Rows,
    matching_range,
)
from recloak.kernels.together import WITNESSES, Chances, choose_witnesses, expected

EVIDENCE = 13
_AGAINST = 1 << 16  # one number counts matches, and above this bit contradictions
_PRICE_OF_SIZE = 0.5
_SHRINK = 3.0
_SURE = 0.98
_SMALL = 1e-200

Masks = NDArray[np.uint64]
Tensor = NDArray[np.float64]
Values = NDArray[np.float32]


class Habits(NamedTuple):
    """What each candidate tells by itself, whoever is sought: the logarithms of how many ratings
    it has and how many rows look like it, by how much its ratings lie above those of others, how
    common its items are, and which is the rarest.
    """

    log_sizes: Floats
    log_alike: Floats
    kindness: Floats
    commonness: Floats
    rarest: Codes


class Taste(NamedTuple):
    """How liked items are in the table, and the habits of its candidates.

    ``chances`` says of two items (by their ``place``, -1: not known) how often they stand in one
    row if one person has both, ``price`` how much a contradicted rating speaks against a row.
    """

    means: Floats
    habits: Habits
    place: Codes
    chances: Chances
    price: float


@inner_kernel
def rarity(postings: Postings, asked: Asked, known: int) -> tuple[int, int, float]:
    """Where the postings that match a known rating stand, and how much a match tells."""
    low, high = matching_range(postings, asked.items[known], asked.lows[known], asked.highs[known])
    return low, high, np.log((len(postings.candidate_of) + 1) / max(high - low, 1))


@inner_kernel
def contradict(keys: Offsets, seen: Codes) -> None:
    """Count a contradiction for those that match anything."""
    for key in keys:
        candidate = key & CANDIDATE
        seen[candidate] += _AGAINST * (seen[candidate] != 0)


@inner_kernel
def weigh_known(
    postings: Postings, asked: Asked, attempt: int, score: Floats, seen: Codes, touched: Codes
) -> int:
    """Score what matches anything known by how rare the match is; how many are touched."""
    count = 0
    for known in range(asked.offsets[attempt], asked.offsets[attempt + 1]):
        low, high, weight = rarity(postings, asked, known)
        for at in range(low, high):
            candidate = postings.keys[at] & CANDIDATE
            touched[count] = candidate
            count += seen[candidate] == 0
            seen[candidate] += 1
            score[candidate] += weight
    for known in range(asked.offsets[attempt], asked.offsets[attempt + 1]):
        item = asked.items[known]
        if item >= 0:
            low, high, _ = rarity(postings, asked, known)
            contradict(postings.keys[postings.offsets[item] : low], seen)
            contradict(postings.keys[high : postings.offsets[item + 1]], seen)
    return count


@inner_kernel
def pick_best(
    count: int,
    touched: Codes,
    score: Floats,
    seen: Codes,
    taste: Taste,
    picked: Offsets,
    merit: Floats,
) -> int:
    """The touched candidates of most merit, best first; how many."""
    best = 0
    for at in range(count):
        candidate = touched[at]
        worth = score[candidate] - _PRICE_OF_SIZE * taste.habits.log_sizes[candidate]
        worth -= taste.price * (seen[candidate] // _AGAINST)
        if best == len(picked) and worth <= merit[best - 1]:
            continue
        place = min(best, len(picked) - 1)
        while place > 0 and merit[place - 1] < worth:
            merit[place], picked[place] = merit[place - 1], picked[place - 1]
            place -= 1
        merit[place], picked[place] = worth, candidate
        best += best < len(picked)
    return best


@inner_kernel
def kindness_known(asked: Asked, values: Values, means: Floats, attempt: int) -> float:
    """By how much the known ratings lie above those of others."""
    kind, first, last = 0.0, asked.offsets[attempt], asked.offsets[attempt + 1]
    for known in range(first, last):
        if asked.items[known] >= 0:
            kind += values[known] - means[asked.items[known]]
    return float(kind / (last - first + _SHRINK))


@kernel
def describe_rows(
    chosen: Offsets, rows: Rows, values: Values, support: Offsets, means: Floats, habits: Habits
) -> None:
    """Fill in the habits of candidates whose sizes alone are known; what is empty has none."""
    for candidate in range(len(chosen)):
        start, end = rows.offsets[chosen[candidate]], rows.offsets[chosen[candidate] + 1]
        if start == end:
            continue
        kind, common, rarest = 0.0, 0.0, rows.items[start]
        for at in range(start, end):
            item = rows.items[at]
            if support[item] < support[rarest]:
                rarest = item
            kind += values[at] - means[item]
            common += np.log(support[item])
        habits.kindness[candidate] = kind / (end - start + _SHRINK)
        habits.commonness[candidate] = common / (end - start)
        habits.rarest[candidate] = rarest


@inner_kernel
def note_known(
    postings: Postings, asked: Asked, attempt: int, note: Codes, weights: Floats
) -> None:
    """Note for each item which of the known ratings it is, and how much each tells."""
    first = asked.offsets[attempt]
    for known in range(first, asked.offsets[attempt + 1]):
        weights[known - first] = rarity(postings, asked, known)[2]
        if asked.items[known] >= 0:
            note[asked.items[known]] = known - first


@inner_kernel
def known_in_row(
    rows: Rows, row: int, note: Codes, weights: Floats, rarest: int, mask: Masks
) -> tuple[float, float]:
    """Sets a bit of ``mask`` for each known item in a row; the rarest match, and whether the row's
    rarest item is among them.
    """
    most = 0.0
    for at in range(rows.offsets[row], rows.offsets[row + 1]):
        known = note[rows.items[at]]
        if known >= 0:
            most = max(most, weights[known])
            mask[known // 64] |= np.uint64(1) << np.uint64(known % 64)
    return most, 1.0 if note[rarest] >= 0 else 0.0


@inner_kernel
def surprise(
    rows: Rows, asked: Asked, taste: Taste, attempt: int, row: int, mask: Masks, witnesses: Codes
) -> tuple[float, float]:
    """How surprising are the known items that a row has, and those that it lacks, if it is the
    person's?
    """
    there, lacking, first = 1.0, 1.0, asked.offsets[attempt]
    told_there, told_lacking = 0.0, 0.0
    count = choose_witnesses(rows, row, taste.place, witnesses)
    for known in range(first, asked.offsets[attempt + 1]):
        item = asked.items[known]
        if item < 0 or taste.place[item] < 0:
            continue
        chance = expected(taste.place[item], witnesses, count, taste.chances)
        if mask[(known - first) // 64] >> np.uint64((known - first) % 64) & np.uint64(1):
            there *= max(chance, 1 - _SURE)
        else:
            lacking *= 1 - min(chance, _SURE)
        if min(there, lacking) < _SMALL:  # a logarithm now and then, before products vanish
            told_there, told_lacking = told_there - np.log(there), told_lacking - np.log(lacking)
            there, lacking = 1.0, 1.0
    return told_there - np.log(there), told_lacking - np.log(lacking)


@kernel
def evidence(
    postings: Postings,
    rows: Rows,
    asked: Asked,
    values: Values,
    taste: Taste,
    start: int,
    end: int,
    picked: Offsets,
    masks: Masks,
    features: Tensor,
) -> None:
    """For tries ``start`` to ``end`` the likeliest candidates (-1: none) and what speaks for them.

    ``values`` are those known, as the table would write them. ``masks`` gets a bit for each known
    rating whose item a candidate has.
    """
    habits = taste.habits
    score = np.zeros(len(postings.sizes), np.float64)
    seen = np.zeros(len(postings.sizes), np.int32)
    touched = np.empty(len(postings.sizes) + 1, np.int32)
    note = np.full(len(taste.means), -1, np.int32)
    weights = np.empty(64 * masks.shape[2], np.float64)
    merit = np.empty(picked.shape[1], np.float64)
    witnesses = np.empty(WITNESSES, np.int32)
    for attempt in range(start, end):
        count = weigh_known(postings, asked, attempt, score, seen, touched)
        found = pick_best(count, touched, score, seen, taste, picked[attempt], merit)
        picked[attempt, found:] = -1
        kind = kindness_known(asked, values, taste.means, attempt)
        note_known(postings, asked, attempt, note, weights)
        n_known = asked.offsets[attempt + 1] - asked.offsets[attempt]
        for at in range(found):
            candidate, mask = picked[attempt, at], masks[attempt, at]
            row, rarest = postings.first[candidate], habits.rarest[candidate]
            size = rows.offsets[row + 1] - rows.offsets[row]
            told, matched = features[attempt, at], seen[candidate] % _AGAINST
            told[0], told[1], told[2] = score[candidate], matched, seen[candidate] // _AGAINST
            told[3], told[4] = habits.log_sizes[candidate], matched / size
            told[5] = size * (n_known - matched) / 1000
            told[6], told[7] = known_in_row(rows, row, note, weights, rarest, mask)
            told[8], told[9] = habits.log_alike[candidate], habits.commonness[candidate]
            told[10] = abs(kind - habits.kindness[candidate])
            told[11], told[12] = surprise(rows, asked, taste, attempt, row, mask, witnesses)
        for at in range(count):
            score[touched[at]] = 0.0
            seen[touched[at]] = 0
        for known in range(asked.offsets[attempt], asked.offsets[attempt + 1]):
            if asked.items[known] >= 0:
                note[asked.items[known]] = -1
