"""An attacked table, the rows that tries name in it, and the outcomes of these tries."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from recloak.attacks._gains import TrialOutcomes, learned_from_row
from recloak.attacks._match_rules import MatchRule, has_times
from recloak.attacks._postings import Postings, RowArrays, postings_of, rows_of
from recloak.attacks._scoreboard_kernels import owned
from recloak.attacks._trials import Trials
from recloak.core.arrays import Floats, Integers
from recloak.core.parallel import in_threads
from recloak.core.progress import Task
from recloak.evaluation.context import AuditContext
from recloak.releases.linkage import Linkage

TRIES_PER_BLOCK = 256


@dataclass(frozen=True)
class AttackedTable:
    """A table under attack, with its postings."""

    context: AuditContext
    match_rules: list[MatchRule]
    postings: Postings
    rows: RowArrays

    @classmethod
    def of(cls, context: AuditContext, match_rules: list[MatchRule], days: float) -> AttackedTable:
        timed = days > 0 and has_times(context)
        return cls(
            context,
            match_rules,
            postings_of(context.rows, distinct=not timed),
            rows_of(context.rows),
        )


class Identification(NamedTuple):
    """The rows that each try names: the shares that are the person's, or identical to theirs.

    ``example`` is a row identical to theirs, ``other`` one that is not; -1 if there is none.
    """

    own: Floats
    alike: Floats
    example: Integers
    other: Integers


def in_blocks(work: Callable[[int, int], None], trials: Trials, task: Task) -> None:
    """``work(start, end)`` on blocks of tries, side by side; enough of them for every core."""
    count = max(os.cpu_count() or 1, -(-len(trials) // TRIES_PER_BLOCK))
    edges = np.unique(np.linspace(0, len(trials), count + 1).astype(np.int64)).tolist()
    in_threads(work, pairwise(edges), task)


def unprotected_context(context: AuditContext) -> AuditContext:
    """The same people without any protection: everyone's row is their own."""
    original = context.original
    everyone = np.arange(original.n_users + 1)
    linkage = Linkage(everyone, everyone[:-1], "mapping", "")
    return AuditContext(original, original, linkage, np.arange(original.n_items))


def outcomes_of(context: AuditContext, trials: Trials, identified: Identification) -> TrialOutcomes:
    """The outcomes of trials, from the rows that they name."""
    known = (trials.users, trials.offsets, trials.positions)
    right, mistaken = (
        learned_from_row(context, *known, identified.example),
        learned_from_row(context, *known, identified.other),
    )
    named = (identified.example >= 0) | (identified.other >= 0)
    wrong = (named & (identified.own == 0)).astype(np.float64)
    return TrialOutcomes(
        success=identified.own,
        inconclusive=1 - identified.own - wrong,
        wrong=wrong,
        gain=identified.alike * right[:, 0],
        gain_values=identified.alike * right[:, 1],
        false_items=identified.alike * right[:, 2] + (1 - identified.alike) * mistaken[:, 2],
    )


def outcomes_of_many(table: AttackedTable, trials: Trials, taken: Integers) -> TrialOutcomes:
    """The outcomes of trials that take several candidates (-1: no further one)."""
    context, postings = table.context, table.postings
    success, learned = np.zeros(len(taken)), np.zeros((len(taken), 3))
    for column in taken.T[: int((taken >= 0).sum(axis=1).max(initial=0))]:
        chosen = np.ascontiguousarray(column)
        links = (postings.candidate_of, context.linkage.offsets, context.linkage.rows)
        own = owned(chosen, *links, trials.users) / postings.sizes[chosen]
        success = np.maximum(success, np.where(chosen >= 0, own, 0.0))
        rows = np.where(chosen >= 0, postings.first[chosen], -1)
        learned += learned_from_row(context, trials.users, trials.offsets, trials.positions, rows)
    wrong = ((taken >= 0).any(axis=1) & (success == 0)).astype(np.float64)
    return TrialOutcomes(success, 1 - success - wrong, wrong, *learned.T)
