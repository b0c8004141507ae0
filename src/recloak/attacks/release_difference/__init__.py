"""Attack `release-difference`: what someone learns who holds two releases of the same people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from recloak.attacks._figures import GAIN_JOINED, GAIN_SINGLE, PRECISION_JOINED
from recloak.attacks.base import Attack
from recloak.attacks.release_difference._groups import compared_groups
from recloak.attacks.release_difference._kept_ids import ChangedRowAttacker
from recloak.attacks.release_difference._overlap import compared_cuts
from recloak.attacks.release_difference._sentences import sentences_of
from recloak.attacks.release_difference._tables import compared_tables
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.evaluation.context import AuditContext, EarlierRelease, keeps_ids
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.releases.grouped import GroupedRelease

NO_PREVIOUS = "There is no earlier release to compare with (--previous): not measured."
UNLIKE = (
    "There is no attack on these two kinds of release together: not attacked. Assume that a "
    "second release gives more away."
)
NOBODY = "Nobody is known to have rows in both releases: not measured."


class ReleaseDifferenceParameters(Parameters):
    """How much is tried, and what the adversary has besides the two releases."""

    tries: int = Field(default=1000, ge=2, le=1_000_000)
    """How many rows or people are tried at most; fewer where there are very many rows."""

    share: float = Field(default=0.5, gt=0, lt=1)
    """The share of the people whom the adversary knows in full and makes a release of, to learn
    what rows of one person look like; rows of the rest are attacked."""

    known: int = Field(default=20, ge=1)
    """How many known ratings Scoreboard-RH uses to name a row to which others are joined."""

    recent: int = Field(default=3, ge=1)
    """How many of the ratings that are new since then are used to look for a row among
    what is new."""


class ReleaseComparison(NamedTuple):
    """Figures, on how many rows or people, and how it was done; without figures, why not."""

    figures: tuple[Figure, ...]
    sample: int
    notes: tuple[str, ...]


_FIGURES = (
    DeclaredFigure(
        "linked",
        worse="more",
        heading="Linked",
        meaning="Of an adversary who holds two releases: the share of tries in which they join two "
        "things that belong to one person. For rows that keep their ids, a row that changed and "
        "another row of the same person; for groups, a person and the only one in both groups; "
        "for one row each, the rows of both releases.",
    ),
    DeclaredFigure("linked_random"),
    DeclaredFigure("linked_newer"),
    GAIN_JOINED,
    DeclaredFigure("gain_newer", "count"),
    GAIN_SINGLE,
    PRECISION_JOINED,
    DeclaredFigure(
        "found_recent",
        worse="more",
        heading="Found recent",
        meaning="The share of tries in which a few ratings that a person gave since the earlier "
        "release find a row of theirs, if only what is new is searched, or all of the later "
        "release.",
    ),
    DeclaredFigure("found_recent_newer"),
    DeclaredFigure("changed_rows"),
    DeclaredFigure("candidates", "count", worse="less"),
    DeclaredFigure("candidates_newer", "count"),
    DeclaredFigure("rated_given_both", worse="more"),
    DeclaredFigure("rated_given_newer"),
    DeclaredFigure("moved_alone", worse="more"),
    DeclaredFigure("half_step_both", worse="more"),
    DeclaredFigure("half_step_newer"),
)


class ReleaseDifference(Attack):
    """Compares a release with an earlier one.

    Rows that keep their ids tell which of them changed: those of one person change together.
    Rows under new ids that were cut otherwise overlap with several earlier ones, and so link
    them. Of people in groups, those in both a person's groups are few. Rows that are noisy copies
    of the same ratings are recognised by their items, and two draws of noise average out.
    ``linked`` is the share of tries in which two things that belong to one person are joined; what
    these are depends on the releases; the meaning of the figure says it.
    """

    name: ClassVar[str] = "release-difference"
    summary: ClassVar[str] = "Joins what belongs to one person by comparing two releases."
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    applies_to: ClassVar[str] = "beside an earlier release"
    compared_with: ClassVar[tuple[str, ...]] = ()
    takes_turns: ClassVar[str] = "adversary training"
    Parameters: ClassVar[type[Parameters]] = ReleaseDifferenceParameters
    parameters: ReleaseDifferenceParameters

    @property
    def label(self) -> str:
        return "holds an earlier release too"

    @classmethod
    def sentences(cls, findings: Sequence[Finding], audit: Audit) -> list[str]:
        return [sentence for finding in findings[:1] for sentence in sentences_of(finding)]

    def applies(self, context: AuditContext) -> bool:
        return context.previous is not None

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        notes: tuple[str, ...] = (context.linkage.note,)
        if context.previous is None:
            compared = ReleaseComparison((), 0, (NO_PREVIOUS,))
        else:
            notes += (f"Of the earlier release: {context.previous.linkage.note}",)
            with progress.task("Comparing two releases") as task:
                task.advance()
                compared = self._compared(context, context.previous, seed, progress)
        summary = f"The adversary {self.label}. {self.summary}"
        notes += compared.notes
        return self.finding(summary, compared.figures, compared.sample, seed, notes)

    def _compared(
        self, context: AuditContext, previous: EarlierRelease, seed: int, progress: Progress
    ) -> ReleaseComparison:
        """Ask what the two kinds of release call for."""
        parameters, rng = self.parameters, Randomness.from_seed(seed).generator(self.name)
        owned = [np.diff(one.linkage.offsets) for one in (context, previous)]
        if not ((owned[0] > 0) & (owned[1] > 0)).any():
            return ReleaseComparison((), 0, (NOBODY,))
        if isinstance(context.release, GroupedRelease) and isinstance(
            previous.release, GroupedRelease
        ):
            return ReleaseComparison(
                *compared_groups(context.release, previous.release, context, parameters.tries, rng)
            )
        if not _are_tables(context, previous):
            return ReleaseComparison((), 0, (UNLIKE,))
        if keeps_ids(previous.rows, context.rows):
            given = (parameters.tries, parameters.share, parameters.known, parameters.recent)
            return ReleaseComparison(
                *ChangedRowAttacker(context, previous, *given, seed, rng).run(progress)
            )
        if any((each > 1).any() for each in owned):
            return ReleaseComparison(
                *compared_cuts(context, previous, parameters.tries, rng, progress)
            )
        return ReleaseComparison(
            *compared_tables(context, previous, parameters.tries, rng, progress)
        )


def _are_tables(context: AuditContext, previous: EarlierRelease) -> bool:
    """Are both plain tables, with rows of ratings that each stand for themselves?"""
    kinds = {one.manifest.kind for one in (context.release, previous.release) if one is not None}
    return kinds <= {"ratings", "survey"}
