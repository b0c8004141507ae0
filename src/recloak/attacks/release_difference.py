"""Attack `release-difference`: what someone learns who holds two releases of the same people."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from recloak.attacks.base import Attack
from recloak.findings import Figure, Finding
from recloak.grouped import GroupedRelease
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress
from recloak.randomness import Randomness
from recloak.scene import Previous, Scene, keeps_ids

NO_PREVIOUS = "There is no earlier release to compare with (--previous): not measured."
UNLIKE = (
    "What these two kinds of release give away together is not known how to ask: not attacked. "
    "Assume that a second release tells more."
)
NOBODY = "Nobody is known to have rows in both releases: not measured."


class ReleaseDifferenceParameters(Parameters):
    """How much is tried, and what the adversary has besides the two releases."""

    tries: int = Field(default=1000, ge=2, le=1_000_000)
    """How many rows or people are tried at most; fewer where there are very many rows."""

    share: float = Field(default=0.5, gt=0, lt=1)
    """The share of the people whom the adversary knows in full and makes a release of, to learn
    what rows of one person look like; rows of the rest are attacked."""

    known: int = Field(default=20, ge=1)
    """With so many known ratings Scoreboard-RH names a row to which others are joined."""

    recent: int = Field(default=3, ge=1)
    """With so many of the ratings that are new since the earlier release a row is sought among
    what is new."""


class Learnt(NamedTuple):
    """Figures, on how many rows or people, and how it was done; without figures, why not."""

    figures: tuple[Figure, ...]
    sample: int
    notes: tuple[str, ...]


class ReleaseDifference(Attack):
    """Compares a release with an earlier one.

    Rows that keep their ids tell which of them changed: those of one person change together.
    Rows under new ids that were cut otherwise overlap with several earlier ones, and so link
    them. Of people in groups, those in both a person's groups are few. Rows that are noisy copies
    of the same ratings are recognised by their items, and two draws of noise average out.
    ``linked`` is the share of tries in which two things that belong to one person are joined; what
    these are depends on the releases and is told with the figure.
    """

    name: ClassVar[str] = "release-difference"
    summary: ClassVar[str] = "Joins what belongs to one person by comparing two releases."
    figures: ClassVar[tuple[str, ...]] = (
        "linked",
        "linked_random",
        "linked_newer",
        "gain_joined",
        "gain_newer",
        "gain_single",
        "precision_joined",
        "found_recent",
        "found_recent_newer",
        "changed_rows",
        "candidates",
        "candidates_newer",
        "rated_given_both",
        "rated_given_newer",
        "moved_alone",
        "half_step_both",
        "half_step_newer",
    )
    Parameters: ClassVar[type[Parameters]] = ReleaseDifferenceParameters
    parameters: ReleaseDifferenceParameters

    @property
    def label(self) -> str:
        return "holds an earlier release too"

    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        notes: tuple[str, ...] = (scene.linkage.note,)
        if scene.previous is None:
            learnt = Learnt((), 0, (NO_PREVIOUS,))
        else:
            notes += (f"Of the earlier release: {scene.previous.linkage.note}",)
            with progress.task("Comparing two releases") as task:
                task.advance()
                learnt = self._compared(scene, scene.previous, seed, progress)
        summary = f"The adversary {self.label}. {self.summary}"
        notes += learnt.notes
        return self.finding(summary, learnt.figures, learnt.sample, seed, notes)

    def _compared(self, scene: Scene, previous: Previous, seed: int, progress: Progress) -> Learnt:
        """Ask what the two kinds of release call for."""
        told, rng = self.parameters, Randomness.from_seed(seed).generator(self.name)
        owned = [np.diff(one.linkage.offsets) for one in (scene, previous)]
        if not ((owned[0] > 0) & (owned[1] > 0)).any():
            return Learnt((), 0, (NOBODY,))
        if isinstance(scene.release, GroupedRelease) and isinstance(
            previous.release, GroupedRelease
        ):
            from recloak.attacks.difference_groups import compared_groups

            return Learnt(*compared_groups(scene.release, previous.release, scene, told.tries, rng))
        if not _are_tables(scene, previous):
            return Learnt((), 0, (UNLIKE,))
        if keeps_ids(previous.rows, scene.rows):
            from recloak.attacks.difference_growth import Watcher

            given = (told.tries, told.share, told.known, told.recent)
            return Learnt(*Watcher(scene, previous, *given, seed, rng).learnt(progress))
        if any((each > 1).any() for each in owned):
            from recloak.attacks.difference_overlap import compared_cuts

            return Learnt(*compared_cuts(scene, previous, told.tries, rng, progress))
        from recloak.attacks.difference_tables import compared_tables

        return Learnt(*compared_tables(scene, previous, told.tries, rng, progress))


def _are_tables(scene: Scene, previous: Previous) -> bool:
    """Are both plain tables, with rows of ratings that each stand for themselves?"""
    kinds = {one.manifest.kind for one in (scene.release, previous.release) if one is not None}
    return kinds <= {"ratings", "survey"}
