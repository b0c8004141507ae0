"""Attack `subset-bound`: how much must be known to single out a row? Counted, not tried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from recloak.attacks._adversary_training import has_several_rows
from recloak.attacks._postings import postings_of, rows_of
from recloak.attacks.base import Attack
from recloak.attacks.subset_bound._kernels import singled_out
from recloak.core.arrays import Floats, Integers
from recloak.core.parallel import in_threads
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress, Task
from recloak.core.randomness import Randomness
from recloak.evaluation.context import AuditContext
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.evaluation.formatting import amount, counted, is_number, of_100
from recloak.evaluation.intervals import mean_figure, share_figure

PEOPLE_PER_BLOCK = 16
EXACT = 12
_UNTRUE = (
    "Nobody with {known} ratings has rows that hold all of them unchanged: there is nothing "
    "to count."
)


class SubsetBoundParameters(Parameters):
    """How much is known, and of how many people it is counted."""

    known: int = Field(default=5, ge=1, le=200)
    """How many of a person's ratings the adversary knows exactly."""

    people: int = Field(default=500, ge=1, le=10_000_000)
    """For how many people it is counted, drawn at random among those with enough ratings."""


_FIGURES = (
    DeclaredFigure(
        "singled_out",
        worse="more",
        heading="Singled out",
        meaning=(
            "Of all ways to choose this many of a person's ratings, the share for which the chosen "
            "ratings in one of their rows are together in no other row. It is counted, not tried; "
            "where rows are long it can be too high, never too low."
        ),
    ),
    DeclaredFigure("singled_out_several", worse="more"),
    DeclaredFigure("rows_singled_out", "count", worse="more"),
    DeclaredFigure("items_singled_out", "count", worse="more"),
)


class SubsetBound(Attack):
    """For a person, counts the choices of known ratings that single out one of their rows.

    A row is singled out if no other row of the release has what is known of it. The count is over
    all choices of so many of the person's ratings, and exact for short rows. Of rows with more
    than 12 ratings, subsets of three and more ratings are counted as standing in no other row
    unless one of the rows that share most with it has them: the share can only be too high. The
    adversary is assumed to know which of the ratings are in one row, which helps them as well. They
    guess nothing and take each row by itself: an adversary who goes by likelihood, or leaves out
    rows that share an item with one already found, can still do better.
    """

    name: ClassVar[str] = "subset-bound"
    summary: ClassVar[str] = (
        "Counts how often the known ratings in a row are together in no other row."
    )
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    applies_to: ClassVar[str] = "where people have several rows"
    audited_with: ClassVar[tuple[str, ...]] = ("known=2", "known=5", "known=20")
    compared_with: ClassVar[tuple[str, ...]] = ()
    Parameters: ClassVar[type[Parameters]] = SubsetBoundParameters
    parameters: SubsetBoundParameters

    @property
    def label(self) -> str:
        return f"any {self.parameters.known} ratings"

    @classmethod
    def sentences(cls, findings: Sequence[Finding], audit: Audit) -> list[str]:
        counted_for = [one for one in findings if one.share("singled_out")]
        finding = max(counted_for, key=lambda one: one.parameters["known"], default=None)
        singled = finding.share("singled_out") if finding else None
        if finding is None or singled is None:
            return []
        items = finding.figure("items_singled_out")
        further = ""
        if items is not None and is_number(items.value):
            further = (
                f", with {amount(items.value, 'count')} further ratings in these rows on average"
            )
        return [
            f"{of_100(singled).capitalize()} of 100 ways to choose "
            f"{counted(finding.parameters['known'], 'rating')} of a person single out a row of "
            f"theirs beyond doubt{further}; an attacker who goes by likelihood, or by which "
            "rows cannot be one person's, can find more."
        ]

    def applies(self, context: AuditContext) -> bool:
        return has_several_rows(context)

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        parameters = self.parameters
        able = np.flatnonzero(context.original.user_counts >= parameters.known)
        users = np.intersect1d(able, context.linkage.linked)
        rng = Randomness.from_seed(seed).generator(self.name)
        users = np.sort(rng.permutation(users)[: parameters.people])
        users = users[[_holds_the_truth(context, user) for user in users]]
        if len(users) == 0:
            return self._finding(context, seed, (), 0, (_UNTRUE.format(known=parameters.known),))
        blocks = [
            (start, min(start + PEOPLE_PER_BLOCK, len(users)))
            for start in range(0, len(users), PEOPLE_PER_BLOCK)
        ]
        with progress.task("Counting what singles out", len(blocks)) as task:
            counted = self._counted(context, users, blocks, task)
        return self._finding(context, seed, _figures(counted), len(users), ())

    def _counted(
        self,
        context: AuditContext,
        users: Integers,
        blocks: list[tuple[int, int]],
        task: Task,
    ) -> Floats:
        found = np.empty((len(users), 4))
        table = (postings_of(context.rows), rows_of(context.rows))
        given = (*table, context.linkage.offsets, context.linkage.rows, users)
        known = self.parameters.known
        in_threads(lambda a, b: singled_out(*given, known, EXACT, a, b, found), blocks, task)
        return found

    def _finding(
        self,
        context: AuditContext,
        seed: int,
        figures: tuple[Figure, ...],
        sample: int,
        notes: tuple[str, ...],
    ) -> Finding:
        summary = f"Of {self.label} of a person. {self.summary}"
        return self.finding(summary, figures, sample, seed, (*notes, context.linkage.note))


def _holds_the_truth(context: AuditContext, user: int) -> bool:
    """Do a person's rows hold all of their ratings as they are, and nothing else?"""
    items, values = context.original.row(user)
    published = [context.rows.row(row) for row in context.linkage.rows_of(user)]
    theirs = np.concatenate([one for one, _ in published])
    published_values = np.concatenate([one for _, one in published])
    mine, place = context.item_in_release[items], np.argsort(theirs, kind="stable")
    order = np.argsort(mine, kind="stable")
    same_items = np.array_equal(mine[order], theirs[place])
    return same_items and np.array_equal(values[order], published_values[place])


def _figures(counted: Floats) -> tuple[Figure, ...]:
    """Means over people of what was counted for each."""
    choices = "choices of known ratings that single out"
    one, several, rows, items = counted.T
    return (
        share_figure("singled_out", one, f"{choices} a row of the person"),
        share_figure("singled_out_several", several, f"{choices} two rows of the person or more"),
        *mean_figure("rows_singled_out", rows, "count", "rows of the person singled out"),
        *mean_figure("items_singled_out", items, "count", "further ratings in these rows"),
    )
