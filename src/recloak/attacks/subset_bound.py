"""Attack `subset-bound`: how much must be known to single out a row? Counted, not tried."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recloak.attacks.base import Attack
from recloak.attacks.postings import postings_of, rows_of
from recloak.findings import Figure, Finding
from recloak.kernels.subsets import singled_out
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress, Task
from recloak.randomness import Randomness
from recloak.scene import Scene
from recloak.statistics import mean_figure, share_figure
from recloak.threads import in_threads

PEOPLE_PER_BLOCK = 16
EXACT = 12
_UNTRUE = (
    "Nobody with {known} ratings has rows that hold these as they are, all of them: there is "
    "nothing to count."
)


class SubsetBoundParameters(Parameters):
    """How much is known, and of how many people it is counted."""

    known: int = Field(default=5, ge=1, le=200)
    """How many of a person's ratings the adversary knows exactly."""

    people: int = Field(default=500, ge=1, le=10_000_000)
    """For how many people it is counted, drawn at random among those with enough ratings."""


class SubsetBound(Attack):
    """For a person, counts the choices of known ratings that single out one of their rows.

    A row is singled out if no other row of the release has what is known of it. The count is over
    all choices of so many of the person's ratings, and exact for short rows. Of rows with more
    than 12 ratings, subsets of three and more ratings are counted as standing in no other row
    unless one of the rows that share most with it has them: the share can only be too high. The
    adversary is taken to know which of the ratings stand in one row, which helps him as well; he
    guesses nothing and takes each row by itself, so that one who goes by likelihood, or leaves out
    rows that share an item with one that he has found, can still do better.
    """

    name: ClassVar[str] = "subset-bound"
    summary: ClassVar[str] = "Counts how often what is known of a row stands in no other row."
    figures: ClassVar[tuple[str, ...]] = (
        "singled_out",
        "singled_out_several",
        "rows_singled_out",
        "items_singled_out",
    )
    Parameters: ClassVar[type[Parameters]] = SubsetBoundParameters
    parameters: SubsetBoundParameters

    @property
    def label(self) -> str:
        return f"any {self.parameters.known} ratings"

    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        told = self.parameters
        able = np.flatnonzero(scene.original.user_counts >= told.known)
        users = np.intersect1d(able, scene.linkage.linked)
        rng = Randomness.from_seed(seed).generator(self.name)
        users = np.sort(rng.permutation(users)[: told.people])
        users = users[[_holds_the_truth(scene, user) for user in users]]
        if len(users) == 0:
            return self._finding(scene, seed, (), 0, (_UNTRUE.format(known=told.known),))
        blocks = [
            (start, min(start + PEOPLE_PER_BLOCK, len(users)))
            for start in range(0, len(users), PEOPLE_PER_BLOCK)
        ]
        with progress.task("Counting what singles out", len(blocks)) as task:
            counted = self._counted(scene, users, blocks, task)
        return self._finding(scene, seed, _figures(counted), len(users), ())

    def _counted(
        self,
        scene: Scene,
        users: NDArray[np.int64],
        blocks: list[tuple[int, int]],
        task: Task,
    ) -> NDArray[np.float64]:
        found = np.empty((len(users), 4))
        table = (postings_of(scene.rows), rows_of(scene.rows))
        given = (*table, scene.linkage.offsets, scene.linkage.rows, users)
        known = self.parameters.known
        in_threads(lambda a, b: singled_out(*given, known, EXACT, a, b, found), blocks, task)
        return found

    def _finding(
        self,
        scene: Scene,
        seed: int,
        figures: tuple[Figure, ...],
        sample: int,
        notes: tuple[str, ...],
    ) -> Finding:
        summary = f"Of {self.label} of a person. {self.summary}"
        return self.finding(summary, figures, sample, seed, (*notes, scene.linkage.note))


def _holds_the_truth(scene: Scene, user: int) -> bool:
    """Do a person's rows hold all of their ratings as they are, and nothing else?"""
    items, values = scene.original.row(user)
    published = [scene.rows.row(row) for row in scene.linkage.rows_of(user)]
    theirs = np.concatenate([one for one, _ in published])
    told = np.concatenate([one for _, one in published])
    mine, place = scene.item_in_release[items], np.argsort(theirs, kind="stable")
    order = np.argsort(mine, kind="stable")
    same_items = np.array_equal(mine[order], theirs[place])
    return same_items and np.array_equal(values[order], told[place])


def _figures(counted: NDArray[np.float64]) -> tuple[Figure, ...]:
    """Means over people of what was counted for each."""
    choices = "choices of known ratings that single out"
    one, several, rows, items = counted.T
    return (
        share_figure("singled_out", one, f"{choices} a row of the person"),
        share_figure("singled_out_several", several, f"{choices} two rows of the person or more"),
        *mean_figure("rows_singled_out", rows, "count", "rows of the person singled out"),
        *mean_figure("items_singled_out", items, "count", "further ratings in these rows"),
    )
