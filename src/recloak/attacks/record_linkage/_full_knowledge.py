"""Full knowledge: the adversary holds the whole original and links it with the release."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.attacks._figures import worst_tenth
from recloak.core.arrays import Floats, Indices, offsets_from
from recloak.core.nearest_records import NOBODY, CandidateRecords, Own, Screening
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.core.row_classes import identical_groups
from recloak.evaluation.context import AuditContext, in_codes, match_items
from recloak.evaluation.findings import Figure
from recloak.evaluation.intervals import share_figure
from recloak.evaluation.units import Units
from recloak.releases.grouped import GroupedRelease

Direction = Literal["to-release", "to-original"]
CLOSE = 1e-6  # of a squared distance: what publishing in single precision can move it by

LABELS: dict[Direction, str] = {
    "to-release": "holds the original, seeks each person's row",
    "to-original": "holds the original, seeks each row's person",
}
SUMMARIES: dict[Direction, str] = {
    "to-release": "The adversary holds all original records; for each they take the nearest row.",
    "to-original": "The adversary holds all original records; for each row they take the nearest.",
}
NOTE = (
    "Distances are over all cells; one that is not listed counts as what the release implies "
    "for it, else as the middle of the scale."
)


class LinkageOutcomes(NamedTuple):
    """One number for each target, a person or a row."""

    success: Floats
    success_first: Floats
    inconclusive: Floats
    wrong: Floats

    def figures(self, direction: Direction) -> tuple[Figure, ...]:
        """Their means, with intervals."""
        found = {
            "to-release": "people whose row was found",
            "to-original": "rows whose person was found",
        }[direction]
        first = f"{found}, where they take the first of those equally near in the original's order"
        missed = "tries where the right one was among several, and the guess fell on another"
        return (
            share_figure("success", self.success, found),
            share_figure("success_first", self.success_first, first),
            share_figure("inconclusive", self.inconclusive, missed),
            share_figure("wrong", self.wrong, "tries that led to someone else"),
            worst_tenth(self.success[None, :]),
        )


def link_full_records(
    context: AuditContext,
    direction: Direction,
    wanted: int,
    rng: np.random.Generator,
    progress: Progress,
    screening: Screening,
) -> LinkageOutcomes:
    """Link up to ``wanted`` people or rows (0: all) that have an answer; candidates are all.

    Any ``screening`` finds the same.
    """
    owned = RowsOfOwner.of(context)
    seek = _to_release if direction == "to-release" else _to_original
    return seek(context, owned, wanted, rng, progress, screening)


class RowsOfOwner(NamedTuple):
    """Pairs of a person and a row of theirs; and the class of identical rows of each row.

    ``row_class`` numbers the distinct rows; ``example`` is one row of each class.
    """

    users: Indices
    rows: Indices
    row_class: Indices
    example: Indices

    @classmethod
    def of(cls, context: AuditContext) -> RowsOfOwner:
        counts = np.diff(context.linkage.offsets)
        users = np.repeat(np.arange(len(counts)), counts)
        rows = context.linkage.rows[: len(users)]
        row_class, _ = identical_groups(context.rows, values=True)
        _, example = np.unique(row_class, return_index=True)
        return cls(users, rows, row_class, example)


def _to_release(
    context: AuditContext,
    owned: RowsOfOwner,
    wanted: int,
    rng: np.random.Generator,
    progress: Progress,
    screening: Screening,
) -> LinkageOutcomes:
    """Each person's nearest row; identical rows are one candidate that stands for all of them."""
    targets = _drawn(np.unique(owned.users), wanted, rng)
    ranks = np.full(len(owned.example), NOBODY)
    np.minimum.at(ranks, owned.row_class[owned.rows], owned.users)
    aligned = AlignedRecords.of(context)
    alike = np.bincount(owned.row_class).astype(np.int64)
    rows = _rows_of(aligned, owned)
    candidates = CandidateRecords(rows, aligned.base, alike, ranks, CLOSE, screening)
    offsets, pairs = _pairs_of(targets, owned.users)
    own = Own(offsets, owned.row_class[owned.rows[pairs]])
    found = candidates.nearest(aligned.original, targets, own, progress, own_only=True)
    hits = np.add.reduceat(found.own_tied, offsets[:-1], dtype=np.int64) if len(targets) else 0
    return _outcome(np.asarray(hits), found.ties, found.first == targets)


