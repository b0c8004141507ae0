"""Kernels that draw made-up people: which items they rate, and what they give."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import Codes, Floats, Indices, Integers, Offsets, Values, Words
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.kernels.layout import put
from recloak.core.kernels.sorting import sort_ascending

_UNIT = 2.0**-53


@inner_kernel
def _next_word(state: Words) -> Any:
    """The next word of xoshiro256++, whose state is keyed for each person by the caller."""
    total = state[0] + state[3]
    result = ((total << np.uint64(23)) | (total >> np.uint64(41))) + state[0]
    shifted = state[1] << np.uint64(17)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = (state[3] << np.uint64(45)) | (state[3] >> np.uint64(19))
    return result


@inner_kernel
def _uniform(state: Words) -> float:
    return (float(_next_word(state) >> np.uint64(11)) + 0.5) * _UNIT


@inner_kernel
def _normal(state: Words) -> float:
    """A standard normal number, by Box and Muller; the second of each pair is not used."""
    size = math.sqrt(-2.0 * math.log(_uniform(state)))
    return size * math.cos(2.0 * math.pi * _uniform(state))


@inner_kernel
def _sift_down(keys: Values, names: Codes, size: int) -> None:
    """Put the root of a heap with the largest key on top in its place."""
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            return
        if child + 1 < size and keys[child + 1] > keys[child]:
            child += 1
        if keys[at] >= keys[child]:
            return
        keys[at], keys[child] = keys[child], keys[at]
        names[at], names[child] = names[child], names[at]
        at = child


@inner_kernel
def _sift_up(keys: Values, names: Codes, at: int) -> None:
    while at > 0:
        parent = (at - 1) // 2
        if keys[parent] >= keys[at]:
            return
        keys[at], keys[parent] = keys[parent], keys[at]
        names[at], names[parent] = names[parent], names[at]
        at = parent


@inner_kernel
def _first_arrivals(weights: Values, state: Words, keys: Values, chosen: Codes) -> None:
    """The items that arrive first, each after an exponential time of its own rate.

    That is to draw items one after the other by weight, without putting back. ``keys`` and
    ``chosen`` are as long as the number wanted, a heap with the latest arrival on top.
    """
    wanted = len(chosen)
    for item in range(len(weights)):
        bits = _next_word(state) >> np.uint64(40)
        if item >= wanted:
            # exp(-t) ≥ 1 - t: most items are seen to be late without a logarithm
            latest = keys[0] * weights[item]
            if np.float32(bits) * np.float32(2.0**-24) > latest:
                continue
        left = 1.0 - (float(bits) + 0.5) * 2.0**-24
        arrival = np.float32(-math.log(left) / weights[item])
        if item < wanted:
            keys[item], chosen[item] = arrival, item
            _sift_up(keys, chosen, item)
        elif arrival < keys[0]:
            keys[0], chosen[0] = arrival, item
            _sift_down(keys, chosen, wanted)


@kernel
def draw_items(
    states: NDArray[np.uint64],
    offsets: Offsets,
    fame: Values,
    directions: Values,
    traits: Values,
    items: Codes,
) -> None:
    """The items of each made-up person, ascending: ``offsets`` says how many.

    Item j has weight exp(fame_j + directions_j · traits of the person). ``directions`` has a row
    for each trait. ``states`` are the keyed generators, which go on from here.
    """
    n_items = len(fame)
    weights = np.empty(n_items, np.float32)
    for person in range(len(offsets) - 1):
        start, end = offsets[person], offsets[person + 1]
        put(fame, weights)
        for trait in range(directions.shape[0]):
            size = traits[person, trait]
            for item in range(n_items):
                weights[item] += size * directions[trait, item]
        for item in range(n_items):
            weights[item] = np.exp(weights[item])
        keys = np.empty(end - start, np.float32)
        chosen = np.empty(end - start, np.int32)
        if end > start:
            _first_arrivals(weights, states[person], keys, chosen)
        sort_ascending(chosen)
        put(chosen, items[start:end])


@kernel
def draw_answers(
    states: NDArray[np.uint64],
    question: Indices,
    fame: Values,
    directions: Values,
    traits: Values,
    answers: NDArray[np.int32],
) -> None:
    """The answer of each made-up respondent to each question: the one that arrives first.

    ``question`` is that of each answer, ascending from 0; ``answers`` gets places in it.
    """
    earliest = np.empty(answers.shape[1])
    for person in range(len(answers)):
        earliest[:] = np.inf
        for answer in range(len(fame)):
            weight = float(fame[answer])
            for trait in range(directions.shape[0]):
                weight += traits[person, trait] * directions[trait, answer]
            arrival = -math.log(_uniform(states[person])) / math.exp(weight)
            if arrival < earliest[question[answer]]:
                earliest[question[answer]] = arrival
                answers[person, question[answer]] = answer


@kernel
def draw_values(
    states: NDArray[np.uint64],
    offsets: Offsets,
    items: Codes,
    effects: Values,
    generosity: Values,
    likes: Values,
    tastes: Values,
    residual: float,
    values: Values,
) -> None:
    """What each person gives: item effect + generosity + likes · taste + a residual."""
    rank = likes.shape[1]
    for person in range(len(offsets) - 1):
        state = states[person]
        for at in range(offsets[person], offsets[person + 1]):
            item = items[at]
            given = effects[item] + generosity[person]
            for trait in range(rank):
                given += likes[item, trait] * tastes[person, trait]
            values[at] = given + residual * _normal(state)


@kernel
def expected_counts(
    fame: Floats, tilts: Floats, degrees: Integers, weights: Floats, counts: Floats
) -> None:
    """Add to ``counts`` the weighted chances that rows with these tilts and degrees hold an item.

    The chance that an item of rate e is among the first d is about 1 − exp(−λ e), with λ such
    that the chances add up to d.
    """
    n_items = len(fame)
    rates = np.empty(n_items)
    for row in range(len(degrees)):
        for item in range(n_items):
            rates[item] = math.exp(fame[item] + tilts[row, item])
        time = degrees[row] / rates.sum()
        for _ in range(60):
            held, slope = 0.0, 0.0
            for item in range(n_items):
                missed = math.exp(-time * rates[item])
                held += 1.0 - missed
                slope += rates[item] * missed
            step = (degrees[row] - held) / max(slope, 1e-300)
            step = min(step, 2.0 * time)
            time += step
            if abs(step) <= 1e-4 * time:
                break
        for item in range(n_items):
            counts[item] += weights[row] * (1.0 - math.exp(-time * rates[item]))
