"""What every guarantee offers: check a claim on a release, and name a witness if it is broken."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from recloak.core.component import Component
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.findings import Verdict
from recloak.io.reservations import Subject
from recloak.releases.base import Release


class Guarantee(Component, ABC):
    """A formal claim that can be checked without trusting whoever made it."""

    family: ClassVar[str] = "guarantee"

    @property
    def about(self) -> frozenset[Subject]:
        """What of a file the claim is about, beside which items stand in which row.

        Where that could not be compared as it stands there, the claim is not said to hold.
        """
        return frozenset({"values", "columns"})

    @abstractmethod
    def check(self, rows: Ratings, progress: Progress = SILENT) -> Verdict:
        """Check the claim on the rows of a release as they were read from disk."""

    def check_release(self, release: Release, progress: Progress = SILENT) -> Verdict:
        """Check the claim on a whole release, where it is about more than its rows."""
        return self.check(release.as_ratings(), progress)

    def check_beside(
        self, original: Ratings, target: Release | Ratings, progress: Progress = SILENT
    ) -> Verdict:
        """Check the claim with the original at hand, where it is about what people rated."""
        if isinstance(target, Release):
            return self.check_release(target, progress)
        return self.check(target, progress)
