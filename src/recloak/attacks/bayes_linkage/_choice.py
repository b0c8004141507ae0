"""Which candidates a release has, as its kind and its manifest tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from recloak.attacks._every_cell import lists_every_cell
from recloak.attacks._noise_density import NOISE
from recloak.attacks.bayes_linkage._all_holders import RowsMaker
from recloak.attacks.bayes_linkage._candidates import Candidates
from recloak.attacks.bayes_linkage._clusters import ClusterCandidates
from recloak.attacks.bayes_linkage._fragments import fragment_candidates
from recloak.attacks.bayes_linkage._groups import GroupCandidates, shares_of_values
from recloak.attacks.bayes_linkage._habits import PublishedValues, UsualHabits
from recloak.attacks.bayes_linkage._noisy_rows import NoisyCandidates, StatedNoise, noisy
from recloak.attacks.bayes_linkage._padded_groups import PaddedGroupCandidates
from recloak.attacks.bayes_linkage._rows import (
    ChangedRowCandidates,
    EqualWithin,
    PerhapsChanged,
    RowCandidates,
)
from recloak.core.arrays import Floats
from recloak.core.cache import PerTableCache
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.all_rows import AllRows, Everyone, Found, RowsBlock
from recloak.evaluation.context import AuditContext
from recloak.evaluation.units import Units
from recloak.releases.disassociated import DisassociatedRelease
from recloak.releases.grouped import GroupedRelease
from recloak.releases.ratings import RatingsRelease

UNCHANGED = ("identity", "pseudonymize", "fragmentation")
SEVERAL_ROWS = 1.05  # rows a person, from which on they are taken for fragments


def candidates_of(context: AuditContext, known_values: Floats, item_weights: Floats) -> Candidates:
    """The candidates of a release.

    ``known_values`` are ratings that the adversary knows of anyone; ``item_weights`` says in
    proportion to what each item of the release comes to be known. Of a release without a manifest
    nothing is known but its rows.
    """
    release, rows = context.release, context.rows
    units = Units.between(context.original.scale, rows.scale)
    if isinstance(release, GroupedRelease):
        scale = context.original.scale if (units.factor, units.shift) == (1, 0) else rows.scale
        shares = shares_of_values(known_values, scale)
        every_cell = release.profiles.n_ratings == release.profiles.n_users * rows.n_items
        return (PaddedGroupCandidates if every_cell else GroupCandidates)(release, scale, shares)
    if isinstance(release, DisassociatedRelease):
        return ClusterCandidates(release, EqualWithin(units.tolerance))
    method = release.manifest.method if release is not None else ""
    if method in NOISE and units.comparable:
        return noisy(context)
    exact = EqualWithin(units.tolerance)
    fits = exact if method in UNCHANGED else PerhapsChanged.by(units, rows.scale.span)
    per_person = _rows_per_person(context)
    if per_person >= SEVERAL_ROWS:
        shared = method == "fragmentation" and shares_lines(context.public)
        return fragment_candidates(rows, fits, per_person, item_weights, shared_lines=shared)
    kind = RowCandidates if method in UNCHANGED else ChangedRowCandidates
    return kind(rows, fits)


def rows_by_block(
    context: AuditContext, everyone: Everyone, progress: Progress
) -> RowsMaker | None:
    """Makes candidates of a part of all rows, if they are rows of one person each that hold all
    that the person rated, unchanged or with noise; None if they are something else.
    """
    release = context.release
    if not isinstance(release, RatingsRelease):
        return None
    units = Units.between(context.original.scale, context.rows.scale)
    method = release.manifest.method
    if method in NOISE and units.comparable and not lists_every_cell(context):
        return NoisyRows.of(StatedNoise.of(context), everyone.released, progress)
    alone = method in UNCHANGED and _rows_per_person(context) < SEVERAL_ROWS
    return UnchangedRows(units.tolerance) if alone else None


@dataclass(frozen=True)
class UnchangedRows:
    """Rows whose values are as they were."""

    tolerance: float

    def __call__(self, rows: Ratings) -> RowCandidates:
        """Some of them as candidates."""
        return RowCandidates(rows, EqualWithin(self.tolerance))


@dataclass(frozen=True)
class NoisyRows:
    """Rows with noise; what people in general rate is learnt from all of them."""

    noise: StatedNoise
    usual: UsualHabits

    @classmethod
    def of(cls, noise: StatedNoise, every: AllRows, progress: Progress) -> NoisyRows:
        """Learnt from how often each value is published, which is counted once."""
        published = _PUBLISHED.get(every, "values", lambda: _published(every, progress))
        return cls(noise, UsualHabits.of(published, noise.density, noise.levels, noise.sigma))

    def __call__(self, rows: Ratings) -> RowCandidates:
        """Some of them as candidates."""
        return NoisyCandidates(rows, self.noise, self.usual.of_rows(rows))


_PUBLISHED: PerTableCache[PublishedValues] = PerTableCache()


def _published(every: AllRows, progress: Progress) -> PublishedValues:
    label = "Counting published values"
    return PublishedValues(*every.gathered(_values_of, _values_of_both, label, progress))


def _values_of(block: RowsBlock) -> Found:
    return PublishedValues.of(block.rows.values)


def _values_of_both(one: Found, other: Found) -> Found:
    return PublishedValues(*one).and_those(PublishedValues(*other))


def shares_lines(parameters: Mapping[str, Any]) -> bool:
    """Do the parameters of a fragmentation tell that all are cut along the same lines?"""
    preset = str(parameters.get("preset", ""))
    return parameters.get("cut") == "shared" or preset.startswith("shared")


def _rows_per_person(context: AuditContext) -> float:
    """How many rows a person has on average, which the method and its parameters tell."""
    rows = np.diff(context.linkage.offsets)
    return float(rows[rows > 0].mean()) if rows.any() else 1.0
