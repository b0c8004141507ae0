"""What every guarantee offers: check a claim on a release, and name a witness if it is broken."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from recloak.core.component import Component
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.core.staged_ratings import RatingsElsewhere
from recloak.evaluation.findings import Finding, Verdict
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

    @property
    def by_parts(self) -> bool:
        """Can it be checked on a whole release of which one part at a time is in memory?"""
        return False

    @abstractmethod
    def check(self, rows: Ratings, progress: Progress = SILENT) -> Verdict:
        """Check the claim on the rows of a release as they were read from disk.

        Parameters
        ----------
        rows
            What the release holds; users are its rows.
        progress
            Where to report how far the work is.

        Returns
        -------
        Verdict
            Holds, broken or undecided, how that was found out, and a witness if it is broken.

        """

    def check_release(self, release: Release, progress: Progress = SILENT) -> Verdict:
        """Check the claim on a whole release, where it is about more than its rows.

        By default it is about the rows alone, and `check` is asked.
        """
        return self.check(release.as_ratings(), progress)

    def check_beside(
        self,
        original: Ratings | RatingsElsewhere,
        target: Release | Ratings,
        progress: Progress = SILENT,
    ) -> Verdict:
        """Check the claim with the original at hand, where it is about what people rated.

        Of an original that is not in memory it is known how often each person and item occurs.
        By default the original is not looked at. Without one, a claim that needs it is undecided.
        """
        if isinstance(target, Release):
            return self.check_release(target, progress)
        return self.check(target, progress)

    @property
    def refuting_attacks(self) -> tuple[str, ...]:
        """The attacks that an audit runs because they may refute the claim."""
        return ()

    def beside_attacks(self, verdict: Verdict, attacks: Sequence[Finding]) -> Verdict:
        """The ``verdict`` on this claim after an audit attacked the release.

        By default no attack can refute a claim that was checked.
        """
        return verdict
