"""Extremely randomised trees (Geurts, Ernst and Wehenkel 2006): what no weighted sum can tell."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.attacks._tree_kernels import add_tree_shares
from recloak.core.arrays import Floats, Mask, Values
from recloak.core.progress import Task

TREES = 400
TREES_AT_ONCE = 20


class TreeShares(NamedTuple):
    """The mean share of true examples in the leaves where somebody lies, over all trees.

    Of the ``examples`` those trees tell that did not grow on them.
    """

    examples: Floats
    asked: Floats


def tree_shares(
    examples: Floats | Values,
    truth: Mask,
    asked: Floats | Values,
    rng: np.random.Generator,
    task: Task,
    trees: int = TREES,
) -> TreeShares:
    """Learn from ``examples``, a row of features each, and tell of those ``asked``.

    Each node tries as many features as the square root of their number. ``task`` advances by 1.
    Other than in the paper a tree grows on two thirds of the examples: so the examples themselves
    are told what trees say of somebody new.
    """
    seeds = rng.integers(0, 2**64, trees, np.uint64)
    most_tried = max(1, round(examples.shape[1] ** 0.5))
    of_examples, of_asked = np.zeros(len(examples)), np.zeros(len(asked))
    times_left_out = np.zeros(len(examples), np.int64)
    columns, asked_columns = _columns(examples), _columns(asked)
    for start in range(0, trees, TREES_AT_ONCE):
        some = seeds[start : start + TREES_AT_ONCE]
        add_tree_shares(
            columns, truth, asked_columns, some, most_tried, of_examples, times_left_out, of_asked
        )
        task.advance(len(some) / trees)
    return TreeShares(of_examples / np.maximum(times_left_out, 1), of_asked / trees)


def _columns(features: Floats | Values) -> Values:
    """A row for each feature, so that it lies together.

    Single precision makes ties of what differs only by the order in which a machine sums.
    """
    return np.ascontiguousarray(features.T, np.float32)
