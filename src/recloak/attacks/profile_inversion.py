"""Attack `profile-inversion`: read single ratings back from the profiles of groups."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recloak.attacks.base import Attack
from recloak.attacks.worst_tenth import worst_tenth
from recloak.findings import Figure, Finding
from recloak.grouped import GroupedRelease
from recloak.kernels.inversion import TALLIES, Rules, Table, read_back
from recloak.progress import SILENT, Progress
from recloak.scene import Scene, match_items
from recloak.statistics import ratio_figure
from recloak.threads import in_threads, row_blocks

CELLS_PER_BLOCK = 2_000_000

_MEANINGS = {
    "read_back": "of all ratings, those that he states truly: a member of this group gave this one",
    "right": "of all that he states, the share that is true",
    "alone": "ratings of items that nobody else in the person's group rated",
    "verbatim": "of all ratings, those of such items that the profile gives away exactly",
    "rated_given_visible": "chance that a member rated an item that the group's profile tells of",
}
_WORST = "ratings read back of the tenth of people of whom he reads most"


_ROW_MEANS = (
    "Missing ratings were imputed by each person's own mean. The value that most cells of a "
    "profile have is the mean of these; he takes it for that of whoever rated a cell that differs."
)


class ProfileInversion(Attack):
    """Reads single ratings back from profiles, knowing nothing but the release.

    A cell of a profile is a mean over all members, those without a rating counting as the implied
    value, or a mean over those who rated the item if nothing is implied. He takes the fewest
    raters, all alike, who explain a cell: mostly one, more where one rating would be off the
    scale or the release states a floor. If their rating is on the scale, he states that so many
    members of the group gave it. Where each person's own mean was implied he does the same with
    the value that most cells of a profile have, and takes the nearest rating.
    """

    name: ClassVar[str] = "profile-inversion"
    summary: ClassVar[str] = "Reads single ratings back from the profiles of groups."
    reference: ClassVar[str] = ""
    figures: ClassVar[tuple[str, ...]] = (*_MEANINGS, "worst_tenth")

    @property
    def label(self) -> str:
        return "knows the release alone"

    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        release = scene.release
        if not isinstance(release, GroupedRelease):
            return self._finding((), 0, seed, ("There are no profiles of groups to read from.",))
        people = scene.linkage.linked
        if len(people) == 0:
            return self._finding((), 0, seed, ("Nobody has a known group: not measured.",))
        tallies, found = _read(scene, release, people, progress)
        counts = scene.original.user_counts[people]
        shares = found[people] / np.maximum(counts, 1)
        worst = replace(worst_tenth(shares[None, :]), meaning=_WORST)
        told = (_ROW_MEANS,) if _by_row_means(scene) else ()
        notes = (scene.linkage.note, _one_each(release), *told, *_by_chance(scene))
        return self._finding((*_figures(tallies), worst), int(counts.sum()), seed, notes)

    def _finding(
        self, figures: tuple[Figure, ...], sample: int, seed: int, notes: tuple[str, ...]
    ) -> Finding:
        summary = "The adversary knows the release, and how profiles are made of ratings."
        return self.finding(summary, figures, sample, seed, notes)


def _read(
    scene: Scene, release: GroupedRelease, people: NDArray[np.int64], progress: Progress
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What was read back, by group and by person."""
    profiles, original = release.profiles, scene.original
    group_of_row = release.groups[np.argsort(release.row_labels, kind="stable")]
    groups = group_of_row[scene.linkage.first_row(people)]
    members = people[np.argsort(groups, kind="stable")]
    starts = np.searchsorted(np.sort(groups), np.arange(len(release.sizes) + 1))
    tallies = np.zeros((len(release.sizes), TALLIES))
    found = np.zeros(original.n_users)
    known = (
        Table(original.offsets, original.items, original.values),
        Table(profiles.offsets, profiles.items, profiles.values),
        match_items(profiles, original),
        original.n_items,
        np.empty(0) if release.implied is None else release.implied.astype(np.float64),
        _common_values(release) if _by_row_means(scene) else np.empty(0),
        _rules(scene, release),
        0.999 * original.scale.tolerance,
    )

    def read(first: int, end: int) -> None:
        read_back(first, end, starts, members, release.sizes, *known, tallies, found)

    blocks = row_blocks(profiles.offsets, CELLS_PER_BLOCK)
    with progress.task("Reading profiles back", len(blocks)) as task:
        in_threads(read, blocks, task)
    return tallies, found


def _rules(scene: Scene, release: GroupedRelease) -> Rules:
    """What the release itself says of how it was made; the scale of ratings is public anyway."""
    scale = scene.original.scale
    grid = release.profiles.scale.step or float(scene.public.get("grid") or 0.0)
    floor = int(scene.public.get("floor") or 0)
    vague = scale.tolerance if _by_row_means(scene) else 0.0
    return Rules(scale.low, scale.high, scale.step or 0.0, grid / 2, floor, vague)


def _by_row_means(scene: Scene) -> bool:
    return scene.public.get("imputation") == "user-mean"


def _common_values(release: GroupedRelease) -> NDArray[np.float64]:
    """The value that most cells of each profile have: what a cell is that nobody rated."""
    profiles = release.profiles
    common = np.full(profiles.n_users, np.nan)
    for group in range(profiles.n_users):
        values, counts = np.unique(profiles.row(group)[1], return_counts=True)
        if len(values):
            common[group] = values[counts.argmax()]
    return common


def _figures(tallies: NDArray[np.float64]) -> list[Figure]:
    """Shares of ratings, of statements and of places; what has no denominator is left out."""
    ratings, alone, truly, claims, rated, places, exactly = tallies.T
    parts = {
        "read_back": (truly, ratings),
        "right": (truly, claims),
        "alone": (alone, ratings),
        "verbatim": (exactly, ratings),
        "rated_given_visible": (rated, places),
    }
    return [
        ratio_figure(name, *parts[name], meaning)
        for name, meaning in _MEANINGS.items()
        if parts[name][1].sum() > 0
    ]


def _by_chance(scene: Scene) -> tuple[str, ...]:
    floor = int(scene.public.get("floor") or 0)
    if floor < 2:
        return ()
    told = f"The release states that no label rests on fewer than {floor} ratings; "
    return (told + "a label that is all the same what one member gave is so by chance.",)


def _one_each(release: GroupedRelease) -> str:
    cells = release.profiles.user_counts
    places = int((cells * release.sizes).sum())
    least = int(cells.sum()) / places if places else 0.0
    return (
        "If one member alone had rated each item that a profile tells of, the chance that a member "
        f"rated it would be {least:.1%}."
    )
