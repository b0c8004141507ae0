"""Kernels that compare two rows: could they be one person's, and which row fits another best?"""

from __future__ import annotations

import numpy as np

from recloak.kernels import inner_kernel, kernel
from recloak.kernels.postings import Floats, Offsets, Rows
from recloak.kernels.row_traits import Traits, distance, lost_share

PAIR = 15
VIOLATES = 9  # where the features say that the centroids contradict each other
_FARTHEST = 5.0
_NEAREST_TIMES = 11
MISPLACED = PAIR  # and those after it, if the publisher's features are known
KNOWN_FACTORS = 5
_MOST_LOST = 0.999
_PLAIN = 6.0  # a surprise beyond which more of it tells less
_LONGEST = 50.0  # logarithm of seconds: above that of any two times
_SLACK = 1e-9  # what another order of summation may change


@inner_kernel
def misplaced(rows: Rows, traits: Traits, one: int, other: int, enough: int) -> int:
    """How many items of a row lie nearer to another row's rarest item than to its own; no more
    than ``enough`` are counted.
    """
    mine, theirs, count = traits.rarest[one], traits.rarest[other], 0
    for at in range(rows.offsets[one], rows.offsets[one + 1]):
        item = rows.items[at]
        if item != mine:
            near = distance(traits.factors, item, theirs) < distance(traits.factors, item, mine)
            count += near
            if count == enough:
                break
    return count


@inner_kernel
def surprise(rows: Rows, traits: Traits, one: int, other: int) -> float:
    """How unlikely none of a row's items would lie nearer to another's rarest item, if the two had
    nothing to do with each other: the logarithm. For rows of one person it is certain.
    """
    mine, theirs = traits.rarest[one], traits.rarest[other]
    lost = min(lost_share(traits.gaps, traits.holds, mine, theirs), _MOST_LOST)
    return float(-np.log(1 - lost) * (rows.offsets[one + 1] - rows.offsets[one] - 1))


@inner_kernel
def nearest_times(rows: Rows, times: Offsets, one: int, other: int) -> float:
    """How many seconds lie between the two times of two rows that are nearest."""
    here, there, least = rows.offsets[one], rows.offsets[other], np.inf
    while here < rows.offsets[one + 1] and there < rows.offsets[other + 1]:
        least = min(least, abs(times[here] - times[there]))
        if times[here] < times[there]:
            here += 1
        else:
            there += 1
    return float(least)


@inner_kernel
def describe_pair(traits: Traits, one: int, other: int, told: Floats) -> None:
    """What speaks for two rows being one person's, as far as a glance tells."""
    mine, theirs = traits.numbers[one], traits.numbers[other]
    size, smaller = mine[0] + theirs[0], min(mine[0], theirs[0])
    alike = 0.0
    for dimension in range(traits.directions.shape[1]):
        alike += traits.directions[one, dimension] * traits.directions[other, dimension]
    slack = min(mine[4], theirs[4]) - max(mine[3], theirs[3])
    kind = abs(mine[1] - theirs[1])
    told[0], told[1] = kind, kind * np.exp(smaller / 2)
    told[2], told[3], told[4] = size, mine[0] * theirs[0], smaller
    told[5], told[6] = alike, alike * smaller
    told[7], told[8] = abs(mine[2] - theirs[2]), abs(mine[3] - theirs[3])
    surely = alike * np.exp(smaller / 2)
    told[13], told[14] = surely, surely * abs(surely)
    told[VIOLATES] = slack < 0
    told[10] = min(max(slack, -_FARTHEST), _FARTHEST)
    told[12] = np.log1p(abs(mine[5] - theirs[5]))


@inner_kernel
def describe_closely(rows: Rows, traits: Traits, one: int, other: int, told: Floats) -> None:
    """What else speaks for it, for which all ratings of both rows must be looked at."""
    if len(traits.times) > 0:
        told[_NEAREST_TIMES] = np.log1p(nearest_times(rows, traits.times, one, other))
    if traits.factors.shape[1] > 0:
        sizes = rows.offsets[one + 1] - rows.offsets[one] + rows.offsets[other + 1]
        sizes -= rows.offsets[other]
        wrong = misplaced(rows, traits, one, other, sizes)
        wrong += misplaced(rows, traits, other, one, sizes)
        told[MISPLACED], told[MISPLACED + 1] = wrong / max(sizes, 1), wrong > 0
        told[MISPLACED + 2 : MISPLACED + KNOWN_FACTORS] = 0
        if wrong == 0:
            odd = surprise(rows, traits, one, other) + surprise(rows, traits, other, one)
            told[MISPLACED + 2], told[MISPLACED + 3] = odd, min(odd, _PLAIN)
            told[MISPLACED + 4] = np.log1p(odd)


@kernel
def describe_pairs(rows: Rows, traits: Traits, ones: Offsets, others: Offsets, out: Floats) -> None:
    """The features of each pair."""
    for pair in range(len(ones)):
        describe_pair(traits, ones[pair], others[pair], out[pair])
        describe_closely(rows, traits, ones[pair], others[pair], out[pair])


@inner_kernel
def common_item(rows: Rows, one: int, other: int) -> bool:
    """Do two rows share an item?"""
    here, there = rows.offsets[one], rows.offsets[other]
    while here < rows.offsets[one + 1] and there < rows.offsets[other + 1]:
        if rows.items[here] == rows.items[there]:
            return True
        if rows.items[here] < rows.items[there]:
            here += 1
        else:
            there += 1
    return False


@inner_kernel
def rank_in(found: Offsets, odds: Floats, place: int, row: int, worth: float) -> None:
    """Put a row where it belongs among those found, best first; what stood at ``place`` goes."""
    while place > 0 and odds[place - 1] < worth:
        odds[place], found[place] = odds[place - 1], found[place - 1]
        place -= 1
    odds[place], found[place] = worth, row


@kernel
def best_partners(
    rows: Rows,
    traits: Traits,
    slopes: Floats,
    strict: bool,
    apart: bool,
    asked: Offsets,
    start: int,
    end: int,
    found: Offsets,
    odds: Floats,
) -> None:
    """For the rows ``asked`` those that fit best and share no item, best first, with their odds.

    With ``strict`` rows whose centroids contradict each other do not fit; with ``apart``, nor do
    rows of which an item lies nearer to the other's rarest item.
    """
    told = np.zeros(len(slopes), np.float64)
    most = found.shape[1]
    knows = traits.factors.shape[1] > 0
    could_add = max(slopes[_NEAREST_TIMES], 0.0) * _LONGEST + _SLACK
    for at in range(start, end):
        one, count = asked[at], 0
        for other in range(len(traits.rarest)):
            if other == one or traits.rarest[other] < 0:
                continue
            told[:] = 0
            describe_pair(traits, one, other, told)
            if strict and told[VIOLATES] > 0:
                continue
            worth = (told * slopes).sum()
            full = count == most
            if full and not knows and worth + could_add < odds[at, most - 1]:
                continue
            if apart and (
                misplaced(rows, traits, one, other, 1) or misplaced(rows, traits, other, one, 1)
            ):
                continue
            if knows or len(traits.times) > 0:
                describe_closely(rows, traits, one, other, told)
                worth = (told * slopes).sum()
            if full and worth <= odds[at, most - 1]:
                continue
            if common_item(rows, one, other):
                continue
            rank_in(found[at], odds[at], min(count, most - 1), other, worth)
            count += count < most
