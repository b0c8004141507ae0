"""Kernels that compute features of pairs of rows and find the best partners of a row.

Tests compare them with plain loops in tests/attacks/test_row_pair_kernels.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.attacks._postings import RowArrays
from recloak.core.arrays import Codes, Floats, Offsets, Values
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.kernels.sorting import sort_ascending

_SHRINK = 3.0
_FEW = 10.0
_SECONDS = 86_400.0


class RowTraits(NamedTuple):
    """What is compared: of each row its numbers (see `row_traits`), rarest item and direction.

    ``factors`` are the publisher's features of the items; none has any if they are not known. Then
    ``gaps`` tells how far each item lies from each of a sample, ``region_weights`` how much each of
    the sample counts among what a row around the item would hold; without them they are empty too.
    """

    numbers: Floats
    rarest: Codes
    directions: Values
    times: Offsets
    factors: Values
    gaps: Values
    region_weights: Values


@kernel
def row_traits(
    rows: RowArrays, values: Values, support: Offsets, means: Floats, vectors: Values
) -> tuple[Floats, Codes, Values, Offsets]:
    """Of each row: log size, bias, how common its items are, how common the rarest and the
    second rarest, its mean time in days, and the root of its size; its rarest item; where it lies;
    and all times, which ascend within a row.

    A row lies where its items do on average, and, beside that, where those do that it rates higher
    than others.
    """
    n_rows = len(rows.offsets) - 1
    numbers = np.zeros((n_rows, 7), np.float64)
    times = rows.times.copy()
    rarest = np.full(n_rows, -1, np.int32)
    width = vectors.shape[1]
    places = np.zeros((n_rows, 2 * width), np.float32)
    for row in range(n_rows):
        start, end = rows.offsets[row], rows.offsets[row + 1]
        least, second, features = np.inf, np.inf, numbers[row]
        for at in range(start, end):
            item = rows.items[at]
            common = np.log(support[item])
            liked = np.float32(values[at] - means[item])
            features[1] += liked / (end - start + _SHRINK)
            features[2] += common / (end - start)
            if common < least:
                rarest[row], least, second = item, common, least
            elif common < second:
                second = common
            for dimension in range(width):
                places[row, dimension] += vectors[item, dimension]
                places[row, width + dimension] += liked * vectors[item, dimension]
        features[0], features[3], features[4] = np.log(max(end - start, 1)), least, second
        features[6] = np.exp(features[0] / 2)
        places[row] /= np.float32(end - start + _FEW)
        if len(rows.times) and end > start:
            sort_ascending(times[start:end])
            features[5] = times[start:end].mean() / _SECONDS
    return numbers, rarest, places, times


@inner_kernel
def distance(factors: Values, one: int, other: int) -> float:
    """The squared distance of two items' features."""
    total = np.float32(0)
    for dimension in range(factors.shape[1]):
        gap = factors[one, dimension] - factors[other, dimension]
        total += gap * gap
    return float(total)


@kernel
def gaps_to(factors: Values, sample: Codes, out: Values) -> None:
    """How far each item lies from each of a sample."""
    for item in range(len(factors)):
        for at in range(len(sample)):
            out[item, at] = distance(factors, item, sample[at])


@inner_kernel
def lost_share(gaps: Values, region_weights: Values, mine: int, theirs: int) -> float:
    """Of what a row around ``mine`` would hold, the share that lies nearer to ``theirs``."""
    lost = np.float32(0)
    for at in range(gaps.shape[1]):
        if gaps[theirs, at] < gaps[mine, at]:
            lost += region_weights[mine, at]
    return float(lost)


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
def misplaced(rows: RowArrays, traits: RowTraits, one: int, other: int, enough: int) -> int:
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
def surprise(rows: RowArrays, traits: RowTraits, one: int, other: int) -> float:
    """How unlikely none of a row's items would lie nearer to another's rarest item, if the two had
    nothing to do with each other: the logarithm. For rows of one person it is certain.
    """
    mine, theirs = traits.rarest[one], traits.rarest[other]
    lost = min(lost_share(traits.gaps, traits.region_weights, mine, theirs), _MOST_LOST)
    return float(-np.log(1 - lost) * (rows.offsets[one + 1] - rows.offsets[one] - 1))


@inner_kernel
def nearest_times(rows: RowArrays, times: Offsets, one: int, other: int) -> float:
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
def likeness(directions: Values, one: int, other: int) -> float:
    """The product of two rows' directions."""
    alike = 0.0
    for dimension in range(directions.shape[1]):
        alike += directions[one, dimension] * directions[other, dimension]
    return alike


@inner_kernel
def centroid_slack(numbers: Floats, one: int, other: int) -> float:
    """How much more common the second rarest items of two rows are than their rarest; below 0 the
    centroids contradict each other.
    """
    return float(min(numbers[one, 4], numbers[other, 4]) - max(numbers[one, 3], numbers[other, 3]))


