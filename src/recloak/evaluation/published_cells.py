"""Published: what a release says of every cell, listed or implied, and whose rows say it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Codes, Floats, Indices, offsets_from, places_within
from recloak.core.kernels.own_cells import own_cells
from recloak.core.kernels.record_distances import values_at
from recloak.core.parallel import in_threads, row_blocks
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, in_codes
from recloak.releases.grouped import GroupedRelease
from recloak.releases.linkage import NO_ROW

NO_VALUES = "These data have no values that could differ."
NO_RATINGS = "There are no ratings."
RATINGS_PER_BLOCK = 1_000_000


class PredictedCells(NamedTuple):
    """Ratings to be predicted: who (place among the people), what, and the truth."""

    who: Indices
    items: Codes
    truth: Floats


@dataclass(frozen=True, eq=False)
class PublishedCells:
    """The rows of a release (a group's profile once), their items coded as in the original.

    ``base`` is what stands for a cell that is not listed, by item: what a grouped release says of
    it, else the middle of the original's scale. ``owned`` are the rows of each person, in the
    order of people, between ``offsets``.
    """

    rows: Ratings
    base: Floats
    offsets: Indices
    owned: Indices

    @classmethod
    def of(cls, context: AuditContext) -> PublishedCells:
        """As the context shows it; the rows of a group's members are not written out."""
        release, linkage = context.release, context.linkage
        base = np.full(context.original.n_items, context.original.scale.middle)
        if not isinstance(release, GroupedRelease):
            return cls(_in_items_of(context, context.rows), base, linkage.offsets, linkage.rows)
        if release.implied is not None:
            listed = context.item_in_release >= 0
            base[listed] = release.implied[context.item_in_release[listed]]
        profile_of = release.groups[np.argsort(release.row_labels, kind="stable")]
        rows = _in_items_of(context, release.profiles)
        return cls(rows, base, linkage.offsets, profile_of[linkage.rows])

    def of_people(self, people: Indices) -> PublishedCells:
        """The same of some people, in this order; the rows stay."""
        counts = np.diff(self.offsets)[people]
        owned = np.repeat(self.offsets[:-1][people], counts) + places_within(counts)
        return replace(self, offsets=offsets_from(counts), owned=self.owned[owned])

    def listed(self, users: Indices, items: Indices) -> Floats:
        """What people's own rows list for items (codes of the original); NaN where they do not."""
        return self.own_cells(users, items)[1]

    def own_cells(self, users: Indices, items: Indices) -> tuple[Indices, Floats]:
        """The first of people's own rows that lists an item, -1 for none, and what it lists."""
        rows = self.rows
        owners = own_cells(
            users,
            items,
            self.offsets,
            self.owned,
            rows.offsets,
            rows.items,
            np.zeros(len(rows), np.bool_),
        )
        held = owners >= 0
        listed = np.full(len(users), np.nan)
        listed[held] = values_at(
            owners[held],
            items[held].astype(np.int32),
            rows.offsets,
            rows.items,
            rows.values,
            self.base,
        )
        return owners, listed


def label_errors_of(
    original: Ratings, published: PublishedCells, progress: Progress = SILENT
) -> Floats:
    """How far each rating lies from what the person's row lists; NaN where it lists nothing."""

    def compare(first: int, end: int) -> Floats:
        here = slice(original.offsets[first], original.offsets[end])
        users = np.repeat(np.arange(first, end), original.user_counts[first:end])
        listed = published.listed(users, original.items[here].astype(np.int64))
        return listed - original.values[here]

    blocks = row_blocks(original.offsets, RATINGS_PER_BLOCK)
    with progress.task("Looking up ratings in the release", len(blocks)) as task:
        return np.concatenate(in_threads(compare, blocks, task))


def means_of_others(original: Ratings, cells: PredictedCells) -> Floats:
    """The mean rating of each item without the one to be predicted; else the middle."""
    sums = np.bincount(original.items, original.values, minlength=original.n_items)
    others = original.item_support[cells.items] - 1
    means = (sums[cells.items] - cells.truth) / np.maximum(others, 1)
    return np.where(others > 0, means, original.scale.middle)


def why_not(context: AuditContext) -> str | None:
    """Why values cannot be compared, if they cannot."""
    if len(context.original) == 0:
        return NO_RATINGS
    return NO_VALUES if context.original.scale.span == 0 else None


def why_not_by_person(context: AuditContext) -> str | None:
    """Why values cannot be compared person by person, if they cannot."""
    if context.linkage.is_of_nobody:
        return why_not(context) or NO_ROW
    return why_not(context) or (None if context.linkage.links else context.linkage.note)


def _in_items_of(context: AuditContext, rows: Ratings) -> Ratings:
    """The rows with the original's item codes, ascending; items that it does not have are left."""
    codes, original = context.item_in_release, context.original
    if rows.n_items == len(codes) and np.array_equal(codes, np.arange(len(codes))):
        return rows
    code = np.full(rows.n_items, -1, dtype=np.int64)
    listed = np.flatnonzero(codes >= 0)
    code[codes[listed]] = listed
    return in_codes(rows, code, original.item_labels)
