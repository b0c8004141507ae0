"""Costs of a row that lacks known items of a person, or has items beyond them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.core.arrays import Codes, Floats, Values
from recloak.core.kernels.record_distances import centred_norms
from recloak.evaluation.context import AuditContext
from recloak.releases.grouped import GroupedRelease

LONE = 0.25  # found best on MovieLens groups of 3 to 10, flat around it
ABSENCE = 0.25  # of a miss; found best on MovieLens groups, where half to all of it do as well
_SAME = 1e-6


@dataclass(frozen=True, eq=False)
class Costs:
    """Costs of a missing item and of a surplus one, as squared differences of ratings.

    Where a release implies the value of what it does not list, ``base`` holds that by item, and
    what is not listed is as far away as the implied value. A known rating of just that value need
    not show. Any other should, unless others cancel it or the release says that it hides cells
    (``all_shown`` is false), so that its absence counts in addition.
    """

    miss: float
    extra: float
    base: Floats
    surplus: Floats
    all_shown: bool

    @classmethod
    def of(cls, context: AuditContext, *, values: bool, whole: bool) -> Costs:
        """For an adversary who knows ``values`` or only items, of a ``whole`` record or a part."""
        rows, span, release = context.rows, context.rows.scale.span, context.release
        miss = span**2 if values and span > 0 else 1.0
        extra = miss if whole else 0.0
        if isinstance(release, GroupedRelease) and len(release.sizes):
            extra *= min(1.0, _raters(context) / float(release.sizes.mean()))
        base, surplus = np.empty(0), extra * rows.user_counts.astype(np.float64)
        if values and isinstance(release, GroupedRelease) and release.implied is not None:
            base = release.implied.astype(np.float64)
            surplus = np.zeros(rows.n_users)
            if whole:
                surplus = centred_norms(rows.offsets, rows.items, rows.values, base)
        hides = _raters(context) > 1 or rows.scale.step or context.public.get("grid")
        return cls(miss, extra, base, surplus, not hides)

    def misses(self, items: Codes, values: Values) -> Floats:
        """What a row is charged that lacks each of the known items."""
        charged = np.full(len(items), self.miss)
        if len(self.base) == 0:
            return charged
        listed = items >= 0
        apart = np.square(values[listed] - self.base[items[listed]])
        absent = self.all_shown & (apart >= _SAME)
        charged[listed] = apart + np.where(absent, ABSENCE * self.miss, 0.0)
        return charged


def _raters(context: AuditContext) -> float:
    """How many of a group's people an item of its profile speaks for.

    As many as the floor that the release states. Without one there is mostly one rater, and an
    item that a person lacks is then hardly evidence against the person's group.
    """
    floor = float(context.public.get("floor") or 0)
    return floor if floor > 1 else LONE
