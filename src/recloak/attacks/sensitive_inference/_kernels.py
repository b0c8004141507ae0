"""Kernel that weighs the rows of a survey by how near they are to what is known of a person."""

from __future__ import annotations

from recloak.attacks._answer_distances import distance
from recloak.core.arrays import Floats, Levels
from recloak.core.kernels import kernel


@kernel
def weigh_rows(
    first: int,
    end: int,
    queries: Levels,
    known: Levels,
    hidden: Levels,
    apart: int,
    weights: Floats,
    votes: Floats,
) -> None:
    """Add to ``votes`` of the people first..end what all rows answer, the nearest most.

    ``weights`` has a line for each way to weigh, and a column for each distance beyond that of
    the nearest row; farther rows weigh nothing. ``votes`` has a count for each person, way,
    sensitive issue and level.
    """
    most = apart * queries.shape[1]
    beyond = weights.shape[1]
    for person in range(first, end):
        least = most
        for row in range(len(known)):
            least = min(least, distance(queries[person], known, row, apart, least))
        for row in range(len(known)):
            farther = distance(queries[person], known, row, apart, least + beyond) - least
            if farther < beyond:
                for issue in range(hidden.shape[1]):
                    level = hidden[row, issue]
                    if level >= 0:
                        for way in range(len(weights)):
                            votes[person, way, issue, level] += weights[way, farther]
