"""Space: whole records of both sides, original and release, where they can be compared."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from recloak.core.arrays import Floats, Indices
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, in_codes, match_items
from recloak.evaluation.units import Units
from recloak.releases.grouped import GroupedRelease


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
