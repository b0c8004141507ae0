"""Joined rows: Scoreboard-RH names a row, and rows that are likely the same person's join it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from recloak.attacks._attacked_table import AttackedTable, outcomes_of_many
from recloak.attacks._gains import TrialOutcomes
from recloak.attacks._greedy_selection import take_disjoint
from recloak.attacks._match_rules import known_ratings_of, match_rules_of
from recloak.attacks._pair_scorer import PARTNERS
from recloak.attacks._postings import postings_of, rows_of
from recloak.attacks._trials import TargetSampler, Trials
from recloak.attacks.scoreboard_rh import ScoreboardRH
from recloak.core.arrays import Floats, Indices, Integers, Mask
from recloak.core.progress import Task
from recloak.evaluation.context import AuditContext
from recloak.evaluation.findings import Figure
from recloak.evaluation.intervals import mean_figure, ratio_figure

LIKELY = 0.5

Partners = Callable[[Integers], tuple[Integers, Floats]]
"""For each row those that may be the same person's (-1: none), best first, and how likely."""


@dataclass(frozen=True)
class NamedRows:
    """Tries, and the row that Scoreboard-RH names in each; -1 where none stands out."""

    table: AttackedTable
    trials: Trials
    rows: Indices

    @classmethod
    def by_scoreboard(
        cls,
        context: AuditContext,
        known: int,
        targets: Mask,
        trials: int,
        rng: np.random.Generator,
        task: Task,
    ) -> NamedRows | None:
        """Name a row for each of the ``targets`` by ``known`` ratings; None if nobody has them."""
        sampler = TargetSampler.of(context, known, among=targets)
        if len(sampler) == 0:
            return None
        drawn = sampler.draw(trials, 0.0, rng)
        match_rule = match_rules_of(context, "values")[0]
        table = AttackedTable(
            context, [match_rule], postings_of(context.rows, distinct=False), rows_of(context.rows)
        )
        identified = ScoreboardRH().identify(
            table, known_ratings_of(context, drawn, match_rule, 0), drawn, ("tie",), task
        )
        return cls(table, drawn, np.maximum(identified["tie"].example, identified["tie"].other))

    def alone(self) -> TrialOutcomes:
        """The outcomes with the named rows alone."""
        return outcomes_of_many(self.table, self.trials, self.rows[:, None])

    def outcome(self, partners: Partners) -> TrialOutcomes:
        """The outcomes with the named rows and their partners."""
        taken = np.full((len(self.trials), PARTNERS + 1), -1, dtype=np.int64)
        seen = np.flatnonzero(self.rows >= 0)
        taken[seen] = _join(self.table, *partners(self.rows[seen]), self.rows[seen])
        return outcomes_of_many(self.table, self.trials, taken)


def _join(
    table: AttackedTable,
    partners: Integers,
    likely: Floats,
    named: Integers,
) -> Integers:
    """The rows that were named, with the partners that are likely and share no item."""
    picked = np.column_stack([named, partners])
    sure = np.column_stack([np.ones(len(named)), likely])
    taken = np.full(picked.shape, -1, dtype=np.int64)
    n_items = table.context.rows.n_items
    take_disjoint(table.postings, table.rows, n_items, 0, len(named), picked, sure, LIKELY, taken)
    return taken


def joined_figures(joined: TrialOutcomes, alone: TrialOutcomes) -> tuple[Figure, ...]:
    """The gain from rows that were joined, beside that from one row."""
    with_row = "further items from a row that Scoreboard-RH names"
    meaning = "of the further items in the joined rows, the share that the person rated"
    return (
        *mean_figure("gain_joined", joined.gain, "count", f"{with_row}, and rows joined to it"),
        *mean_figure("gain_single", alone.gain, "count", f"{with_row}, alone"),
        ratio_figure("precision_joined", joined.gain, joined.gain + joined.false_items, meaning),
    )
