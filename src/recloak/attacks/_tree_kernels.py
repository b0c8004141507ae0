"""Kernels of extremely randomised trees: they part examples by random thresholds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Floats, Indices, Integers, Mask, Values, Words
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.kernels.draws import below, between

LEAST_LEAF = 5
NOTHING = -1


class _Tree(NamedTuple):
    """What each node asks, where its first child stands, and which of ``order`` it holds.

    What is at most the threshold belongs to the first child, all else to the second, which stands
    behind it. A leaf asks for the feature `NOTHING`.
    """

    feature: Indices
    threshold: Values
    child: Indices
    first: Indices
    end: Indices
    trues: Indices
    order: Indices


@kernel
def add_tree_shares(
    examples: Values,
    truth: Mask,
    asked: Values,
    seeds: Words,
    most_tried: int,
    of_examples: Floats,
    times_left_out: Integers,
    of_asked: Floats,
) -> None:
    """For each seed grow a tree and add the share of what is true in the leaf where somebody lies.

    ``examples`` and ``asked`` have a row for each feature. A tree grows on two thirds of the
    examples, and of these the others alone are told a share, so that no truth speaks for itself.
    """
    count = examples.shape[1]
    grown_on = 2 * count // 3
    tree, everyone = _room_for_a_tree(grown_on), np.arange(count)
    features, state = np.arange(len(examples)), np.zeros(1, np.uint64)
    for number in range(len(seeds)):
        state[0] = seeds[number]
        _shuffle(features, state)
        _shuffle(everyone, state)
        for at in range(grown_on):
            tree.order[at] = everyone[at]
        _grow(tree, examples, truth, most_tried, features, state)
        for at in range(grown_on, count):
            of_examples[everyone[at]] += _share(tree, examples, everyone[at])
            times_left_out[everyone[at]] += 1
        for place in range(asked.shape[1]):
            of_asked[place] += _share(tree, asked, place)


@inner_kernel
def _shuffle(numbers: Indices, state: Words) -> None:
    """Put the numbers below their count in a random order."""
    for at in range(len(numbers)):
        numbers[at] = at
    for last in range(len(numbers) - 1, 0, -1):
        at = below(state, last + 1)
        numbers[at], numbers[last] = numbers[last], numbers[at]


@inner_kernel
def _room_for_a_tree(count: int) -> _Tree:
    nodes = 2 * (count // LEAST_LEAF) + 1
    return _Tree(
        np.empty(nodes, np.int64),
        np.empty(nodes, np.float32),
        np.empty(nodes, np.int64),
        np.empty(nodes, np.int64),
        np.empty(nodes, np.int64),
        np.empty(nodes, np.int64),
        np.empty(count, np.int64),
    )


@inner_kernel
def _grow(
    tree: _Tree, examples: Values, truth: Mask, most_tried: int, features: Indices, state: Words
) -> None:
    """Split nodes of the examples in ``order``, the oldest first, until all others are leaves."""
    tree.first[0], tree.end[0] = 0, len(tree.order)
    node, nodes = 0, 1
    while node < nodes:
        tree.trues[node] = 0
        for at in range(tree.first[node], tree.end[node]):
            tree.trues[node] += truth[tree.order[at]]
        _choose_question(tree, node, examples, truth, most_tried, features, state)
        if tree.feature[node] != NOTHING:
            middle = _part(tree, node, examples)
            tree.child[node] = nodes
            tree.first[nodes], tree.end[nodes] = tree.first[node], middle
            tree.first[nodes + 1], tree.end[nodes + 1] = middle, tree.end[node]
            nodes += 2
        node += 1


@inner_kernel
def _choose_question(
    tree: _Tree,
    node: int,
    examples: Values,
    truth: Mask,
    most_tried: int,
    features: Indices,
    state: Words,
) -> None:
    """Of a few features with a random threshold each, the one that parts truths best, by Gini."""
    first, end, trues = tree.first[node], tree.end[node], tree.trues[node]
    tree.feature[node], best = NOTHING, -1.0
    untried, tries = len(features), 0
    if end - first < 2 * LEAST_LEAF or trues == 0 or trues == end - first:
        return
    while untried > 0 and tries < most_tried:
        at = below(state, untried)
        untried -= 1
        features[at], features[untried] = features[untried], features[at]
        feature = features[untried]
        low, high = _range(tree, node, examples, feature)
        if low == high:  # says nothing here, and is not counted as tried
            continue
        tries += 1
        threshold = np.float32(between(state, low, high))
        held, true = _at_most(tree, node, examples, truth, feature, threshold)
        if min(held, end - first - held) >= LEAST_LEAF:
            purity = _purity(true, held) + _purity(trues - true, end - first - held)
            if purity > best:
                best, tree.feature[node], tree.threshold[node] = purity, feature, threshold


@inner_kernel
def _range(tree: _Tree, node: int, examples: Values, feature: int) -> tuple[float, float]:
    """The least and the most that the feature is within the node."""
    low = high = examples[feature, tree.order[tree.first[node]]]
    for place in range(tree.first[node] + 1, tree.end[node]):
        value = examples[feature, tree.order[place]]
        low, high = min(low, value), max(high, value)
    return low, high


@inner_kernel
def _at_most(
    tree: _Tree, node: int, examples: Values, truth: Mask, feature: int, threshold: np.float32
) -> tuple[int, int]:
    """How many examples of the node have at most the threshold, and how many of them are true."""
    held, true = 0, 0
    for place in range(tree.first[node], tree.end[node]):
        example = tree.order[place]
        if examples[feature, example] <= threshold:
            held += 1
            true += truth[example]
    return held, true


@inner_kernel
def _purity(trues: int, count: int) -> float:
    """What Gini's impurity lacks of its most, times the count."""
    return (trues * trues + (count - trues) * (count - trues)) / count


@inner_kernel
def _part(tree: _Tree, node: int, examples: Values) -> int:
    """Put those at most the threshold first; where the others begin."""
    feature, threshold = tree.feature[node], tree.threshold[node]
    at, behind = tree.first[node], tree.end[node]
    while at < behind:
        example = tree.order[at]
        if examples[feature, example] <= threshold:
            at += 1
        else:
            behind -= 1
            tree.order[at], tree.order[behind] = tree.order[behind], example
    return int(at)


@inner_kernel
def _share(tree: _Tree, columns: Values, place: int) -> float:
    """The share of true examples in the leaf where somebody lies."""
    node = 0
    while tree.feature[node] != NOTHING:
        above = columns[tree.feature[node], place] > tree.threshold[node]
        node = tree.child[node] + above
    return float(tree.trues[node] / max(tree.end[node] - tree.first[node], 1))