@inner_kernel
def describe_pair(numbers: Floats, one: int, other: int, alike: float, features: Floats) -> None:
    """The features of a pair that follow from the numbers of its rows, which are so much alike."""
    mine, theirs = numbers[one, 0], numbers[other, 0]
    smaller = min(mine, theirs)
    slack = centroid_slack(numbers, one, other)
    bias, root = abs(numbers[one, 1] - numbers[other, 1]), min(numbers[one, 6], numbers[other, 6])
    features[0], features[1] = bias, bias * root
    features[2], features[3], features[4] = mine + theirs, mine * theirs, smaller
    features[5], features[6] = alike, alike * smaller
    features[7] = abs(numbers[one, 2] - numbers[other, 2])
    features[8] = abs(numbers[one, 3] - numbers[other, 3])
    surely = alike * root
    features[13], features[14] = surely, surely * abs(surely)
    features[VIOLATES] = slack < 0
    features[10] = min(max(slack, -_FARTHEST), _FARTHEST)
    apart = abs(numbers[one, 5] - numbers[other, 5])
    features[12] = np.log1p(apart) if apart > 0 else 0.0


@inner_kernel
def describe_closely(
    rows: RowArrays, traits: RowTraits, one: int, other: int, features: Floats
) -> None:
    """The features of a pair that need all ratings of both rows."""
    if len(traits.times) > 0:
        features[_NEAREST_TIMES] = np.log1p(nearest_times(rows, traits.times, one, other))
    if traits.factors.shape[1] > 0:
        sizes = rows.offsets[one + 1] - rows.offsets[one] + rows.offsets[other + 1]
        sizes -= rows.offsets[other]
        wrong = misplaced(rows, traits, one, other, sizes)
        wrong += misplaced(rows, traits, other, one, sizes)
        features[MISPLACED], features[MISPLACED + 1] = wrong / max(sizes, 1), wrong > 0
        features[MISPLACED + 2 : MISPLACED + KNOWN_FACTORS] = 0
        if wrong == 0:
            odd = surprise(rows, traits, one, other) + surprise(rows, traits, other, one)
            features[MISPLACED + 2], features[MISPLACED + 3] = odd, min(odd, _PLAIN)
            features[MISPLACED + 4] = np.log1p(odd)


@kernel
def describe_pairs(
    rows: RowArrays, traits: RowTraits, ones: Offsets, others: Offsets, out: Floats
) -> None:
    """The features of each pair."""
    for pair in range(len(ones)):
        alike = likeness(traits.directions, ones[pair], others[pair])
        describe_pair(traits.numbers, ones[pair], others[pair], alike, out[pair])
        describe_closely(rows, traits, ones[pair], others[pair], out[pair])


@inner_kernel
def common_item(rows: RowArrays, one: int, other: int) -> bool:
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


@inner_kernel
def weighed(features: Floats, slopes: Floats) -> float:
    """The sum of features, each with its slope."""
    total = 0.0
    for at in range(len(slopes)):
        total += features[at] * slopes[at]
    return total


@kernel
def best_partners(
    rows: RowArrays,
    traits: RowTraits,
    slopes: Floats,
    never_violates: bool,
    never_misplaced: bool,
    queries: Offsets,
    alike: Values,
    found: Offsets,
    odds: Floats,
) -> None:
    """For the rows ``queries`` those that fit best and share no item, best first, with their odds.

    ``alike`` are the products of their directions with those of all rows.

    With ``never_violates`` rows whose centroids contradict each other do not fit; with
    ``never_misplaced``, nor do
    rows of which an item lies nearer to the other's rarest item.
    """
    features = np.zeros(len(slopes), np.float64)
    most, numbers, rarest = found.shape[1], traits.numbers, traits.rarest
    knows = traits.factors.shape[1] > 0
    could_add = max(slopes[_NEAREST_TIMES], 0.0) * _LONGEST + _SLACK
    for at in range(len(queries)):
        one, count = queries[at], 0
        for other in range(len(rarest)):
            if other == one or rarest[other] < 0:
                continue
            if never_violates and centroid_slack(numbers, one, other) < 0:
                continue
            features[:] = 0
            describe_pair(numbers, one, other, alike[at, other], features)
            worth = weighed(features, slopes)
            full = count == most
            if full and not knows and worth + could_add < odds[at, most - 1]:
                continue
            if never_misplaced and (
                misplaced(rows, traits, one, other, 1) or misplaced(rows, traits, other, one, 1)
            ):
                continue
            if knows or len(traits.times) > 0:
                describe_closely(rows, traits, one, other, features)
                worth = weighed(features, slopes)
            if full and worth <= odds[at, most - 1]:
                continue
            if common_item(rows, one, other):
                continue
            rank_in(found[at], odds[at], min(count, most - 1), other, worth)
            count += count < most
