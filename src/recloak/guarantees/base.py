"""What every guarantee offers: check a claim on a release, and name a witness if it is broken."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from recloak.component import Component
from recloak.findings import Verdict
from recloak.progress import SILENT, Progress
from recloak.ratings import Ratings
from recloak.release import Release


class Guarantee(Component, ABC):
    """A formal claim that can be checked without trusting whoever made it."""

    family: ClassVar[str] = "guarantee"

    @abstractmethod
    def check(self, rows: Ratings, progress: Progress = SILENT) -> Verdict:
        """Look at the rows of a release as they were read from disk."""

    def check_release(self, release: Release, progress: Progress = SILENT) -> Verdict:
        """Look at a whole release; a claim about more than its rows is checked here."""
        return self.check(release.as_ratings(), progress)

    def check_beside(
        self, original: Ratings, target: Release | Ratings, progress: Progress = SILENT
    ) -> Verdict:
        """The same with the original at hand; a claim about what people rated is decided here."""
        if isinstance(target, Release):
            return self.check_release(target, progress)
        return self.check(target, progress)
