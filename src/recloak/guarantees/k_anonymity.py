"""Guarantee `k-anonymity`: every row occurs at least k times."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from recloak.core.arrays import Integers
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.core.row_classes import identical_groups
from recloak.evaluation.findings import Verdict
from recloak.guarantees._row_classes import RowClasses
from recloak.guarantees.base import Guarantee
from recloak.io.reservations import Subject
from recloak.releases.base import Release
from recloak.releases.grouped import GroupedRelease
from recloak.releases.stored import StoredRatings

WITNESS_ITEMS = 10


class KAnonymityParameters(Parameters):
    """How many rows must be alike, and in what."""

    k: int = Field(default=2, ge=2)
    """Each row must be identical to at least k − 1 others."""

    values: bool = True
    """Must the ratings be the same too, and their times where these are published (yes), or only
    the items that were rated (no)?"""


class KAnonymity(Guarantee):
    """Each row of the release occurs at least k times.

    Whoever knows everything about a person still faces k rows. It counts rows, not people: where
    one person may have several rows it says less. It says nothing about what the k have in common.
    """

    name: ClassVar[str] = "k-anonymity"
    summary: ClassVar[str] = "Every row is identical to at least k − 1 others."
    reference: ClassVar[str] = "Sweeney: k-Anonymity: A Model for Protecting Privacy. IJUFKS 2002."
    Parameters: ClassVar[type[Parameters]] = KAnonymityParameters
    parameters: KAnonymityParameters

    @property
    def about(self) -> frozenset[Subject]:
        """Everything, or with ``values=no`` the items alone."""
        return super().about if self.parameters.values else frozenset()

    @property
    def by_parts(self) -> bool:
        return True

    def check(self, rows: Ratings, progress: Progress = SILENT) -> Verdict:
        k = self.parameters.k
        with progress.task("Looking for rows that stand alone") as task:
            values = self.parameters.values
            group, sizes = identical_groups(rows, values=values, times=values)
            task.advance()
        alike = _compared(values=values, timed=rows.times is not None)
        if rows.n_users == 0:
            return Verdict(self.spec, "holds", "There are no rows.")
        smallest = int(sizes.min())
        how = f"All {rows.n_users:,} rows were compared by their {alike}: {len(sizes):,} groups."
        if smallest >= k:
            return Verdict(self.spec, "holds", f"{how} The smallest has {smallest:,} rows.")
        return self._short_of(rows, group, sizes, how)

    def check_release(self, release: Release, progress: Progress = SILENT) -> Verdict:
        """Of grouped people every profile must be shared by k; the rows need not be written out."""
        if isinstance(release, StoredRatings):
            return self._check_parts(release, progress)
        if not isinstance(release, GroupedRelease) or not len(release.sizes):
            return super().check_release(release, progress)
        k, profiles = self.parameters.k, release.profiles
        with progress.task("Looking for small groups") as task:
            group, _ = identical_groups(profiles, values=self.parameters.values)
            people = np.bincount(group, weights=release.sizes).astype(np.int64)
            task.advance()
        smallest = int(people.min())
        how = f"{len(release.sizes):,} groups hold {int(release.sizes.sum()):,} people."
        if smallest >= k:
            return Verdict(
                self.spec, "holds", f"{how} Each profile is shared by {smallest:,} or more."
            )
        return self._short_of(profiles, group, people, how)

    def _check_parts(self, release: StoredRatings, progress: Progress) -> Verdict:
        """All rows by their fingerprints; one part at a time is in memory."""
        k, values = self.parameters.k, self.parameters.values
        names, group, sizes = RowClasses.of(release, progress, values=values, times=values)
        smallest = int(sizes.min(initial=k))
        timed = release.manifest.times != "dropped"
        how = (
            f"All {len(names):,} rows were compared by 128-bit fingerprints of their "
            f"{_compared(values=values, timed=timed)}: {len(sizes):,} groups."
        )
        if smallest >= k:
            return Verdict(self.spec, "holds", f"{how} The smallest has {smallest:,} rows.")
        alone = names[np.flatnonzero(sizes[group] == smallest)[:1]]
        witness = _witness(release.rows_called(alone), 0, smallest)
        return self._broken(sizes, how, witness)

    def _short_of(self, rows: Ratings, group: Integers, sizes: Integers, how: str) -> Verdict:
        """A verdict with the smallest group as its witness."""
        smallest = int(sizes.min())
        witness = _witness(rows, int(np.flatnonzero(sizes[group] == smallest)[0]), smallest)
        return self._broken(sizes, how, witness)

    def _broken(self, sizes: Integers, how: str, witness: dict[str, Any]) -> Verdict:
        k = self.parameters.k
        short = int(sizes[sizes < k].sum())
        return Verdict(self.spec, "broken", f"{how} {short:,} rows have fewer than {k}.", witness)


def _compared(*, values: bool, timed: bool) -> str:
    if not values:
        return "items"
    return "items, ratings and times" if timed else "items and ratings"


def _witness(rows: Ratings, row: int, size: int) -> dict[str, Any]:
    items, values = rows.row(row)
    shown = items[:WITNESS_ITEMS]
    start = rows.offsets[row]
    times = {} if rows.times is None else {"their times": rows.times[start:][: len(shown)].tolist()}
    return {
        "row": str(rows.user_labels[row]),
        "rows like it": size,
        "ratings": len(items),
        "first items": [str(rows.item_labels[item]) for item in shown],
        "their values": [round(float(value), 6) for value in values[:WITNESS_ITEMS]],
        **times,
    }
