"""Attack `homogeneity`: what does a group tell of its members, once it is found?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, NamedTuple

import numpy as np

from recloak.attacks._attacked_table import unprotected_context
from recloak.attacks._containment import (
    ITEMS,
    REFERENCE,
    ContainmentParameters,
    containing_rows,
)
from recloak.attacks._figures import IDENTIFIED_BESIDE_ORIGINAL, IDENTIFIED_ORIGINAL
from recloak.attacks._trials import TargetSampler, Trials
from recloak.attacks.base import Attack
from recloak.core.arrays import (
    Codes,
    Floats,
    Indices,
    Mask,
    offsets_from,
    places_within,
)
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.evaluation.context import AuditContext
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.evaluation.formatting import of_100
from recloak.evaluation.intervals import ratio_figure
from recloak.evaluation.published_cells import PredictedCells, PublishedCells, means_of_others
from recloak.evaluation.units import Units
from recloak.releases.grouped import GroupedRelease

EXACT = 1e-5  # what single precision may take from a rating
CLOSE = 1e-3  # of half a step: what lies so near to the middle between two ratings is a guess

_MEANINGS = {
    "exact": "other ratings of a person whose group is known that its profile prints exactly",
    "half_step": "the same, within half a step: the profile tells them if rounded, a tie by half",
    "item_mean": "the same, told by the mean of what all others rated the item",
    "learnt": "other ratings told within half a step where what is known leaves one group",
    "learnt_original": "other ratings told where what is known leaves one row of the original",
}

_FIGURES = (
    IDENTIFIED_BESIDE_ORIGINAL,
    IDENTIFIED_ORIGINAL,
    DeclaredFigure("exact", worse="more"),
    DeclaredFigure(
        "half_step",
        worse="more",
        heading="Half step, exact",
        meaning="The share of the other ratings of a person whose group is known that its profile "
        "states within half a step of the scale, or exactly.",
    ),
    DeclaredFigure("item_mean"),
    DeclaredFigure("learnt", worse="more", original="learnt_original"),
    DeclaredFigure("learnt_original"),
)


class Homogeneity(Attack):
    """Knows some items that a person rated, and reads the rest from the group that has them all.

    If all rows that hold the known items are identical, the person's profile is uniquely
    identified, however many people share it. How much it then tells is given for everyone whose
    group is known, however it was found, and beside it what the mean rating of an item tells: no
    release is needed for that.
    """

    name: ClassVar[str] = "homogeneity"
    summary: ClassVar[str] = "Reads a person's other ratings from the profile of their group."
    reference: ClassVar[str] = REFERENCE
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    applies_to: ClassVar[str] = "of groups"
    compared_with: ClassVar[tuple[str, ...]] = ()
    Parameters: ClassVar[type[Parameters]] = ContainmentParameters
    parameters: ContainmentParameters

    @property
    def label(self) -> str:
        return f"knows {self.parameters.known} items"

    @classmethod
    def sentences(cls, findings: Sequence[Finding], audit: Audit) -> list[str]:
        finding = next((one for one in findings if one.sample > 0), None)
        read = finding.share("half_step") if finding else None
        mean = finding.share("item_mean") if finding else None
        if read is None or mean is None:
            return []
        return [
            f"If a person's group is known, {of_100(read)} of 100 of their other ratings can "
            "be read from its profile within half a step; the average rating of each item "
            f"gives {of_100(mean)}."
        ]

    def applies(self, context: AuditContext) -> bool:
        return isinstance(context.release, GroupedRelease)

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        known = self.parameters.known
        # somebody of whom all is known has no other ratings
        sampler = replace(TargetSampler.of(context, known + 1), known=known, upto=known)
        if len(sampler) == 0:
            why = f"Nobody has more than {known} ratings and a known row: not measured."
            return self._finding((), 0, seed, (context.linkage.note, why))
        rng = Randomness.from_seed(seed).generator(self.name, known)
        trials = sampler.draw(self.parameters.tries, 0.0, rng)
        with progress.task(f"Reading from groups, {known} known") as task:
            after, before = (
                containing_rows(one, trials, ITEMS, task).identified
                for one in (context, unprotected_context(context))
            )
            read = _read_ratings(context, trials)
            task.advance()
        return self._finding(
            _figures(read, after, before), len(trials), seed, (context.linkage.note,)
        )

    def _finding(
        self, figures: tuple[Figure, ...], sample: int, seed: int, notes: tuple[str, ...]
    ) -> Finding:
        summary = f"The adversary {self.label} of a person and reads what their group tells."
        return self.finding(summary, figures, sample, seed, notes)


class ReadRatings(NamedTuple):
    """For each try: how many other ratings there are, and how many are read from what."""

    others: Floats
    exact: Floats
    half_step: Floats
    item_mean: Floats


def _read_ratings(context: AuditContext, trials: Trials) -> ReadRatings:
    original = context.original
    which, positions = _others(context, trials)
    items, truth = original.items[positions], original.values[positions]
    shown = _shown(context, trials.users[which], items)
    units = Units.between(original.scale, context.rows.scale)
    apart = np.abs(shown - units.converted(truth))
    mean = means_of_others(original, PredictedCells(which, items, truth.astype(np.float64)))
    off = np.abs(mean - truth)
    counted = (
        np.ones(len(which)),
        apart <= EXACT * max(units.factor, 1.0),
        _rounded(apart / (original.scale.tolerance * units.factor)),
        _rounded(off / original.scale.tolerance),
    )
    return ReadRatings(
        *(np.bincount(which, one, len(trials)).astype(np.float64) for one in counted)
    )


def _rounded(half_steps: Floats) -> Floats:
    """Is the rating right, once rounded? Half way between two ratings counts one half."""
    return (half_steps < 1 - CLOSE) + 0.5 * (np.abs(half_steps - 1) <= CLOSE)


def _others(context: AuditContext, trials: Trials) -> tuple[Indices, Indices]:
    """Try and place of every rating that is not known; a person's ratings stand together."""
    original = context.original
    counts = original.user_counts[trials.users]
    which = np.repeat(np.arange(len(trials)), counts)
    positions = original.offsets[trials.users][which] + places_within(counts)
    starts = offsets_from(counts)
    known = np.repeat(np.arange(len(trials)), np.diff(trials.offsets))
    unknown = np.ones(len(which), np.bool_)
    unknown[starts[known] + trials.positions - original.offsets[trials.users[known]]] = False
    return which[unknown], positions[unknown]


def _shown(context: AuditContext, users: Indices, items: Codes) -> Floats:
    """What the rows of people say of items, also by implying it; NaN where they say nothing."""
    published = PublishedCells.of(context)
    shown = published.listed(users, items.astype(np.int64))
    release = context.release
    if isinstance(release, GroupedRelease) and release.implied is not None:
        shown = np.where(np.isnan(shown), published.base[items], shown)
    return shown


def _figures(read: ReadRatings, after: Mask, before: Mask) -> tuple[Figure, ...]:
    each = np.ones(len(after))
    parts = {
        "exact": read.exact,
        "half_step": read.half_step,
        "item_mean": read.item_mean,
        "learnt": np.where(after, read.half_step, 0.0),
        "learnt_original": np.where(before, read.others, 0.0),
    }
    leaves = "tries in which what is known leaves"
    return (
        ratio_figure(
            "identified", after.astype(np.float64), each, f"{leaves} the person's group alone"
        ),
        ratio_figure(
            "identified_original", before.astype(np.float64), each, f"{leaves} one row before"
        ),
        *(
            ratio_figure(name, parts[name], read.others, meaning)
            for name, meaning in _MEANINGS.items()
        ),
    )
