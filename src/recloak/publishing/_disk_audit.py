"""What an audit looks at: everything, or of a release on disk a keyed sample of people."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, NamedTuple

import numpy as np

from recloak.core.arrays import Indices
from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings
from recloak.core.staged_ratings import RatingsElsewhere
from recloak.evaluation.all_rows import Everyone
from recloak.methods import Applied, BlockMethod
from recloak.methods.synthetic import Synthetic
from recloak.publishing._disk_release import AppliedByBlocks, ByBlocks
from recloak.releases.base import Release
from recloak.releases.grouped import GroupedRelease
from recloak.releases.secret import NoSecret, Secret
from recloak.releases.stored import StoredRatings


class AuditSubject(NamedTuple):
    """Original and release as an audit takes them, who is who, and what must be said of it.

    Of a sample, ``everyone`` reads all rows for attacks that seek people among these.
    """

    original: Ratings
    release: Release
    secret: Secret
    notes: tuple[str, ...] = ()
    everyone: Everyone | None = None

    @property
    def sampled(self) -> bool:
        """Is it a sample of the people, which a note says?"""
        return bool(self.notes)


class SampledPeople:
    """Chooses the people of a release on disk whom its audit looks at."""

    most_ratings: ClassVar[int] = 1 << 23
    """How many ratings they have at most; who has fewer is audited as in memory."""

    def __init__(self, staged: RatingsElsewhere, recipe: ByBlocks, made: AppliedByBlocks) -> None:
        self._staged, self._recipe, self._made = staged, recipe, made

    def subject(self, release: Release, applied: Applied) -> AuditSubject:
        """Their ratings and their rows as they were written."""
        if isinstance(release, GroupedRelease):
            return self._groups(release, applied.secret)
        assert isinstance(release, StoredRatings)
        staged, people = self._staged, np.arange(self._staged.n_users)
        if staged.n_ratings > self.most_ratings:
            people = self._made.people.sample(staged.user_counts, self.most_ratings)
        original = staged.of_people(people)
        everyone = len(people) == staged.n_users
        made_up = isinstance(self._recipe, Synthetic)
        notes = () if everyone else (_note(original, staged.n_users, made_up=made_up),)
        if isinstance(self._recipe, Synthetic):
            nobody = NoSecret.of(
                applied.secret.release_id, applied.secret.root, original.user_labels
            )
            return AuditSubject(original, self._made_up_rows(release), nobody, notes)
        assert isinstance(self._recipe, BlockMethod)
        secret = self._secret_of(self._recipe, people, original, applied.secret)
        rows = release.as_ratings() if everyone else release.rows_called(secret.pseudonyms)
        of_all = None if everyone else self._everyone(release, people, rows)
        in_memory = release.in_memory(release.manifest, rows)
        return AuditSubject(original, in_memory, secret, notes, of_all)

    def _everyone(self, release: StoredRatings, people: Indices, rows: Ratings) -> Everyone | None:
        staged, reader = self._staged, self._made.reader
        if reader is None:
            return None
        none = rows.take_users(np.empty(0, np.int64))
        blank = replace(none, item_labels=staged.item_labels)
        released = reader.rows(release, blank)
        return Everyone(reader.people(), released, people, staged.item_support)

    def _groups(self, release: GroupedRelease, secret: Secret) -> AuditSubject:
        """Some of the groups with all their members; ids are random, so the first are a sample."""
        staged, order = self._staged, np.argsort(release.row_labels)
        rows = order[np.searchsorted(release.row_labels, secret.pseudonyms, sorter=order)]
        group_of = release.groups[rows]  # of each person, for the secret has them in their order
        ratings = np.bincount(group_of, weights=staged.user_counts).cumsum()
        count = max(1, int(np.searchsorted(ratings, self.most_ratings, side="right")))
        people = np.flatnonzero(group_of < count)
        original = staged.of_people(people)
        theirs = replace(
            secret,
            user_labels=original.user_labels,
            owners=np.arange(len(people)),
            pseudonyms=secret.pseudonyms[people],
        )
        notes = (_note(original, staged.n_users),) if len(people) < staged.n_users else ()
        return AuditSubject(original, release.first_groups(count), theirs, notes)

    def _made_up_rows(self, release: StoredRatings) -> Release:
        """Some of the made-up people; their names are random, so the first are a sample."""
        count, rows = release.manifest.ratings, release.row_labels
        if count > self.most_ratings:
            rows = rows[: max(1, len(rows) * self.most_ratings // count)]
            return release.in_memory(release.manifest, release.rows_called(rows))
        return release.in_memory(release.manifest, release.as_ratings())

    def _secret_of(
        self, recipe: BlockMethod, people: Indices, original: Ratings, secret: Secret
    ) -> Secret:
        """The part of the secret that is about these people; rows are made again to choose by."""
        place = np.full(self._staged.n_users, -1, np.int64)
        place[people] = np.arange(len(people))
        theirs = place[secret.owners] >= 0
        made = self._made
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


def _note(sampled: Ratings, of: int, *, made_up: bool = False) -> str:
    who = f"{sampled.n_users:,} of {of:,} people, with {sampled.n_ratings:,} ratings"
    if made_up:
        return (
            f"Audited on random samples: {who}, and no more of the made-up people. Rehearsals "
            "learn from these people alone, each of whom weighs more there than in the release, "
            "so that attacks on a rehearsal overstate their success."
        )
    return (
        f"Audited on a random sample: {who}. Attacks that sought them among all rows say so. The "
        "others had the rows of the sample: among fewer rows people are found more easily, so "
        "these attacks overstate their success."
    )
