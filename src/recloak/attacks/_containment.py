"""Containment: rows that hold all that is known; base of `structure` and `label`."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from recloak.attacks._attacked_table import in_blocks, unprotected_context
from recloak.attacks._figures import (
    IDENTIFIED_BESIDE_ORIGINAL,
    IDENTIFIED_ORIGINAL,
    SUCCESS_BESIDE_ORIGINAL,
    SUCCESS_ORIGINAL,
    WRONG,
)
from recloak.attacks._match_rules import MatchRule, known_ratings_of
from recloak.attacks._postings import postings_of, rows_of
from recloak.attacks._scoreboard_kernels import containing_candidates
from recloak.attacks._trials import TargetSampler, Trials
from recloak.attacks.base import Attack
from recloak.core.arrays import Floats, Indices, Integers, Mask
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress, Task
from recloak.core.randomness import Randomness
from recloak.evaluation.context import AuditContext
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure, Finding
from recloak.evaluation.intervals import mean_figure, share_figure
from recloak.releases.grouped import GroupedRelease

REFERENCE = (
    "Chang, Thompson, Wang, Yao: Towards Publishing Recommendation Data With Predictive "
    "Anonymization. ASIACCS 2010."
)
ITEMS = MatchRule("items", None)


class ContainmentParameters(Parameters):
    """What the adversary knows, and how many tries are made."""

    known: int = Field(default=4, ge=1)
    """How many of the items that a person rated the adversary knows, picked at random."""

    tries: int = Field(default=1000, ge=2, le=1_000_000)
    """How many people are attacked, each drawn at random among those with enough ratings."""


class ContainingRows(NamedTuple):
    """For each try: how many rows match all that is known, and how many distinct ones.

    Of these rows ``own`` are the person's, and ``alike`` look like the person's.
    """

    rows: Indices
    distinct: Integers
    own: Integers
    alike: Integers

    @property
    def success(self) -> Floats:
        """The chance that one of the rows, taken at random, is the person's."""
        return self.own / np.maximum(self.rows, 1)

    @property
    def group_found(self) -> Floats:
        """The chance that it is one of the person's group."""
        return self.alike / np.maximum(self.rows, 1)

    @property
    def identified(self) -> Mask:
        """Are all rows that match identical, and the person's among them (Definition 5)?"""
        return np.asarray((self.own > 0) & (self.alike == self.rows))

    @property
    def wrong(self) -> Mask:
        """Do rows match, and none of the person's group is among them?"""
        return np.asarray((self.rows > 0) & (self.alike == 0))


def containing_rows(
    context: AuditContext, trials: Trials, match_rule: MatchRule, task: Task
) -> ContainingRows:
    """The rows of a release that match all that each try knows, by one match rule."""
    postings, rows = postings_of(context.rows), rows_of(context.rows)
    known = known_ratings_of(context, trials, match_rule, days=0)
    found = np.empty((2, 5, len(trials)), np.int64)
    own_rows = (context.linkage.offsets, context.linkage.rows)
    each_once = postings._replace(sizes=np.ones_like(postings.sizes))

    def shortlist(start: int, end: int) -> None:
        for table, counts in zip((postings, each_once), found, strict=True):
            containing_candidates(table, rows, known, *own_rows, trials.users, start, end, counts)

    in_blocks(shortlist, trials, task)
    return ContainingRows(found[0, 0], found[1, 0], found[0, 1], found[0, 2])


_FIGURES = (
    SUCCESS_BESIDE_ORIGINAL,
    DeclaredFigure(
        "group_found",
        worse="more",
        heading="Group found",
        meaning="The share of tries in which the attacker names a row of the person's group. "
        "They do not know which member of the group it is, but they know what its profile says.",
        caveat="An attacker can only guess which member of a group somebody is; that protects "
        "nobody from what the members have in common. The person's group, and with it all that its "
        "profile tells, is named in {of_100} of 100 tries by {title}.",
    ),
    IDENTIFIED_BESIDE_ORIGINAL,
    WRONG,
    DeclaredFigure("groups", "count"),
    SUCCESS_ORIGINAL,
    IDENTIFIED_ORIGINAL,
)


