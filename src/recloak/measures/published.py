"""Published: what a release says of every cell, listed or implied, and whose rows say it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recloak.grouped import GroupedRelease
from recloak.kernels.cells import own_cells
from recloak.kernels.nearest_records import values_at
from recloak.ratings import Ratings
from recloak.scene import Codes, Scene, in_codes

NO_VALUES = "These data have no values that could differ."
NO_RATINGS = "There are no ratings."


@dataclass(frozen=True, eq=False)
class Published:
    """The rows of a release (a group's profile once), their items coded as in the original.

    ``base`` is what stands for a cell that is not listed, by item: what a grouped release says of
    it, else the middle of the original's scale. ``owned`` are the rows of each person, in the
    order of people, between ``offsets``.
    """

    rows: Ratings
    base: NDArray[np.float64]
    offsets: Codes
    owned: Codes

    @classmethod
    def of(cls, scene: Scene) -> Published:
        """As the scene shows it; the rows of a group's members are not written out."""
        release, linkage = scene.release, scene.linkage
        base = np.full(scene.original.n_items, scene.original.scale.middle)
        if not isinstance(release, GroupedRelease):
            return cls(_in_items_of(scene, scene.rows), base, linkage.offsets, linkage.rows)
        if release.implied is not None:
            listed = scene.item_in_release >= 0
            base[listed] = release.implied[scene.item_in_release[listed]]
        profile_of = release.groups[np.argsort(release.row_labels, kind="stable")]
        rows = _in_items_of(scene, release.profiles)
        return cls(rows, base, linkage.offsets, profile_of[linkage.rows])

    def listed(self, users: Codes, items: Codes) -> NDArray[np.float64]:
        """What people's own rows list for items (codes of the original); NaN where they do not."""
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
        told = np.full(len(users), np.nan)
        told[held] = values_at(
            owners[held],
            items[held].astype(np.int32),
            rows.offsets,
            rows.items,
            rows.values,
            self.base,
        )
        return told


def why_not(scene: Scene) -> str | None:
    """Why values cannot be compared, if they cannot."""
    if len(scene.original) == 0:
        return NO_RATINGS
    return NO_VALUES if scene.original.scale.span == 0 else None


def _in_items_of(scene: Scene, rows: Ratings) -> Ratings:
    """The rows with the original's item codes, ascending; items that it does not have are left."""
    codes, original = scene.item_in_release, scene.original
    if rows.n_items == len(codes) and np.array_equal(codes, np.arange(len(codes))):
        return rows
    code = np.full(rows.n_items, -1, dtype=np.int64)
    listed = np.flatnonzero(codes >= 0)
    code[codes[listed]] = listed
    return in_codes(rows, code, original.item_labels)
