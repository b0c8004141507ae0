"""Kernels that shortlist rows for each try and compute the features of each shortlisted row.

Tests compare them with plain loops in tests/attacks/scoreboard_multi/test_kernels.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.attacks._co_occurrence import (
    SAMPLED_ITEMS,
    Chances,
    surprise,
)
from recloak.attacks._postings import CANDIDATE, KnownRatings, Postings, RowArrays, matching_range
from recloak.core.arrays import Codes, Floats, Offsets, Values, Words
from recloak.core.kernels import inner_kernel, kernel

EVIDENCE = 13
_AGAINST = 1 << 16  # one number counts matches, and above this bit contradictions
_SIZE_PENALTY = 0.5
_SHRINK = 3.0


class CandidateTraits(NamedTuple):
    """Traits of each candidate that do not depend on the target.

    The logarithms of its number of ratings and of identical rows, its bias (by how much its
    ratings lie above those of others), how common its items are, and its rarest item.
    """

    log_sizes: Floats
    log_alike: Floats
    bias: Floats
    commonness: Floats
    rarest: Codes


class TableStatistics(NamedTuple):
    """The mean rating of each item in the table, and the traits of its candidates.

    ``chances`` says of two items (by their ``place``, -1: not known) how often they stand in one
    row if one person has both, ``contradiction_cost`` how much a contradicted rating counts against
    a row.
    """

    means: Floats
    traits: CandidateTraits
    place: Codes
    chances: Chances
    contradiction_cost: float


@inner_kernel
def rarity(postings: Postings, knowledge: KnownRatings, known: int) -> tuple[int, int, float]:
    """Where the postings that match a known rating stand, and how much a match tells."""
    low, high = matching_range(
        postings, knowledge.items[known], knowledge.lows[known], knowledge.highs[known]
    )
    return low, high, np.log((len(postings.candidate_of) + 1) / max(high - low, 1))


@inner_kernel
def contradict(keys: Offsets, seen: Codes) -> None:
    """Count a contradiction for those that match anything."""
    for key in keys:
        candidate = key & CANDIDATE
        seen[candidate] += _AGAINST * (seen[candidate] != 0)


@inner_kernel
def weigh_known(
    postings: Postings,
    knowledge: KnownRatings,
    attempt: int,
    score: Floats,
    seen: Codes,
    touched: Codes,
) -> int:
    """Score what matches anything known by how rare the match is; how many are touched."""
    count = 0
    for known in range(knowledge.offsets[attempt], knowledge.offsets[attempt + 1]):
        low, high, weight = rarity(postings, knowledge, known)
        for at in range(low, high):
            candidate = postings.keys[at] & CANDIDATE
            touched[count] = candidate
            count += seen[candidate] == 0
            seen[candidate] += 1
            score[candidate] += weight
    for known in range(knowledge.offsets[attempt], knowledge.offsets[attempt + 1]):
        item = knowledge.items[known]
        if item >= 0:
            low, high, _ = rarity(postings, knowledge, known)
            contradict(postings.keys[postings.offsets[item] : low], seen)
            contradict(postings.keys[high : postings.offsets[item + 1]], seen)
    return count


@inner_kernel
def pick_best(
    count: int,
    touched: Codes,
    score: Floats,
    seen: Codes,
    statistics: TableStatistics,
    picked: Offsets,
    merit: Floats,
) -> int:
    """The touched candidates of most merit, best first; how many."""
    best = 0
    for at in range(count):
        candidate = touched[at]
        worth = score[candidate] - _SIZE_PENALTY * statistics.traits.log_sizes[candidate]
        worth -= statistics.contradiction_cost * (seen[candidate] // _AGAINST)
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
def known_bias(knowledge: KnownRatings, values: Values, means: Floats, attempt: int) -> float:
    """By how much the known ratings lie above those of others."""
    bias, first, last = 0.0, knowledge.offsets[attempt], knowledge.offsets[attempt + 1]
    for known in range(first, last):
        if knowledge.items[known] >= 0:
            bias += values[known] - means[knowledge.items[known]]
    return float(bias / (last - first + _SHRINK))


@kernel
def describe_rows(
    chosen: Offsets,
    rows: RowArrays,
    values: Values,
    support: Offsets,
    means: Floats,
    traits: CandidateTraits,
) -> None:
    """Fill in bias, commonness and rarest item of candidates; an empty row has none."""
    for candidate in range(len(chosen)):
        start, end = rows.offsets[chosen[candidate]], rows.offsets[chosen[candidate] + 1]
        if start == end:
            continue
        bias, common, rarest = 0.0, 0.0, rows.items[start]
        for at in range(start, end):
            item = rows.items[at]
            if support[item] < support[rarest]:
                rarest = item
            bias += values[at] - means[item]
            common += np.log(support[item])
        traits.bias[candidate] = bias / (end - start + _SHRINK)
        traits.commonness[candidate] = common / (end - start)
        traits.rarest[candidate] = rarest


@inner_kernel
def index_known(
    postings: Postings, knowledge: KnownRatings, attempt: int, known_at: Codes, weights: Floats
) -> None:
    """Write for each item which of the known ratings it is, and how much a match tells."""
    first = knowledge.offsets[attempt]
    for known in range(first, knowledge.offsets[attempt + 1]):
        weights[known - first] = rarity(postings, knowledge, known)[2]
        if knowledge.items[known] >= 0:
            known_at[knowledge.items[known]] = known - first


@inner_kernel
def known_in_row(
    rows: RowArrays, row: int, known_at: Codes, weights: Floats, rarest: int, mask: Words
) -> tuple[float, float]:
    """Sets a bit of ``mask`` for each known item in a row; the rarest match, and whether the row's
    rarest item is among them.
    """
    most = 0.0
    for at in range(rows.offsets[row], rows.offsets[row + 1]):
        known = known_at[rows.items[at]]
        if known >= 0:
            most = max(most, weights[known])
            mask[known // 64] |= np.uint64(1) << np.uint64(known % 64)
    return most, 1.0 if known_at[rarest] >= 0 else 0.0


@kernel
def evidence(
    postings: Postings,
    rows: RowArrays,
    knowledge: KnownRatings,
    values: Values,
    statistics: TableStatistics,
    start: int,
    end: int,
    picked: Offsets,
    masks: Words,
    features: Floats,
) -> None:
    """For tries ``start`` to ``end`` the likeliest candidates (-1: none) and their features.

    ``values`` are those known, as the table would write them. ``masks`` gets a bit for each known
    rating whose item a candidate has.
    """
    traits = statistics.traits
    score = np.zeros(len(postings.sizes), np.float64)
    seen = np.zeros(len(postings.sizes), np.int32)
    touched = np.empty(len(postings.sizes) + 1, np.int32)
    known_at = np.full(len(statistics.means), -1, np.int32)
    weights = np.empty(64 * masks.shape[2], np.float64)
    merit = np.empty(picked.shape[1], np.float64)
    sampled = np.empty(SAMPLED_ITEMS, np.int32)
    for attempt in range(start, end):
        count = weigh_known(postings, knowledge, attempt, score, seen, touched)
        found = pick_best(count, touched, score, seen, statistics, picked[attempt], merit)
        picked[attempt, found:] = -1
        bias = known_bias(knowledge, values, statistics.means, attempt)
        index_known(postings, knowledge, attempt, known_at, weights)
        known_items = knowledge.items[knowledge.offsets[attempt] : knowledge.offsets[attempt + 1]]
        n_known = len(known_items)
        for at in range(found):
            candidate, mask = picked[attempt, at], masks[attempt, at]
            row, rarest = postings.first[candidate], traits.rarest[candidate]
            size = rows.offsets[row + 1] - rows.offsets[row]
            line, matched = features[attempt, at], seen[candidate] % _AGAINST
            line[0], line[1], line[2] = score[candidate], matched, seen[candidate] // _AGAINST
            line[3], line[4] = traits.log_sizes[candidate], matched / size
            line[5] = size * (n_known - matched) / 1000
            line[6], line[7] = known_in_row(rows, row, known_at, weights, rarest, mask)
            line[8], line[9] = traits.log_alike[candidate], traits.commonness[candidate]
            line[10] = abs(bias - traits.bias[candidate])
            line[11], line[12] = surprise(
                rows, row, known_items, mask, statistics.place, statistics.chances, sampled
            )
        for at in range(count):
            score[touched[at]] = 0.0
            seen[touched[at]] = 0
        for known in range(knowledge.offsets[attempt], knowledge.offsets[attempt + 1]):
            if knowledge.items[known] >= 0:
                known_at[knowledge.items[known]] = -1
