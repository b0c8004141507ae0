"""The adversary who takes many rows, with one match rule and one trained scorer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from recloak.attacks._attacked_table import (
    AttackedTable,
    in_blocks,
    outcomes_of,
    outcomes_of_many,
    unprotected_context,
)
from recloak.attacks._gains import TrialOutcomes, concatenated
from recloak.attacks._greedy_selection import take_disjoint, take_outstanding
from recloak.attacks._match_rules import MatchRule, known_ratings_of
from recloak.attacks._trials import Trials
from recloak.attacks.scoreboard_multi._row_scorer import RowFeatures, RowScorer, Shortlist
from recloak.attacks.scoreboard_rh import ScoreboardRH
from recloak.core.arrays import Integers
from recloak.core.progress import Task
from recloak.evaluation.context import AuditContext

MOST_ROWS = 64
LIKELY = 0.5


class AttackerOutcomes(NamedTuple):
    """The same tries by different adversaries; ``learned`` is empty if nothing was learnt."""

    learned: TrialOutcomes
    repeated: TrialOutcomes
    single: TrialOutcomes
    before: TrialOutcomes

    @classmethod
    def concatenated(cls, parts: Iterable[AttackerOutcomes]) -> AttackerOutcomes:
        """The tries of all parts, one after the other."""
        return cls(*(concatenated(one) for one in zip(*parts, strict=True)))


@dataclass(frozen=True)
class MultiRowAttacker:
    """Attacks the release and the original with one match rule, and a scorer if one was trained."""

    release: AttackedTable
    original: AttackedTable
    match_rule: MatchRule
    phi: float
    scorer: RowScorer | None
    row_features: RowFeatures | None

    @classmethod
    def of(
        cls, context: AuditContext, match_rule: MatchRule, phi: float, scorer: RowScorer | None
    ) -> MultiRowAttacker:
        release, original = (
            AttackedTable.of(one, [match_rule], 0)
            for one in (context, unprotected_context(context))
        )
        row_features = None
        if scorer:
            row_features = RowFeatures.of(
                release, match_rule, scorer.pairs.in_rows(context.rows), scorer.wrong
            )
        return cls(release, original, match_rule, phi, scorer, row_features)

    def outcomes(self, trials: Trials, task: Task) -> AttackerOutcomes:
        """The outcomes of the trials, by each adversary."""
        learned = np.empty((0, MOST_ROWS), np.int64)
        if self.scorer and self.row_features:
            shortlist = Shortlist.of(self.row_features, trials, task)
            learned = _likely(self.release, shortlist, trials, self.scorer, task)
        return AttackerOutcomes(
            outcomes_of_many(self.release, trials, learned),
            outcomes_of_many(self.release, trials, self._outstanding(trials, task)),
            self._single(self.release, trials, task),
            self._single(self.original, trials, task),
        )

    def _outstanding(self, trials: Trials, task: Task) -> Integers:
        table = self.release
        taken = np.full((len(trials), MOST_ROWS), -1, np.int64)
        known = known_ratings_of(table.context, trials, self.match_rule, 0)
        given = (table.postings, table.rows, known, table.context.rows.n_items, self.phi)
        in_blocks(lambda start, end: take_outstanding(*given, start, end, taken), trials, task)
        return taken

    def _single(self, table: AttackedTable, trials: Trials, task: Task) -> TrialOutcomes:
        known = known_ratings_of(table.context, trials, self.match_rule, 0)
        identified = ScoreboardRH(phi=self.phi).identify(table, known, trials, ("one",), task)[
            "one"
        ]
        return outcomes_of(table.context, trials, identified)


def _likely(
    table: AttackedTable, shortlist: Shortlist, trials: Trials, scorer: RowScorer, task: Task
) -> Integers:
    """The candidates that are likelier than not and share no item."""
    chances = scorer.chances(shortlist, trials, task)
    order = np.argsort(-chances, axis=1, kind="stable")
    picked = np.take_along_axis(shortlist.picked, order, 1)
    chances = np.take_along_axis(chances, order, 1)
    taken = np.full(picked.shape, -1, np.int64)
    given = (table.postings, table.rows, table.context.rows.n_items)

    def take(start: int, end: int) -> None:
        take_disjoint(*given, start, end, picked, chances, LIKELY, taken)

    in_blocks(take, trials, task)
    return taken


def strongest_of_each(found: Sequence[AttackerOutcomes]) -> AttackerOutcomes:
    """For each adversary the outcomes with most net gain; empty outcomes never win."""
    return AttackerOutcomes(*(max(one, key=net_gain) for one in zip(*found, strict=True)))


def net_gain(outcome: TrialOutcomes) -> float:
    """True further items less false ones, on average; minus infinity without trials.

    Rows of strangers hold true items, too, and whoever takes many rows gets many of both.
    """
    if len(outcome.success) == 0:
        return -np.inf
    return float(outcome.gain.mean() - outcome.false_items.mean())