def _to_original(
    context: AuditContext,
    owned: RowsOfOwner,
    wanted: int,
    rng: np.random.Generator,
    progress: Progress,
    screening: Screening,
) -> LinkageOutcomes:
    """Each row's nearest record; identical rows are queried once, and share the result.

    Identical rows cannot be told apart, so each is equally likely to be the person's.
    """
    targets = _drawn(np.unique(owned.rows), wanted, rng)
    classes, of_target = np.unique(owned.row_class[targets], return_inverse=True)
    chosen = np.flatnonzero(np.isin(owned.row_class[owned.rows], classes))
    query = np.searchsorted(classes, owned.row_class[owned.rows[chosen]])
    order = np.argsort(query, kind="stable")
    pairs, query = chosen[order], query[order]
    offsets = np.searchsorted(query, np.arange(len(classes) + 1))
    aligned = AlignedRecords.of(context)
    candidates = CandidateRecords.in_order(aligned.original, aligned.base, CLOSE, screening)
    own = Own(offsets, owned.users[pairs])
    rows = _rows_of(aligned, owned)
    found = candidates.nearest(rows, classes, own, progress, own_only=True)
    linked = np.unique(owned.rows[pairs])
    alike = np.bincount(np.searchsorted(classes, owned.row_class[linked]), minlength=len(classes))
    hits = np.bincount(query, found.own_tied, len(classes)) / alike
    first = np.bincount(query, owned.users[pairs] == found.first[query], len(classes)) / alike
    return _outcome(hits[of_target], found.ties[of_target], first[of_target])


def _drawn(able: Indices, wanted: int, rng: np.random.Generator) -> Indices:
    if 0 < wanted < len(able):
        return np.sort(rng.choice(able, wanted, replace=False))
    return able


def _rows_of(aligned: AlignedRecords, owned: RowsOfOwner) -> Ratings:
    """The distinct rows, in the order of their classes."""
    if len(owned.example) == aligned.rows.n_users:
        return aligned.rows
    return aligned.rows.take_users(owned.example)


def _pairs_of(targets: Indices, users: Indices) -> tuple[Indices, Indices]:
    """Offsets and places of the pairs of each target; ``users`` ascend."""
    starts, ends = np.searchsorted(users, targets), np.searchsorted(users, targets, side="right")
    counts = ends - starts
    offsets = offsets_from(counts)
    return offsets, np.repeat(starts - offsets[:-1], counts) + np.arange(offsets[-1])


def _outcome(hits: NDArray[Any], ties: Indices, first: NDArray[Any]) -> LinkageOutcomes:
    """``hits`` of the ``ties`` that were named are right, on average."""
    success = hits / np.maximum(ties, 1)
    return LinkageOutcomes(
        success,
        first.astype(np.float64),
        np.where(hits > 0, 1 - success, 0.0),
        (hits == 0).astype(np.float64),
    )


@dataclass(frozen=True, eq=False)
class AlignedRecords:
    """Original and rows in codes of the same items and on the same scale.

    ``base`` is what a cell counts as that is not listed, by item.
    """

    original: Ratings
    rows: Ratings
    base: Floats

    @classmethod
    def of(cls, context: AuditContext) -> AlignedRecords:
        """On the scale of the release; by items alone where one side has no values to compare."""
        units = Units.between(context.original.scale, context.rows.scale)
        original, rows, n_items, code = _same_items(context)
        if not units.comparable:
            return cls(_marks(original), _marks(rows), np.zeros(n_items))
        converted = units.converted(original.values)
        if converted is not original.values:
            original = original.with_values(converted, rows.scale)
        middle = units.factor * context.original.scale.middle + units.shift
        base = np.full(n_items, middle)
        release = context.release
        if isinstance(release, GroupedRelease) and release.implied is not None:
            base[code] = release.implied
        return cls(original, rows, base)


def _marks(ratings: Ratings) -> Ratings:
    """What is left where values cannot be compared: 1 for every cell that is there."""
    return ratings.with_values(np.ones(len(ratings), np.float32))


def _same_items(context: AuditContext) -> tuple[Ratings, Ratings, int, Indices]:
    """Both sides in codes of the same items, their number, and that of each item of the release.

    Items that only the release has come after those of the original.
    """
    original, rows = context.original, context.rows
    if original.n_items == rows.n_items and np.array_equal(
        context.item_in_release, np.arange(rows.n_items)
    ):
        return original, rows, rows.n_items, np.arange(rows.n_items)
    code = match_items(rows, original)
    fresh = np.flatnonzero(code < 0)
    code[fresh] = original.n_items + np.arange(len(fresh))
    labels = np.arange(original.n_items + len(fresh))
    wide = replace(original, item_labels=labels)
    return wide, in_codes(rows, code, labels), len(labels), code
