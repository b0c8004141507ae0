"""Kernels on collections of sets, each a row of bits: the smallest ones, and what hits them all."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Mask, Words
from recloak.core.kernels import inner_kernel


@inner_kernel
def contains(whole: Words, part: Words) -> bool:
    """Is every bit of ``part`` set in ``whole``?"""
    missing = False
    for word in range(len(whole)):
        missing |= (part[word] & ~whole[word]) != 0
    return not missing


@inner_kernel
def covered(sets: Words, count: int, chosen: Words) -> bool:
    """Does one of the first ``count`` sets lie within ``chosen``?"""
    at = 0
    while at < count and not contains(chosen, sets[at]):
        at += 1
    return at < count


@inner_kernel
def copy_words(source: Words, to: Words) -> None:
    """Copy one set over another."""
    for word in range(len(source)):
        to[word] = source[word]


@inner_kernel
def append(sets: Words, count: int, chosen: Words) -> Words:
    """The sets with one more, in more room if needed."""
    if count == len(sets):
        grown = np.zeros((2 * count + 4, sets.shape[1]), np.uint64)
        for at in range(count):
            copy_words(sets[at], grown[at])
        sets = grown
    copy_words(chosen, sets[count])
    return sets


@inner_kernel
def smallest(sets: Words, count: int) -> Words:
    """The sets that hold no other; of equal ones the first."""
    kept = np.zeros((count, sets.shape[1]), np.uint64)
    n_kept = 0
    for at in range(count):
        least = True
        for other in range(count):
            inside = other != at and contains(sets[at], sets[other])
            if inside and (other < at or not contains(sets[other], sets[at])):
                least = False
                break
        if least:
            copy_words(sets[at], kept[n_kept])
            n_kept += 1
    return kept[:n_kept]


@inner_kernel
def hitting_places(sets: Words, costs_little: Mask) -> Mask:
    """Places that hit every set, greedily: most open sets first, cheap places before all others.

    Scores are whole numbers: a cheap place weighs 1 / (sets + 1), any other 1. Ties go to the
    smaller place.
    """
    hit = np.zeros(len(costs_little), np.bool_)
    is_open = np.ones(len(sets), np.bool_)
    left = len(sets)
    while left > 0:
        best, most = 0, -1
        for place in range(len(hit)):
            flag, score = np.uint64(1) << np.uint64(place & 63), 0
            for at in range(len(sets)):
                score += is_open[at] and sets[at, place >> 6] & flag != 0
            if costs_little[place]:
                score *= len(sets) + 1
            if score > most:
                best, most = place, score
        hit[best] = True
        for at in range(len(sets)):
            if is_open[at] and sets[at, best >> 6] & (np.uint64(1) << np.uint64(best & 63)):
                is_open[at] = False
                left -= 1
    return hit
