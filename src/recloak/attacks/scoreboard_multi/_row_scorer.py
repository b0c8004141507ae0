"""A scorer of rows, trained on a release that the adversary made of people they know."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log

import numpy as np

from recloak.attacks._attacked_table import AttackedTable, in_blocks
from recloak.attacks._co_occurrence import CoOccurrence, PairCounts
from recloak.attacks._greedy_selection import count_confirmed
from recloak.attacks._logistic import Logistic, chances
from recloak.attacks._match_rules import MatchRule, known_ratings_of
from recloak.attacks._scoreboard_kernels import owned
from recloak.attacks._trials import Trials
from recloak.attacks.scoreboard_multi._kernels import (
    EVIDENCE,
    CandidateTraits,
    TableStatistics,
    describe_rows,
    evidence,
)
from recloak.core.arrays import Floats, Indices, Mask, Offsets, Words
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.progress import Task
from recloak.evaluation.context import AuditContext
from recloak.evaluation.units import Units

RIVAL_FEATURES = 3
_NO_RIVAL = -12.0
_CERTAIN = 30.0


@inner_kernel
def share_bits(one: Words, other: Words) -> bool:
    """Have two masks a bit in common?"""
    word = 0
    while word < len(one) and one[word] & other[word] == np.uint64(0):
        word += 1
    return word < len(one)


@kernel
def rival_odds(
    start: int, end: int, picked: Offsets, masks: Words, odds: Floats, features: Floats
) -> None:
    """The log-odds of the best rival, of all rivals summed, and of the best other candidate.

    Only one of the rows that claim the same known rating can be right.
    """
    weights = np.empty(picked.shape[1], np.float64)
    for attempt in range(start, end):
        found = int((picked[attempt] >= 0).sum())
        for at in range(found):
            weights[at] = np.exp(min(odds[attempt, at], _CERTAIN))
        for at in range(found):
            best, total, top = _NO_RIVAL, np.exp(_NO_RIVAL), _NO_RIVAL
            for other in range(found):
                if other == at:
                    continue
                top = max(top, odds[attempt, other])
                if share_bits(masks[attempt, at], masks[attempt, other]):
                    best = max(best, odds[attempt, other])
                    total += weights[other]
            line = features[attempt, at]
            line[0], line[1], line[2] = best, np.log(total), top


SHORTLIST_SIZE = 64
SELDOM = exp(-8)  # a release contradicts true ratings, too: about this often, found by trial
_PRODUCTS = ((0, 0), (1, 1), (0, 3), (3, 3), (0, 1), (6, 6))  # of the features of `evidence`


@dataclass(frozen=True)
class RowFeatures:
    """An attacked table, its match rule, and the statistics that do not depend on the target."""

    table: AttackedTable
    match_rule: MatchRule
    statistics: TableStatistics

    @classmethod
    def of(
        cls, table: AttackedTable, match_rule: MatchRule, co_occurrence: CoOccurrence, wrong: float
    ) -> RowFeatures:
        """Describe all rows of a table; a share ``wrong`` of the known ratings is wrong."""
        rows, postings = table.context.rows, table.postings
        support = np.maximum(rows.item_support, 1)
        means = np.bincount(rows.items, rows.values, minlength=rows.n_items) / support
        sizes, count = np.maximum(rows.user_counts[postings.first], 1), len(postings.first)
        empty = (np.zeros(count), np.zeros(count), np.zeros(count, np.int32))
        traits = CandidateTraits(np.log(sizes), np.log(postings.sizes), *empty)
        describe_rows(postings.first, table.rows, rows.values, support, means, traits)
        contradiction_cost = -log(max(wrong, SELDOM))
        return cls(
            table,
            match_rule,
            TableStatistics(
                means, traits, co_occurrence.place, co_occurrence.chances, contradiction_cost
            ),
        )


@dataclass(frozen=True)
class Shortlist:
    """For each try the most likely candidates (-1: none), the known items they have, features."""

    picked: Indices
    masks: Words
    features: Floats

    @classmethod
    def of(cls, row_features: RowFeatures, trials: Trials, task: Task) -> Shortlist:
        """Shortlist the candidates of each try."""
        table, context = row_features.table, row_features.table.context
        most = int(np.diff(trials.offsets).max(initial=1))
        shape = (len(trials), SHORTLIST_SIZE)
        picked = np.full(shape, -1, np.int64)
        masks = np.zeros((*shape, (most + 63) // 64), np.uint64)
        features = np.zeros((*shape, EVIDENCE))
        known = known_ratings_of(context, trials, row_features.match_rule, 0)
        values = Units.between(context.original.scale, context.rows.scale).converted(trials.values)
        given = (table.postings, table.rows, known, values, row_features.statistics)

        def shortlist(start: int, end: int) -> None:
            evidence(*given, start, end, picked, masks, features)

        in_blocks(shortlist, trials, task)
        products = [features[..., one] * features[..., two] for one, two in _PRODUCTS]
        return cls(picked, masks, np.concatenate([features, np.stack(products, -1)], -1))

    def own(self, table: AttackedTable, trials: Trials) -> Mask:
        """Which of the rows are the person's."""
        linkage, postings = table.context.linkage, table.postings
        columns = [
            owned(
                np.ascontiguousarray(column),
                postings.candidate_of,
                linkage.offsets,
                linkage.rows,
                trials.users,
            )
            for column in self.picked.T
        ]
        return np.column_stack(columns) > 0

    def with_rivals(self, first: Logistic, trials: Trials, task: Task) -> Floats:
        """All features, the log-odds by ``first``, and their difference from those of rivals."""
        odds = first.odds(self.features)
        rivals = np.zeros((*self.picked.shape, RIVAL_FEATURES))

        def compare(start: int, end: int) -> None:
            rival_odds(start, end, self.picked, self.masks, odds, rivals)

        in_blocks(compare, trials, task)
        ahead = odds[..., None] - rivals[..., :2]
        behind = np.minimum(ahead[..., 1:], 0)
        return np.concatenate([self.features, rivals, odds[..., None], ahead, behind], -1)


