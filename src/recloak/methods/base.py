"""What every method offers: declared parameters, a promise, and `apply`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal, NamedTuple

import recloak
from recloak.core.claim import Claim
from recloak.core.component import Component
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.releases.base import Release
from recloak.releases.manifest import Manifest
from recloak.releases.secret import Secret


class Applied(NamedTuple):
    """The release, the secret that would re-link it, and notes for whoever publishes."""

    release: Release
    secret: Secret
    notes: tuple[str, ...] = ()


class Method(Component, ABC):
    """A named recipe that turns ratings into a release.

    A new method declares its class attributes and its parameter model and implements `apply`;
    flags, config keys, manifests and documentation follow from the declaration.
    """

    family: ClassVar[str] = "method"
    promise: ClassVar[str]
    caveat: ClassVar[str | None] = None
    row_ids: ClassVar[Literal["random", "original"]] = "random"
    made_up: ClassVar[bool] = False
    """Are the rows of its releases made-up people?"""
    rehearses_whole_rows: ClassVar[bool] = False
    """Must a rehearsal show it whole rows, because which cells are empty decides what it does?"""

    @abstractmethod
    def apply(
        self,
        ratings: Ratings,
        randomness: Randomness | None = None,
        progress: Progress = SILENT,
    ) -> Applied:
        """Make a release of the ratings, which are not changed.

        Parameters
        ----------
        ratings
            What is to be published.
        randomness
            Where random numbers come from; without it, from the operating system.
        progress
            Where to report how far the work is.

        Raises
        ------
        InputError
            If the method cannot be applied to these ratings.
        ParameterError
            If its parameters do not fit these ratings.
        """

    def claims(self) -> list[Claim]:
        """What the method promises formally with its parameters; each will be checked."""
        return []

    def why_not_by_blocks(self) -> str | None:
        """Why it needs all ratings in memory with these parameters; None if it does not."""
        return f"the method {self.name} needs all people at once"

    def most_ratings(self, ratings: Ratings) -> int:
        """How many ratings a release may hold at most, to estimate the memory that it needs."""
        return ratings.n_ratings

    def manifest(
        self, ratings: Ratings, randomness: Randomness, kind: str, times: str = "dropped"
    ) -> Manifest:
        """The manifest of a release whose rows are ``ratings``."""
        return Manifest(
            recloak=recloak.__version__,
            release_id=randomness.stream("release id").token(),
            kind=kind,
            method=self.name,
            parameters=self.parameters.public(),
            claims=[str(claim) for claim in self.claims()],
            scale=str(ratings.scale),
            rows=ratings.n_users,
            items=ratings.n_items,
            ratings=ratings.n_ratings,
            times=times,
            row_ids=self.row_ids,
            reproducible=randomness.guessable,
            not_for_publication=self.reasons_not_to_publish(randomness.guessable),
        )

    def reasons_not_to_publish(self, guessable: bool) -> list[str]:
        """Why a release of this method, made under a guessable seed or not, must stay inside."""
        reasons = [self.caveat] if self.caveat else []
        if guessable:
            reasons.append(
                "made under a seed of fewer than 128 bits, which can be found by trying and "
                "undoes pseudonyms, shuffle and noise"
            )
        return reasons