class ContainmentAttack(Attack):
    """Base of `structure` and `label`: one of the rows that match all that is known is named.

    Identical rows are a group. The same tries are made on the original.
    """

    reference: ClassVar[str] = REFERENCE
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    applies_to: ClassVar[str] = "of groups"
    audited_with: ClassVar[tuple[str, ...]] = ("known=1", "known=2", "known=4", "known=8")
    compared_with: ClassVar[tuple[str, ...]] = ()
    knows: ClassVar[str]
    Parameters: ClassVar[type[Parameters]] = ContainmentParameters
    parameters: ContainmentParameters

    @property
    def label(self) -> str:
        return f"knows {self.parameters.known} {self.knows}"

    @abstractmethod
    def match_rules(self, context: AuditContext) -> list[MatchRule]:
        """The rules by which the adversary compares what they know with a row."""

    def applies(self, context: AuditContext) -> bool:
        return isinstance(context.release, GroupedRelease)

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        known = self.parameters.known
        sampler = TargetSampler.of(context, known)
        if len(sampler) == 0:
            why = f"Nobody has {known} ratings and a known row: not measured."
            return self._finding(context, (), 0, seed, (why,))
        rng = Randomness.from_seed(seed).generator(self.name, known)
        trials = sampler.draw(self.parameters.tries, 0.0, rng)
        with progress.task(f"Looking for what is known, {known} known") as task:
            after, before = (
                {
                    match_rule: containing_rows(one, trials, match_rule, task)
                    for match_rule in self.match_rules(one)
                }
                for one in (context, unprotected_context(context))
            )
        best = strongest_match_rule(after)
        figures = _figures(after[best], before[strongest_match_rule(before)])
        return self._finding(context, figures, len(trials), seed, rules_note(after, best))

    def _finding(
        self,
        context: AuditContext,
        figures: tuple[Figure, ...],
        sample: int,
        seed: int,
        notes: tuple[str, ...],
    ) -> Finding:
        summary = f"The adversary {self.label} of a person. {self.summary}"
        return self.finding(summary, figures, sample, seed, (context.linkage.note, *notes))


def strongest_match_rule(found: dict[MatchRule, ContainingRows]) -> MatchRule:
    """The rule with most success; among equals the one that finds most groups."""
    return max(
        found,
        key=lambda match_rule: (
            found[match_rule].success.mean(),
            found[match_rule].group_found.mean(),
        ),
    )


def rules_note(found: dict[MatchRule, ContainingRows], best: MatchRule) -> tuple[str, ...]:
    """Which rule is reported, and the success of the others; nothing if there is one rule."""
    others = "; ".join(
        f"{match_rule}: {fit.success.mean():.1%}"
        for match_rule, fit in found.items()
        if match_rule != best
    )
    note = f"The variant that succeeds most is reported: {best}. Success of the others: {others}."
    return (note,) if others else ()


def _figures(after: ContainingRows, before: ContainingRows) -> tuple[Figure, ...]:
    shares = {
        "success": (
            after.success,
            "tries that name the person's row; if several fit, each is equally likely to be named",
        ),
        "group_found": (after.group_found, "tries that name a row of the person's group"),
        "identified": (after.identified, "tries in which only rows of the person's group fit"),
        "wrong": (after.wrong, "tries in which rows fit, none of them of the person's group"),
        "success_original": (before.success, "success on the unprotected original"),
        "identified_original": (before.identified, "the same on the unprotected original"),
    }
    found = [
        share_figure(name, outcomes.astype(np.float64), meaning)
        for name, (outcomes, meaning) in shares.items()
    ]
    meaning = "different groups that fit what is known"
    groups = mean_figure("groups", after.distinct.astype(np.float64), "count", meaning)
    return (*found[:4], *groups, *found[4:])