@dataclass(frozen=True)
class RowScorer:
    """Two models: the first scores a row by itself, the second beside its rivals.

    ``wrong`` is the share of known ratings that are wrong. ``contradicted`` is the share of known
    ratings whose value differed in the person's own rows, measured in training.
    """

    first: Logistic
    second: Logistic
    pairs: PairCounts
    wrong: float
    contradicted: float

    def chances(self, shortlist: Shortlist, trials: Trials, task: Task) -> Floats:
        """The probability that each shortlisted row is the person's; 0 where there is none."""
        odds = self.second.odds(shortlist.with_rivals(self.first, trials, task))
        return np.where(shortlist.picked >= 0, chances(odds), 0.0)


@dataclass(frozen=True)
class TrainingSet:
    """A release whose linkage is known, trials in it, and pairs counted among other people.

    A share ``wrong`` of the known ratings is wrong.
    """

    context: AuditContext
    trials: Trials
    wrong: float
    pairs: PairCounts

    def train(self, match_rule: MatchRule, task: Task) -> RowScorer | None:
        """Train with one match rule; None if all or none of the shortlisted rows are right."""
        table, trials = AttackedTable.of(self.context, [match_rule], 0), self.trials
        row_features = RowFeatures.of(
            table, match_rule, self.pairs.in_rows(self.context.rows), self.wrong
        )
        shortlist = Shortlist.of(row_features, trials, task)
        there, own = shortlist.picked >= 0, shortlist.own(table, trials)
        truth = own[there]
        if truth.all() or not truth.any():
            return None
        first = Logistic.fit(shortlist.features[there], truth)
        task.advance()
        second = Logistic.fit(shortlist.with_rivals(first, trials, task)[there], truth)
        return RowScorer(
            first, second, self.pairs, self.wrong, self._contradicted(table, match_rule)
        )

    def _contradicted(self, table: AttackedTable, match_rule: MatchRule) -> float:
        linkage, known = (
            self.context.linkage,
            known_ratings_of(self.context, self.trials, match_rule, 0),
        )
        links = (linkage.offsets, linkage.rows, self.trials.users)
        held, matching = count_confirmed(table.rows, known, *links)
        return 1 - matching / max(held, 1)
