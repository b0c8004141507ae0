"""Folding in: what people would rate who were not there when the factors of items were learnt."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Codes, Offsets, Values
from recloak.core.kernels import kernel
from recloak.core.parallel import in_threads, row_blocks
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.methods._linear_kernels import cholesky, solve
from recloak.recommenders.factorization import Factorization

RATINGS_PER_BLOCK = 500_000


class LearntItems(NamedTuple):
    """What was learnt of items: the mean with each item's bias, and factors.

    ``penalties`` are those of a person's factors and of their bias, for each rating of theirs.
    """

    base: Values
    factors: Values
    penalties: tuple[float, float]

    @classmethod
    def of(cls, model: Factorization, sample: Ratings) -> LearntItems:
        """As the model learnt them from the sample, in whose deviations its penalties are meant."""
        given = model.parameters
        deviation = float(np.std(sample.values, dtype=np.float64))
        base = (model.item_bias + np.float32(model.mean)).astype(np.float32)
        penalties = (max(given.regularization * deviation, 1e-6), given.bias_regularization)
        return cls(base, model.item_factors, penalties)


class LearntUsers(NamedTuple):
    """The bias and the factors of each person."""

    bias: Values
    factors: Values


@kernel
def fold_in(
    first: int,
    end: int,
    offsets: Offsets,
    items: Codes,
    values: Values,
    learnt: LearntItems,
    users: LearntUsers,
) -> None:
    """The bias and factors of the people first..end that fit their ratings best.

    They minimise the squared errors, plus the penalties times the squares of factors and bias.
    """
    rank = learnt.factors.shape[1]
    matrix, right = np.empty((rank + 1, rank + 1)), np.empty(rank + 1)
    item = np.ones(rank + 1)
    for user in range(first, end):
        count = max(offsets[user + 1] - offsets[user], 1)
        matrix[:] = 0.0
        right[:] = 0.0
        for row in range(rank):
            matrix[row, row] = learnt.penalties[0] * count
        matrix[rank, rank] = learnt.penalties[1] * count + 1e-6
        for at in range(offsets[user], offsets[user + 1]):
            gap = np.float64(values[at]) - learnt.base[items[at]]
            for row in range(rank):
                item[row] = learnt.factors[items[at], row]
            for row in range(rank + 1):
                right[row] += item[row] * gap
                for column in range(row + 1):
                    matrix[row, column] += item[row] * item[column]
        cholesky(matrix)
        solve(matrix, right)
        for row in range(rank):
            users.factors[user, row] = right[row]
        users.bias[user] = right[rank]


def folded(ratings: Ratings, learnt: LearntItems, progress: Progress = SILENT) -> LearntUsers:
    """What each person's own ratings say of them; nobody else's count."""
    count, rank = ratings.n_users, learnt.factors.shape[1]
    users = LearntUsers(np.empty(count, np.float32), np.empty((count, rank), np.float32))
    given = (ratings.offsets, ratings.items, ratings.values, learnt, users)
    blocks = row_blocks(ratings.offsets, RATINGS_PER_BLOCK)
    with progress.task("Folding people in", len(blocks)) as task:
        in_threads(lambda first, end: fold_in(first, end, *given), blocks, task)
    return users
