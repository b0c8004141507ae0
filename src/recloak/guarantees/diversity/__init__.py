"""Guarantee `diversity`: no b items that someone rated point to fewer than l groups."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.core.row_classes import identical_groups
from recloak.core.staged_ratings import RatingsElsewhere
from recloak.evaluation.context import match_items
from recloak.evaluation.findings import Status, Verdict
from recloak.guarantees.base import Guarantee
from recloak.guarantees.diversity._items import ItemHolders
from recloak.guarantees.diversity._sets import Coverage, Shortage
from recloak.io.reservations import Subject
from recloak.releases.base import Release
from recloak.releases.grouped import GroupedRelease
from recloak.releases.stored import StoredRatings

WITNESS_GROUPS = 10
_NEEDS_ORIGINAL = (
    "Only the original tells whether someone rated these together: give it with --original."
)
_TAKEN_FOR_GRANTED = (
    "It is assumed that profiles list everything that their members rated; with --original "
    "that is checked as well."
)


class DiversityParameters(Parameters):
    """How many items an adversary may know, and how many groups must hold them."""

    b: int = Field(default=1, ge=1)
    """How many items of a person an adversary may know."""

    l: int = Field(default=2, ge=1)  # noqa: E741 - the paper's name
    """Any b items that someone rated must all be in the profiles of at least this many groups."""


class Diversity(Guarantee):
    """Every set of b items that some person rated is held by the profiles of at least l groups.

    Whoever knows b items of a person still faces l groups. It says nothing of what these groups
    have in common, and it counts groups as they are listed: two with the same profile are two.
    Of a plain table, the groups are the distinct rows.

    With the original it is decided for b up to 2. For more items it holds if the whole row of
    each person is in l profiles; otherwise sets are sampled, which can break the claim but not
    prove it. Without the original every set within a profile stands for those that were rated.
    Where profiles list all that their people rated, that asks for more, so that a set which falls
    short leaves the claim undecided. Where they leave something out it asks for less, which only
    the original shows: the verdict says so.
    """

    name: ClassVar[str] = "diversity"
    summary: ClassVar[str] = "Any b items that someone rated are those of at least l groups."
    reference: ClassVar[str] = (
        "Chang, Thompson, Wang, Yao: Towards Publishing Recommendation Data With Predictive "
        "Anonymization. ASIACCS 2010, definition 6."
    )
    Parameters: ClassVar[type[Parameters]] = DiversityParameters
    parameters: DiversityParameters

    @property
    def about(self) -> frozenset[Subject]:
        """The items alone."""
        return frozenset()

    def check(self, rows: Ratings, progress: Progress = SILENT) -> Verdict:
        return self._verdict(rows, None, progress)

    @property
    def by_parts(self) -> bool:
        """Of single items alone: those are counted."""
        return self.parameters.b == 1

    def check_release(self, release: Release, progress: Progress = SILENT) -> Verdict:
        return self._verdict(release, None, progress)

    def check_beside(
        self,
        original: Ratings | RatingsElsewhere,
        target: Release | Ratings,
        progress: Progress = SILENT,
    ) -> Verdict:
        return self._verdict(target, original, progress)

    def _verdict(
        self,
        target: Release | Ratings,
        original: Ratings | RatingsElsewhere | None,
        progress: Progress,
    ) -> Verdict:
        b, wanted = self.parameters.b, self.parameters.l
        if b == 1:
            return self._single_items(target, original, progress)
        profiles = _profiles(target)
        reference = original if isinstance(original, Ratings) else profiles
        coverage = Coverage.of(profiles, reference, match_items(reference, profiles), progress)
        if b == 2:
            found = coverage.short_pair(wanted, progress)
        else:
            found = coverage.short_set(b, wanted, progress)
        witness = None if found.items is None else _witness(reference, profiles, found)
        return self._said(found, profiles.n_users, witness, isinstance(original, Ratings))

    def _single_items(
        self,
        target: Release | Ratings,
        original: Ratings | RatingsElsewhere | None,
        progress: Progress,
    ) -> Verdict:
        """Whether each item that someone rated is in enough groups; exact, by counting."""
        if isinstance(target, StoredRatings):
            holders = ItemHolders.of(target, progress)
        else:
            profiles = _profiles(target)
            holders = ItemHolders.of_parts(lambda: iter([profiles]), progress)
        items, counts = holders.rated_in(original)
        looked_at, wanted = f"All {len(items):,} items", self.parameters.l
        fewest = int(counts.min(initial=holders.groups))
        if not len(items) or fewest >= wanted:
            found = Shortage(looked_at, f"Each is in {fewest:,} or more.", proven=True)
            return self._said(found, holders.groups, None, original is not None)
        found = Shortage(looked_at, f"{int((counts < wanted).sum()):,} items fall short.")
        rarest = items[counts.argmin()]
        witness = {
            "items": [str(rarest)],
            "groups that hold them": fewest,
            "first groups": holders.first_holders(rarest, WITNESS_GROUPS),
        }
        return self._said(found, holders.groups, witness, original is not None)

    def _said(
        self, found: Shortage, groups: int, witness: dict[str, Any] | None, beside: bool
    ) -> Verdict:
        """The verdict; ``beside`` the original, or without it."""
        rated = "that someone rated" if beside else "within a profile"
        how = f"{found.looked_at} {rated} were looked up in {groups:,} groups."
        if witness is None:
            status: Status = "holds" if found.proven else "undecided"
            granted = [] if beside or not found.proven else [_TAKEN_FOR_GRANTED]
            return Verdict(self.spec, status, " ".join([how, found.result, *granted]))
        if not beside:
            return Verdict(
                self.spec, "undecided", f"{how} {found.result} {_NEEDS_ORIGINAL}", witness
            )
        return Verdict(self.spec, "broken", f"{how} {found.result}", witness)


def _profiles(target: Release | Ratings) -> Ratings:
    if isinstance(target, GroupedRelease):
        return target.profiles
    return _distinct(target.as_ratings() if isinstance(target, Release) else target)


def _distinct(rows: Ratings) -> Ratings:
    """One of each kind of row."""
    if rows.n_users == 0:
        return rows
    group, _ = identical_groups(rows, values=True)
    return rows.take_users(np.unique(group, return_index=True)[1])


def _witness(reference: Ratings, profiles: Ratings, found: Shortage) -> dict[str, Any]:
    assert found.items is not None
    shown = profiles.user_labels[found.groups[:WITNESS_GROUPS]]
    return {
        "items": [str(reference.item_labels[item]) for item in found.items],
        "groups that hold them": len(found.groups),
        "first groups": [str(group) for group in shown],
    }
