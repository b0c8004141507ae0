"""Who is ε-proximate to whom: three routes to the same sizes and sums of neighbourhoods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recloak.guarantees.proximity_bitmap import Blocks
from recloak.kernels.proximity_plain import add_up, dissimilarities, slice_out
from recloak.memory import need
from recloak.progress import Progress
from recloak.surveys import NULL, SLACK, Levels, Survey
from recloak.threads import in_threads

Counts = NDArray[np.int64]
ROWS = 256
BATCH = 8
MOMENTS = 3  # of each sensitive issue: answers, their sum, the sum of their squares


@dataclass(frozen=True)
class Asked:
    """(k, ε, l) with ε as whole levels; ``paper`` counts a null as the square of the mean."""

    k: int
    epsilon: int
    l: float  # noqa: E741 - the paper's name
    paper: bool

    def enough(self) -> int:
        """How many neighbours need be counted: all, if their answers matter."""
        return self.k if self.l == 0 else np.iinfo(np.int64).max


@dataclass(frozen=True)
class Groups:
    """Of each group (a neighbourhood or a clique) its size and its lowest deviation.

    ``weakest`` is the sensitive issue that deviates least. Sizes of k and more may be counted only
    up to k.
    """

    sizes: Counts
    lowest: NDArray[np.float64]
    weakest: Counts

    @classmethod
    def of(cls, sizes: Counts, sums: Counts, paper: bool) -> Groups:
        """From the moments of all members."""
        deviations = deviations_from(sums, sizes, paper)
        if deviations.shape[1] == 0:
            return cls(sizes, np.full(len(sizes), np.inf), np.zeros(len(sizes), np.int64))
        return cls(sizes, deviations.min(axis=1), deviations.argmin(axis=1))

    def short(self, asked: Asked) -> NDArray[np.bool_]:
        """Which have fewer than k."""
        return self.sizes < asked.k

    def alike(self, asked: Asked) -> NDArray[np.bool_]:
        """Which have k, but a sensitive issue that deviates less than l."""
        return (self.sizes >= asked.k) & (self.lowest < asked.l - SLACK)


def moments_of(hidden: Levels) -> Counts:
    """Answered, value and its square for each sensitive issue; values count from 1."""
    answered = (hidden != NULL).astype(np.int64)
    values = (hidden.astype(np.int64) + 1) * answered
    return np.stack([answered, values, values**2], axis=2).reshape(len(hidden), -1)


def deviations_from(sums: Counts, sizes: Counts, paper: bool) -> NDArray[np.float64]:
    """The deviation of each issue in each group; endless where nobody answered."""
    answers, total, squares = (sums[:, at::MOMENTS].astype(np.float64) for at in range(MOMENTS))
    given = np.maximum(answers, 1)
    mean = total / given
    variance = squares / given - mean**2
    if paper:
        silent = sizes[:, None] - answers
        variance = (variance * answers + silent * mean**2) / np.maximum(sizes, 1)[:, None]
    return np.where(answers > 0, np.sqrt(np.maximum(variance, 0)), np.inf)


def pairwise(survey: Survey, asked: Asked, progress: Progress) -> Groups:
    """The reference: the matrix of all dissimilarities, then its rows."""
    need(survey.n**2, "the matrix of all dissimilarities")
    matrix = np.empty((survey.n, survey.n), np.uint8)
    moments, sizes, sums = _moments_and_room(survey, asked)

    def work(first: int, last: int) -> None:
        dissimilarities(survey.known, survey.r, first, last, matrix)
        add_up(matrix, asked.epsilon, moments, first, last, sizes, sums)

    _by_rows(work, survey.n, progress)
    return Groups.of(sizes, sums, asked.paper)


def slicing(survey: Survey, asked: Asked, progress: Progress) -> Groups:
    """The paper's: candidates between two planes, trimmed by issue after issue."""
    columns = np.ascontiguousarray(survey.known.T)
    order = np.argsort(columns[0], kind="stable").astype(np.int32)
    moments, sizes, sums = _moments_and_room(survey, asked)

    def work(first: int, last: int) -> None:
        slice_out(columns, order, asked.epsilon, survey.r, moments, first, last, sizes, sums)

    _by_rows(work, survey.n, progress)
    return Groups.of(sizes, sums, asked.paper)


def bitmap(survey: Survey, asked: Asked, progress: Progress) -> Groups:
    """Ours: by null pattern, equal records once, bits of answers compared word by word."""
    blocks = _blocks(survey, asked)
    with progress.task("Looking for neighbours", len(blocks) + 1) as task:
        task.advance()
        blocks.run(0, len(blocks), asked.enough(), task)
    sizes, sums = blocks.found()
    return Groups.of(sizes, sums, asked.paper)


def first_failing(survey: Survey, asked: Asked, progress: Progress) -> int | None:
    """A record whose neighbourhood fails, soon found if there is one: the rarest come first."""
    blocks = _blocks(survey, asked)
    with progress.task("Looking for someone who stands alone", len(blocks) + 1) as task:
        suspects = blocks.probe(asked.enough())
        task.advance()
        record = _failing(blocks, suspects, asked)
        for start in range(0, len(blocks), BATCH):
            if record is not None:
                break
            done = blocks.run(start, min(start + BATCH, len(blocks)), asked.enough(), task)
            record = _failing(blocks, done, asked)
    return record


def _failing(blocks: Blocks, records: Counts, asked: Asked) -> int | None:
    found = Groups.of(blocks.sizes[records], blocks.sums[records], asked.paper)
    failing = np.flatnonzero(found.short(asked) | found.alike(asked))
    return int(blocks.member[records[failing[0]]]) if len(failing) else None


def _blocks(survey: Survey, asked: Asked) -> Blocks:
    known = survey.known
    if asked.epsilon >= survey.r - 1:
        known = np.minimum(known, 0)  # all answers are near, so that all are one
    hidden = survey.hidden if asked.l > 0 else survey.hidden[:, :0]
    return Blocks.of(known, moments_of(hidden), asked.epsilon, survey.r)


def _moments_and_room(survey: Survey, asked: Asked) -> tuple[Counts, Counts, Counts]:
    moments = moments_of(survey.hidden if asked.l > 0 else survey.hidden[:, :0])
    return moments, np.zeros(survey.n, np.int64), np.zeros_like(moments)


def _by_rows(work: Callable[[int, int], None], rows: int, progress: Progress) -> None:
    blocks = [(start, min(start + ROWS, rows)) for start in range(0, rows, ROWS)]
    with progress.task("Comparing records", len(blocks)) as task:
        in_threads(work, blocks, task)


ROUTES: dict[str, Callable[[Survey, Asked, Progress], Groups]] = {
    "bitmap": bitmap,
    "slicing": slicing,
    "pairwise": pairwise,
}
