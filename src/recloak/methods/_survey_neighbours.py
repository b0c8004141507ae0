"""Neighbourhoods of respondents: who is near whom, and who is deleted until all have enough."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Codes, Indices, Levels, Mask
from recloak.core.parallel import in_threads
from recloak.core.progress import Progress
from recloak.methods._survey_neighbour_kernels import (
    branch_ends,
    delete_lacking,
    gather,
    mark_lacking,
)

CLASSES_PER_BLOCK = 4096
_WORD = 63


class AnswerClasses(NamedTuple):
    """Respondents with equal answers, in the order of the answers.

    The records of class c are ``order[starts[c]:starts[c + 1]]``; ``total[c]`` holds the number of
    records in its neighbourhood, then number, sum and sum of squares of each sensitive issue.
    """

    columns: Levels
    ends: Codes
    order: Indices
    starts: Indices
    total: Indices

    @classmethod
    def of(
        cls, cells: Levels, hidden: Levels, r: int, width: int, progress: Progress
    ) -> AnswerClasses:
        """The classes of these records, their neighbourhoods looked up on all cores."""
        order = _in_order(cells, r)
        ranked = cells[order]
        fresh = np.ones(len(ranked), dtype=np.bool_)
        fresh[1:] = (ranked[1:] != ranked[:-1]).any(axis=1)
        firsts = np.flatnonzero(fresh)
        columns = np.ascontiguousarray(ranked[firsts].T)
        ends, sums = branch_ends(columns), _sums(hidden[order], firsts)
        total = np.zeros_like(sums)
        count = len(firsts)
        blocks = [
            (first, min(first + CLASSES_PER_BLOCK, count))
            for first in range(0, count, CLASSES_PER_BLOCK)
        ]
        with progress.task("Looking for neighbours", len(blocks)) as task:
            in_threads(
                lambda first, last: gather(first, last, columns, ends, width, r, sums, total),
                blocks,
                task,
            )
        return cls(columns, ends, order, np.append(firsts, len(ranked)), total)


def in_lacking_neighbourhoods(
    cells: Levels, hidden: Levels, r: int, k: int, width: int, least: float, progress: Progress
) -> Mask:
    """The records that stand in a neighbourhood of fewer than k or without deviation."""
    found = AnswerClasses.of(cells, hidden, r, width, progress)
    marked = mark_lacking(found.columns, found.ends, width, r, k, least, found.total)
    lacking = np.empty(len(cells), dtype=np.bool_)
    lacking[found.order] = np.repeat(marked, np.diff(found.starts))
    return lacking


def kept_records(
    cells: Levels, hidden: Levels, r: int, k: int, width: int, least: float, progress: Progress
) -> Mask:
    """The records that are left when all who lack neighbours or deviation are gone."""
    found = AnswerClasses.of(cells, hidden, r, width, progress)
    kept = np.ones(len(cells), dtype=np.bool_)
    with progress.task("Leaving respondents out") as task:
        ranked = hidden[found.order]
        tree = (found.columns, found.ends)
        delete_lacking(*tree, width, r, k, least, found.starts, ranked, found.total, kept)
        task.advance()
    back = np.empty_like(kept)
    back[found.order] = kept
    return back


def _in_order(cells: Levels, r: int) -> Indices:
    """The records by their answers, the first issue first; several issues share a word."""
    each = max(1, int(_WORD // np.log2(r + 1)))
    words = []
    for first in range(0, cells.shape[1], each):
        word = np.zeros(len(cells), dtype=np.int64)
        for issue in range(first, min(first + each, cells.shape[1])):
            word = word * (r + 1) + cells[:, issue]
        words.append(word)
    return np.lexsort(words[::-1])


def _sums(hidden: Levels, firsts: Indices) -> Indices:
    """Number of records, and number, sum and squares of their sensitive answers, by class."""
    levels = hidden.astype(np.int64)
    columns = [np.ones(len(hidden), dtype=np.int64)]
    for issue in range(hidden.shape[1]):
        level = levels[:, issue]
        columns += [(level > 0).astype(np.int64), level, level * level]
    return np.add.reduceat(np.stack(columns, axis=1), firsts, axis=0)
