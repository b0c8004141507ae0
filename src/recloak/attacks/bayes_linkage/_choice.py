"""Which candidates a release has, as its kind and its manifest tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from recloak.attacks._noise_density import NOISE
from recloak.attacks.bayes_linkage._candidates import Candidates
from recloak.attacks.bayes_linkage._clusters import ClusterCandidates
from recloak.attacks.bayes_linkage._fragments import fragment_candidates
from recloak.attacks.bayes_linkage._groups import GroupCandidates, shares_of_values
from recloak.attacks.bayes_linkage._noisy_rows import noisy
from recloak.attacks.bayes_linkage._padded_groups import PaddedGroupCandidates
from recloak.attacks.bayes_linkage._rows import (
    ChangedRowCandidates,
    EqualWithin,
    PerhapsChanged,
    RowCandidates,
)
from recloak.core.arrays import Floats
from recloak.evaluation.context import AuditContext
from recloak.evaluation.units import Units
from recloak.releases.disassociated import DisassociatedRelease
from recloak.releases.grouped import GroupedRelease

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


def shares_lines(parameters: Mapping[str, Any]) -> bool:
    """Do the parameters of a fragmentation tell that all are cut along the same lines?"""
    preset = str(parameters.get("preset", ""))
    return parameters.get("cut") == "shared" or preset.startswith("shared")


def _rows_per_person(context: AuditContext) -> float:
    """How many rows a person has on average, which the method and its parameters tell."""
    rows = np.diff(context.linkage.offsets)
    return float(rows[rows > 0].mean()) if rows.any() else 1.0
