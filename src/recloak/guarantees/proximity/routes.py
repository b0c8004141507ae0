"""Who is ε-proximate to whom: three routes to the same sizes and sums of neighbourhoods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from recloak.core.arrays import Floats, Integers, Levels, Mask
from recloak.core.memory import require_memory
from recloak.core.parallel import in_threads
from recloak.core.progress import Progress
from recloak.core.survey import NULL, Survey, least_deviation
from recloak.guarantees.proximity._bitmap import RecordBlocks
from recloak.guarantees.proximity._plain_kernels import add_up, dissimilarities, slice_out

ROWS = 256
BATCH = 8
MOST_EXACT = 1 << 62  # beyond, a product may not fit into 64 bits
MOMENTS = 3  # of each sensitive issue: answers, their sum, the sum of their squares


@dataclass(frozen=True)
class ProximityRule:
    """(k, ε, l) with ε as whole levels; ``paper`` counts a null as the square of the mean."""

    k: int
    epsilon: int
    l: float  # noqa: E741 - the paper's name
    paper: bool

    def enough(self) -> int:
        """How many neighbours need be counted: all, if their answers matter."""
        return self.k if self.l == 0 else np.iinfo(np.int64).max


@dataclass(frozen=True)
class GroupDeviations:
    """Of each group (a neighbourhood or a clique) its size and its lowest deviation.

    ``weakest`` is the sensitive issue that deviates least. Sizes of k and more may be counted only
    up to k.
    """

    sizes: Integers
    lowest: Floats
    weakest: Integers

    @classmethod
    def of(cls, sizes: Integers, sums: Integers, paper: bool) -> GroupDeviations:
        """From the moments of all members."""
        deviations = deviations_from(sums, sizes, paper)
        if deviations.shape[1] == 0:
            return cls(sizes, np.full(len(sizes), np.inf), np.zeros(len(sizes), np.int64))
        return cls(sizes, deviations.min(axis=1), deviations.argmin(axis=1))

    def too_small(self, rule: ProximityRule) -> Mask:
        """Which have fewer than k."""
        return self.sizes < rule.k

    def lacking_deviation(self, rule: ProximityRule) -> Mask:
        """Which have k, but a sensitive issue that deviates less than l."""
        return (self.sizes >= rule.k) & (self.lowest < least_deviation(rule.l))


def moments_of(hidden: Levels) -> Integers:
    """Answered, value and its square for each sensitive issue; values count from 1."""
    answered = (hidden != NULL).astype(np.int64)
    values = (hidden.astype(np.int64) + 1) * answered
    return np.stack([answered, values, values**2], axis=2).reshape(len(hidden), -1)


def deviations_from(sums: Integers, sizes: Integers, paper: bool) -> Floats:
    """The deviation of each issue in each group; endless where nobody answered."""
    answers, total, squares = (sums[:, at::MOMENTS] for at in range(MOMENTS))
    given = np.maximum(answers, 1)
    mean = total / given
    variance = _scatter(answers, total, squares) / given.astype(np.float64) ** 2
    if paper:
        silent = sizes[:, None] - answers
        variance = (variance * answers + silent * mean**2) / np.maximum(sizes, 1)[:, None]
    return np.where(answers > 0, np.sqrt(np.maximum(variance, 0)), np.inf)


def _scatter(answers: Integers, total: Integers, squares: Integers) -> Floats:
    """n² times the variance, from whole numbers: it is 0 where all answers are the same."""
    largest = int(answers.max(initial=0)) * int(squares.max(initial=0))
    kind = np.int64 if largest < MOST_EXACT else object
    n, sums, of_squares = (each.astype(kind) for each in (answers, total, squares))
    return np.asarray(n * of_squares - sums * sums, dtype=np.float64)


def pairwise(survey: Survey, rule: ProximityRule, progress: Progress) -> GroupDeviations:
    """The reference: the matrix of all dissimilarities, then its rows."""
    require_memory(survey.n**2, "the matrix of all dissimilarities")
    matrix = np.empty((survey.n, survey.n), np.uint8)
    moments, sizes, sums = _moments_and_room(survey, rule)

    def work(first: int, last: int) -> None:
        dissimilarities(survey.known, survey.r, first, last, matrix)
        add_up(matrix, rule.epsilon, moments, first, last, sizes, sums)

    _by_rows(work, survey.n, progress)
    return GroupDeviations.of(sizes, sums, rule.paper)


def slicing(survey: Survey, rule: ProximityRule, progress: Progress) -> GroupDeviations:
    """The paper's: candidates between two planes, trimmed by issue after issue."""
    columns = np.ascontiguousarray(survey.known.T)
    order = np.argsort(columns[0], kind="stable").astype(np.int32)
    moments, sizes, sums = _moments_and_room(survey, rule)

    def work(first: int, last: int) -> None:
        slice_out(columns, order, rule.epsilon, survey.r, moments, first, last, sizes, sums)

    _by_rows(work, survey.n, progress)
    return GroupDeviations.of(sizes, sums, rule.paper)


def bitmap(survey: Survey, rule: ProximityRule, progress: Progress) -> GroupDeviations:
    """Ours: by null pattern, equal records once, bits of answers compared word by word."""
    blocks = _blocks(survey, rule)
    with progress.task("Looking for neighbours", len(blocks) + 1) as task:
        task.advance()
        blocks.run(0, len(blocks), rule.enough(), task)
    sizes, sums = blocks.found()
    return GroupDeviations.of(sizes, sums, rule.paper)


def first_failing(survey: Survey, rule: ProximityRule, progress: Progress) -> int | None:
    """A record whose neighbourhood fails, soon found if there is one: the rarest come first."""
    blocks = _blocks(survey, rule)
    with progress.task("Looking for someone who stands alone", len(blocks) + 1) as task:
        suspects = blocks.probe(rule.enough())
        task.advance()
        record = _failing(blocks, suspects, rule)
        for start in range(0, len(blocks), BATCH):
            if record is not None:
                break
            done = blocks.run(start, min(start + BATCH, len(blocks)), rule.enough(), task)
            record = _failing(blocks, done, rule)
    return record


def _failing(blocks: RecordBlocks, records: Integers, rule: ProximityRule) -> int | None:
    found = GroupDeviations.of(blocks.sizes[records], blocks.sums[records], rule.paper)
    failing = np.flatnonzero(found.too_small(rule) | found.lacking_deviation(rule))
    return int(blocks.member[records[failing[0]]]) if len(failing) else None


def _blocks(survey: Survey, rule: ProximityRule) -> RecordBlocks:
    known = survey.known
    if rule.epsilon >= survey.r - 1:
        known = np.minimum(known, 0)  # all answers are near, so that all are one
    hidden = survey.hidden if rule.l > 0 else survey.hidden[:, :0]
    return RecordBlocks.of(known, moments_of(hidden), rule.epsilon, survey.r)


def _moments_and_room(survey: Survey, rule: ProximityRule) -> tuple[Integers, Integers, Integers]:
    moments = moments_of(survey.hidden if rule.l > 0 else survey.hidden[:, :0])
    return moments, np.zeros(survey.n, np.int64), np.zeros_like(moments)


def _by_rows(work: Callable[[int, int], None], rows: int, progress: Progress) -> None:
    blocks = [(start, min(start + ROWS, rows)) for start in range(0, rows, ROWS)]
    with progress.task("Comparing records", len(blocks)) as task:
        in_threads(work, blocks, task)


ROUTES: dict[str, Callable[[Survey, ProximityRule, Progress], GroupDeviations]] = {
    "bitmap": bitmap,
    "slicing": slicing,
    "pairwise": pairwise,
}
