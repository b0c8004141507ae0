"""Attack `homogeneity`: what does a group tell of its members, once it is found?"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.attacks.base import Attack
from recloak.attacks.crowd import Crowd, Tries
from recloak.attacks.fitting import ITEMS, REFERENCE, FittingParameters, fitting
from recloak.attacks.gains import Units
from recloak.attacks.scoring import bare
from recloak.findings import Figure, Finding
from recloak.grouped import GroupedRelease
from recloak.measures.neighbour_prediction import Cells, means_of_others
from recloak.measures.published import Published
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress
from recloak.randomness import Randomness
from recloak.scene import Codes, Scene
from recloak.statistics import ratio_figure

EXACT = 1e-5  # what single precision may take from a rating
CLOSE = 1e-3  # of half a step: what lies so near to the middle between two ratings is a guess

_MEANINGS = {
    "exact": "other ratings of a person whose group is known that its profile prints exactly",
    "half_step": "the same, within half a step: the profile tells them if rounded, a tie by half",
    "item_mean": "the same, told by the mean of what all others rated the item",
    "learnt": "other ratings told within half a step where what is known leaves one group",
    "learnt_original": "other ratings told where what is known leaves one row of the original",
}


class Homogeneity(Attack):
    """Knows some items that a person rated, and reads the rest from the group that has them all.

    If all rows that hold the known items are identical, the person's profile is uniquely
    identified, however many people share it. How much it then tells is given for everyone whose
    group is known, however it was found, and beside it what the mean rating of an item tells: no
    release is needed for that.
    """

    name: ClassVar[str] = "homogeneity"
    summary: ClassVar[str] = "Reads a person's other ratings from the profile of their group."
    reference: ClassVar[str] = REFERENCE
    figures: ClassVar[tuple[str, ...]] = ("identified", "identified_original", *_MEANINGS)
    Parameters: ClassVar[type[Parameters]] = FittingParameters
    parameters: FittingParameters

    @property
    def label(self) -> str:
        return f"knows {self.parameters.known} items"

    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        known = self.parameters.known
        # somebody of whom all is known has no other ratings
        crowd = replace(Crowd.of(scene, known + 1), known=known, upto=known)
        if len(crowd) == 0:
            why = f"Nobody has more than {known} ratings and a known row: not measured."
            return self._finding((), 0, seed, (scene.linkage.note, why))
        rng = Randomness.from_seed(seed).generator(self.name, known)
        tries = crowd.draw(self.parameters.tries, 0.0, rng)
        with progress.task(f"Reading from groups, {known} known") as task:
            after, before = (
                fitting(one, tries, ITEMS, task).identified for one in (scene, bare(scene))
            )
            told = _told(scene, tries)
            task.advance()
        return self._finding(_figures(told, after, before), len(tries), seed, (scene.linkage.note,))

    def _finding(
        self, figures: tuple[Figure, ...], sample: int, seed: int, notes: tuple[str, ...]
    ) -> Finding:
        summary = f"The adversary {self.label} of a person and reads what their group tells."
        return self.finding(summary, figures, sample, seed, notes)


class Told(NamedTuple):
    """For each try: how many other ratings there are, and how many are told in which way."""

    others: NDArray[np.float64]
    exact: NDArray[np.float64]
    half_step: NDArray[np.float64]
    item_mean: NDArray[np.float64]


def _told(scene: Scene, tries: Tries) -> Told:
    original = scene.original
    which, positions = _others(scene, tries)
    items, truth = original.items[positions], original.values[positions]
    shown = _shown(scene, tries.users[which], items)
    units = Units.between(original.scale, scene.rows.scale)
    apart = np.abs(shown - units.converted(truth))
    mean = means_of_others(original, Cells(which, items, truth.astype(np.float64)))
    off = np.abs(mean - truth)
    counted = (
        np.ones(len(which)),
        apart <= EXACT * max(units.factor, 1.0),
        _rounded(apart / (original.scale.tolerance * units.factor)),
        _rounded(off / original.scale.tolerance),
    )
    return Told(*(np.bincount(which, one, len(tries)).astype(np.float64) for one in counted))


def _rounded(half_steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Is it told, once rounded? Half way between two ratings he guesses: half of one."""
    return (half_steps < 1 - CLOSE) + 0.5 * (np.abs(half_steps - 1) <= CLOSE)


def _others(scene: Scene, tries: Tries) -> tuple[Codes, Codes]:
    """Try and place of every rating that is not known; a person's ratings stand together."""
    original = scene.original
    counts = original.user_counts[tries.users]
    which = np.repeat(np.arange(len(tries)), counts)
    starts = np.cumsum(counts) - counts
    within = np.arange(len(which)) - starts[which]
    positions = original.offsets[tries.users][which] + within
    known = np.repeat(np.arange(len(tries)), np.diff(tries.offsets))
    unknown = np.ones(len(which), np.bool_)
    unknown[starts[known] + tries.positions - original.offsets[tries.users[known]]] = False
    return which[unknown], positions[unknown]


def _shown(scene: Scene, users: Codes, items: NDArray[np.int32]) -> NDArray[np.float64]:
    """What the rows of people say of items, also by implying it; NaN where they say nothing."""
    published = Published.of(scene)
    shown = published.listed(users, items.astype(np.int64))
    release = scene.release
    if isinstance(release, GroupedRelease) and release.implied is not None:
        shown = np.where(np.isnan(shown), published.base[items], shown)
    return shown


def _figures(told: Told, after: NDArray[np.bool_], before: NDArray[np.bool_]) -> tuple[Figure, ...]:
    each = np.ones(len(after))
    parts = {
        "exact": told.exact,
        "half_step": told.half_step,
        "item_mean": told.item_mean,
        "learnt": np.where(after, told.half_step, 0.0),
        "learnt_original": np.where(before, told.others, 0.0),
    }
    leaves = "tries in which what is known leaves"
    return (
        ratio_figure(
            "identified", after.astype(np.float64), each, f"{leaves} the person's group alone"
        ),
        ratio_figure(
            "identified_original", before.astype(np.float64), each, f"{leaves} one row before"
        ),
        *(ratio_figure(name, parts[name], told.others, said) for name, said in _MEANINGS.items()),
    )
