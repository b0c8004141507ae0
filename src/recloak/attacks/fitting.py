"""Rows that hold all that is known: what `structure`, `label` and `homogeneity` look for."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recloak.attacks.base import Attack
from recloak.attacks.comparing import Way, asked
from recloak.attacks.crowd import Crowd, Tries
from recloak.attacks.postings import postings_of, rows_of
from recloak.attacks.scoring import bare, in_blocks
from recloak.findings import Figure, Finding
from recloak.kernels.scoreboard import fitting_candidates
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress, Task
from recloak.randomness import Randomness
from recloak.scene import Scene
from recloak.statistics import mean_figure, share_figure

REFERENCE = (
    "Chang, Thompson, Wang, Yao: Towards Publishing Recommendation Data With Predictive "
    "Anonymization. ASIACCS 2010."
)
ITEMS = Way("items", None)


class FittingParameters(Parameters):
    """What the adversary knows, and how often he tries."""

    known: int = Field(default=4, ge=1)
    """How many of the items that a person rated the adversary knows, picked at random."""

    tries: int = Field(default=1000, ge=2, le=1_000_000)
    """How many people are attacked, each drawn at random among those with enough ratings."""


class Fit(NamedTuple):
    """For each try: how many rows match all that is known, and how many different ones.

    Of these rows ``own`` are the person's, and ``alike`` look like the person's.
    """

    rows: NDArray[np.int64]
    looks: NDArray[np.int64]
    own: NDArray[np.int64]
    alike: NDArray[np.int64]

    @property
    def success(self) -> NDArray[np.float64]:
        """The chance that one of the rows, taken at random, is the person's."""
        return self.own / np.maximum(self.rows, 1)

    @property
    def group_found(self) -> NDArray[np.float64]:
        """The chance that it is one of the person's group."""
        return self.alike / np.maximum(self.rows, 1)

    @property
    def identified(self) -> NDArray[np.bool_]:
        """Are all rows that match identical, and the person's among them (Definition 5)?"""
        return np.asarray((self.own > 0) & (self.alike == self.rows))

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Do rows match, and none of the person's group is among them?"""
        return np.asarray((self.rows > 0) & (self.alike == 0))


def fitting(scene: Scene, tries: Tries, way: Way, task: Task) -> Fit:
    """The rows of a release that match what each try knows, compared in one way."""
    postings, rows = postings_of(scene.rows), rows_of(scene.rows)
    known = asked(scene, tries, way, days=0)
    found = np.empty((2, 5, len(tries)), np.int64)
    own_rows = (scene.linkage.offsets, scene.linkage.rows)
    each_once = postings._replace(sizes=np.ones_like(postings.sizes))

    def look(start: int, end: int) -> None:
        for table, told in zip((postings, each_once), found, strict=True):
            fitting_candidates(table, rows, known, *own_rows, tries.users, start, end, told)

    in_blocks(look, tries, task)
    return Fit(found[0, 0], found[1, 0], found[0, 1], found[0, 2])


class Fitting(Attack):
    """Base of `structure` and `label`: one of the rows that match all that is known is named.

    Identical rows are a group. The same tries are made on the original.
    """

    reference: ClassVar[str] = REFERENCE
    figures: ClassVar[tuple[str, ...]] = (
        "success",
        "group_found",
        "identified",
        "wrong",
        "groups",
        "success_original",
        "identified_original",
    )
    knows: ClassVar[str]
    Parameters: ClassVar[type[Parameters]] = FittingParameters
    parameters: FittingParameters

    @property
    def label(self) -> str:
        return f"knows {self.parameters.known} {self.knows}"

    @abstractmethod
    def ways(self, scene: Scene) -> list[Way]:
        """The ways in which he compares what he knows with a row."""

    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        known = self.parameters.known
        crowd = Crowd.of(scene, known)
        if len(crowd) == 0:
            why = f"Nobody has {known} ratings and a known row: not measured."
            return self._finding(scene, (), 0, seed, (why,))
        rng = Randomness.from_seed(seed).generator(self.name, known)
        tries = crowd.draw(self.parameters.tries, 0.0, rng)
        with progress.task(f"Looking for what is known, {known} known") as task:
            after, before = (
                {way: fitting(one, tries, way, task) for way in self.ways(one)}
                for one in (scene, bare(scene))
            )
        best = strongest_way(after)
        figures = _figures(after[best], before[strongest_way(before)])
        return self._finding(scene, figures, len(tries), seed, told_of_ways(after, best))

    def _finding(
        self,
        scene: Scene,
        figures: tuple[Figure, ...],
        sample: int,
        seed: int,
        notes: tuple[str, ...],
    ) -> Finding:
        summary = f"The adversary {self.label} of a person. {self.summary}"
        return self.finding(summary, figures, sample, seed, (scene.linkage.note, *notes))


def strongest_way(found: dict[Way, Fit]) -> Way:
    """The way that finds most rows; among equals the one that finds most groups."""
    return max(found, key=lambda way: (found[way].success.mean(), found[way].group_found.mean()))


def told_of_ways(found: dict[Way, Fit], best: Way) -> tuple[str, ...]:
    """Which way is reported, and how the others did; nothing where there is one way."""
    others = "; ".join(
        f"{way}: {fit.success.mean():.1%}" for way, fit in found.items() if way != best
    )
    said = f"Reported is what succeeds most: {best}. Success of the others: {others}."
    return (said,) if others else ()


def _figures(after: Fit, before: Fit) -> tuple[Figure, ...]:
    shares = {
        "success": (after.success, "tries that name the person's row, each that fits alike likely"),
        "group_found": (after.group_found, "tries that name a row of the person's group"),
        "identified": (after.identified, "tries in which only rows of the person's group fit"),
        "wrong": (after.wrong, "tries in which rows fit, none of them of the person's group"),
        "success_original": (before.success, "success on the unprotected original"),
        "identified_original": (before.identified, "the same on the unprotected original"),
    }
    found = [
        share_figure(name, outcomes.astype(np.float64), meaning)
        for name, (outcomes, meaning) in shares.items()
    ]
    told = "different groups that fit what is known"
    groups = mean_figure("groups", after.looks.astype(np.float64), "count", told)
    return (*found[:4], *groups, *found[4:])
