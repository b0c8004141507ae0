"""What an audit looks at: everything, or of a release on disk a keyed sample of people."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings
from recloak.core.staged_ratings import RatingsElsewhere
from recloak.methods import Applied, BlockMethod
from recloak.publishing._disk_release import AppliedByBlocks
from recloak.releases.base import Release
from recloak.releases.ratings import RatingsRelease
from recloak.releases.secret import Secret
from recloak.releases.stored import StoredRatings


class AuditSubject(NamedTuple):
    """Original and release as an audit takes them, who is who, and what must be said of it."""

    original: Ratings
    release: Release
    secret: Secret
    notes: tuple[str, ...] = ()


class SampledPeople:
    """Chooses the people of a release on disk whom its audit looks at."""

    most_ratings: ClassVar[int] = 1 << 23
    """How many ratings they have at most; who has fewer is audited as in memory."""

    def __init__(
        self, staged: RatingsElsewhere, recipe: BlockMethod, made: AppliedByBlocks
    ) -> None:
        self._staged, self._recipe, self._made = staged, recipe, made

    def subject(self, release: Release, applied: Applied) -> AuditSubject:
        """Their ratings and their rows as they were written."""
        assert isinstance(release, StoredRatings)
        staged, people = self._staged, np.arange(self._staged.n_users)
        if staged.n_ratings > self.most_ratings:
            people = self._made.people.sample(staged.user_counts, self.most_ratings)
        original = staged.of_people(people)
        secret = self._secret_of(people, original, applied.secret)
        everyone = len(people) == staged.n_users
        rows = release.as_ratings() if everyone else release.rows_called(secret.pseudonyms)
        return AuditSubject(
            original,
            RatingsRelease(release.manifest, rows),
            secret,
            () if everyone else (_note(len(people), staged.n_users, original.n_ratings),),
        )

    def _secret_of(
        self, people: np.ndarray[tuple[int], np.dtype[np.int64]], original: Ratings, secret: Secret
    ) -> Secret:
        """The part of the secret that is about these people; rows are made again to choose by."""
        place = np.full(self._staged.n_users, -1, np.int64)
        place[people] = np.arange(len(people))
        theirs = place[secret.owners] >= 0
        recipe, made = self._recipe, self._made
        owned = recipe.part(recipe.coarse(original), made.shared, made.people[people], SILENT)
        return Secret(
            release_id=secret.release_id,
            root=secret.root,
            user_labels=original.user_labels,
            owners=place[secret.owners[theirs]],
            pseudonyms=secret.pseudonyms[theirs],
            chooser=owned.chooser,
            founders=None if secret.founders is None else secret.founders[theirs],
        )


def _note(people: int, of: int, ratings: int) -> str:
    return (
        f"Audited on a random sample: {people:,} of {of:,} people, with {ratings:,} ratings. "
        "Among fewer rows people are found more easily, so attacks that search all rows "
        "overstate their success."
    )
