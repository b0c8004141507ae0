"""Space: whole records of both sides, original and release, where they can be compared."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from recloak.attacks.gains import Units
from recloak.grouped import GroupedRelease
from recloak.ratings import Ratings
from recloak.scene import Codes, Scene, in_codes, match_items


@dataclass(frozen=True, eq=False)
class Space:
    """Original and rows in codes of the same items and on the same scale.

    ``base`` is what a cell counts as that is not listed, by item.
    """

    original: Ratings
    rows: Ratings
    base: NDArray[np.float64]

    @classmethod
    def of(cls, scene: Scene) -> Space:
        """On the scale of the release; by items alone where one side has no values to compare."""
        units = Units.between(scene.original.scale, scene.rows.scale)
        original, rows, n_items, code = _same_items(scene)
        if not units.comparable:
            return cls(_marks(original), _marks(rows), np.zeros(n_items))
        converted = units.converted(original.values)
        if converted is not original.values:
            original = original.with_values(converted, rows.scale)
        middle = units.factor * scene.original.scale.middle + units.shift
        base = np.full(n_items, middle)
        release = scene.release
        if isinstance(release, GroupedRelease) and release.implied is not None:
            base[code] = release.implied
        return cls(original, rows, base)


def _marks(ratings: Ratings) -> Ratings:
    """What is left where values cannot be compared: 1 for every cell that is there."""
    return ratings.with_values(np.ones(len(ratings), np.float32))


def _same_items(scene: Scene) -> tuple[Ratings, Ratings, int, Codes]:
    """Both sides in codes of the same items, their number, and that of each item of the release.

    Items that only the release has come after those of the original.
    """
    original, rows = scene.original, scene.rows
    if original.n_items == rows.n_items and np.array_equal(
        scene.item_in_release, np.arange(rows.n_items)
    ):
        return original, rows, rows.n_items, np.arange(rows.n_items)
    code = match_items(rows, original)
    fresh = np.flatnonzero(code < 0)
    code[fresh] = original.n_items + np.arange(len(fresh))
    labels = np.arange(original.n_items + len(fresh))
    wide = replace(original, item_labels=labels)
    return wide, in_codes(rows, code, labels), len(labels), code
