"""Respondents in groups of at least k whose answers are cheaply made alike, bin after bin."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Indices, Integers, Levels, offsets_from
from recloak.core.parallel import in_threads
from recloak.core.progress import Progress
from recloak.methods._survey_cost_kernels import fit, fit_cells
from recloak.methods.proximity._clustering_kernels import better, grow
from recloak.methods.proximity._group_kernels import AnswerGroups

RECORDS_PER_BIN = 10_000
ROUNDS = 30
HEAT = 0.04  # for each of k, of what an answer made up or erased costs, in the first round
LEAST_HEAT, MOST_HEAT = 0.2, 0.8
MOST_IN_A_BIN = 20_000  # that cannot be parted: more become one group
GROUPS_PER_BLOCK = 2000
COARSEST_LEVELS = 10
SMALLEST_PART = 0.15
_MOST_BINS_TRIED = 4


class FittedAnswers(NamedTuple):
    """Cells made alike within groups, the group of each record, and the distortion of all."""

    cells: Levels
    labels: Indices
    distortion: int


def grouped(
    cells: Levels, hidden: Levels, r: int, k: int, width: int, least: float, progress: Progress
) -> Indices:
    """The group of each record; cells count levels from 1, 0 is no answer."""
    coarse, levels, narrow = _coarse(cells, r, width)
    bins = _bins(coarse, hidden, levels, k, narrow, least)
    heat = levels * min(max(HEAT * k, LEAST_HEAT), MOST_HEAT)

    def work(first: int, last: int) -> Indices:
        here = bins[first]
        if len(here) > max(MOST_IN_A_BIN, 8 * k):
            return np.zeros(len(here), dtype=np.int64)
        some = coarse[here]
        grown, found = grow(some, hidden[here], levels, k, narrow, least), []
        for rounds in (0, ROUNDS):
            rng = np.random.default_rng(first)  # groups depend on the answers, not on the seed
            groups = AnswerGroups._make(part.copy() for part in grown)
            better(groups, k, narrow, least, rounds, heat, rng)
            found.append(groups.labels)
        return min(found, key=lambda labels: _cost(some, labels, levels, narrow))

    largest_first = sorted(range(len(bins)), key=lambda at: -len(bins[at]))
    with progress.task("Grouping respondents", len(bins)) as task:
        made = in_threads(work, [(at, at + 1) for at in largest_first], task)
    found = dict(zip(largest_first, made, strict=True))
    labels, before = np.empty(len(cells), dtype=np.int64), 0
    for at, here in enumerate(bins):
        labels[here] = before + found[at]
        before += int(found[at].max()) + 1
    return np.unique(labels, return_inverse=True)[1]


def _cost(cells: Levels, labels: Indices, r: int, width: int) -> int:
    """What it costs to make groups alike; where gaps are many, heat may not have lowered it."""
    order, starts = _by_group(np.unique(labels, return_inverse=True)[1])
    groups = len(starts) - 1
    widths = np.full(groups, width)
    return fit_cells(0, groups, order, starts, widths, r, cells, np.empty_like(cells))


def _by_group(labels: Indices) -> tuple[Indices, Indices]:
    """Records ordered by group, and where each group begins."""
    starts = offsets_from(np.bincount(labels))
    return np.argsort(labels, kind="stable"), starts


def fit_answers(
    cells: Levels, labels: Indices, r: int, widths: Indices, progress: Progress
) -> FittedAnswers:
    """Make the answers of each group alike, to within ``widths[group]`` levels, at least cost."""
    order, starts = _by_group(labels)
    alike = np.empty_like(cells)
    groups = len(starts) - 1
    blocks = [
        (first, min(first + GROUPS_PER_BLOCK, groups))
        for first in range(0, groups, GROUPS_PER_BLOCK)
    ]

    def work(first: int, last: int) -> int:
        return fit_cells(first, last, order, starts, widths, r, cells, alike)

    with progress.task("Fitting answers", len(blocks)) as task:
        costs = in_threads(work, blocks, task)
    return FittedAnswers(alike, labels, sum(costs))


def _coarse(cells: Levels, r: int, width: int) -> tuple[Levels, int, int]:
    """Few levels are enough to find groups by; the fit itself is on all of them."""
    if r <= COARSEST_LEVELS:
        return cells, r, width
    whole = (cells.astype(np.int16) - 1) * COARSEST_LEVELS // r + 1
    coarse = np.where(cells == 0, 0, whole).astype(np.int8)
    return coarse, COARSEST_LEVELS, width * COARSEST_LEVELS // r


def _bins(
    cells: Levels, hidden: Levels, r: int, k: int, width: int, least: float
) -> list[Integers]:
    """Parts of the records, each of which can be grouped on its own, split where they cost most."""
    enough, done = max(RECORDS_PER_BIN, 4 * k), []
    todo = [np.arange(len(cells))]
    while todo:
        here = todo.pop()
        parts = _parts(here, cells, hidden, r, k, width, least) if len(here) > enough else None
        if parts is None:
            done.append(here)
        else:
            todo.extend(parts)
    return done


def _parts(
    here: Indices, cells: Levels, hidden: Levels, r: int, k: int, width: int, least: float
) -> tuple[Indices, Indices] | None:
    """Two parts by the answers to the issue that costs most; none if neither can do without."""
    counts = [
        np.bincount(cells[here, issue], minlength=r + 1).astype(np.int32)
        for issue in range(cells.shape[1])
    ]
    costs = np.array([fit(count, width)[0] for count in counts])
    for issue in np.argsort(-costs, kind="stable")[:_MOST_BINS_TRIED]:
        below = np.cumsum(counts[issue])[:-1]
        cut = int(np.argmin(np.abs(2 * below - len(here))))
        low = cells[here, issue] <= cut
        parts = here[low], here[~low]
        smallest = max(k, SMALLEST_PART * len(here))
        if all(len(part) >= smallest and _deviates(hidden[part], least) for part in parts):
            return parts
    halves = here[::2], here[1::2]
    return halves if all(_deviates(hidden[half], least) for half in halves) else None


def _deviates(hidden: Levels, least: float) -> bool:
    """Do the sensitive answers of these records deviate enough for one group?"""
    if least <= 0:
        return True
    levels = hidden.astype(np.int64)
    answers = (levels > 0).sum(axis=0)
    spread = answers * np.square(levels).sum(axis=0) - np.square(levels.sum(axis=0))
    enough = (spread >= least**2 * np.square(answers.astype(np.float64))) & (answers > 1)
    return bool((enough | (answers == 0)).all())
