"""Attack `profile-inversion`: read single ratings back from the profiles of groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from recloak.attacks._figures import WORST_TENTH, worst_tenth
from recloak.attacks.base import Attack
from recloak.attacks.profile_inversion._kernels import TALLIES, CellRows, ProfileRules, read_back
from recloak.core.arrays import Floats, Integers
from recloak.core.parallel import in_threads, row_blocks
from recloak.core.progress import SILENT, Progress
from recloak.evaluation.context import AuditContext, match_items
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.evaluation.formatting import of_100
from recloak.evaluation.intervals import ratio_figure
from recloak.releases.grouped import GroupedRelease

CELLS_PER_BLOCK = 2_000_000

_MEANINGS = {
    "read_back": "the share of all ratings that they read back correctly: a member gave this one",
    "right": "the share of their statements that is true",
    "alone": "ratings of items that nobody else in the person's group rated",
    "verbatim": "of all ratings, those of such items that the profile gives away exactly",
    "rated_given_visible": "chance that a member rated an item that the group's profile tells of",
}
_WORST = "ratings read back, of the tenth of people about whom they read most"


_ROW_MEANS = (
    "Missing ratings were imputed by each person's own mean. The value that most cells of a "
    "profile have is the mean of these; the adversary takes it for the mean of the member "
    "whose rating makes a cell differ."
)

_FIGURES = (
    DeclaredFigure(
        "read_back",
        worse="more",
        heading="Read back",
        meaning="The share of all ratings about which the attacker says correctly that someone "
        "in a group gave it, from the group's profile alone. They do not learn which member of "
        "the group it was.",
    ),
    DeclaredFigure(
        "right",
        worse="more",
        heading="Right",
        meaning="Of all that the attacker states, the share that is true.",
    ),
    DeclaredFigure(
        "alone",
        worse="more",
        heading="Alone",
        meaning="The share of ratings of items that nobody else in the person's group rated. A "
        "mean then hides one rating only.",
    ),
    DeclaredFigure(
        "verbatim",
        worse="more",
        heading="Verbatim",
        meaning="The share of ratings that nobody else in the person's group gave and that its "
        "profile states exactly as the person gave them.",
    ),
    DeclaredFigure(
        "rated_given_visible",
        worse="more",
        heading="Rated given visible",
        meaning="How likely it is that a member of a group rated an item that the group's profile "
        "tells of. Being one of k does not make it one in k.",
    ),
    replace(WORST_TENTH, part_of="read_back"),
)


class ProfileInversion(Attack):
    """Reads single ratings back from profiles, knowing nothing but the release.

    A cell of a profile is a mean over all members, those without a rating counting as the implied
    value, or a mean over those who rated the item if nothing is implied. The adversary takes the
    fewest raters, all alike, who explain a cell: mostly one, more where one rating would be off
    the scale or the release states a floor. If their rating is on the scale, they state that so
    many members of the group gave it. Where each person's own mean was implied they do the same
    with the value that most cells of a profile have, and take the nearest rating.
    """

    name: ClassVar[str] = "profile-inversion"
    summary: ClassVar[str] = "Reads single ratings back from the profiles of groups."
    reference: ClassVar[str] = ""
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES

    @property
    def label(self) -> str:
        return "knows the release alone"

    @classmethod
    def sentences(cls, findings: Sequence[Finding], audit: Audit) -> list[str]:
        finding = next(iter(findings), None)
        sentences = (
            (_read_back_sentence(finding), _verbatim_sentence(finding, audit)) if finding else ()
        )
        return [sentence for sentence in sentences if sentence]

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        release = context.release
        if not isinstance(release, GroupedRelease):
            return self._finding((), 0, seed, ("There are no profiles of groups to read from.",))
        people = context.linkage.linked
        if len(people) == 0:
            return self._finding((), 0, seed, ("Nobody has a known group: not measured.",))
        tallies, found = _read(context, release, people, progress)
        counts = context.original.user_counts[people]
        shares = found[people] / np.maximum(counts, 1)
        worst = replace(worst_tenth(shares[None, :]), meaning=_WORST)
        means_note = (_ROW_MEANS,) if _by_row_means(context) else ()
        notes = (context.linkage.note, _one_each(release), *means_note, *_by_chance(context))
        return self._finding((*_figures(tallies), worst), int(counts.sum()), seed, notes)

    def _finding(
        self, figures: tuple[Figure, ...], sample: int, seed: int, notes: tuple[str, ...]
    ) -> Finding:
        summary = "The adversary knows the release, and how profiles are made of ratings."
        return self.finding(summary, figures, sample, seed, notes)


def _read(
    context: AuditContext, release: GroupedRelease, people: Integers, progress: Progress
) -> tuple[Floats, Floats]:
    """What was read back, by group and by person."""
    profiles, original = release.profiles, context.original
    group_of_row = release.groups[np.argsort(release.row_labels, kind="stable")]
    groups = group_of_row[context.linkage.first_row(people)]
    members = people[np.argsort(groups, kind="stable")]
    starts = np.searchsorted(np.sort(groups), np.arange(len(release.sizes) + 1))
    tallies = np.zeros((len(release.sizes), TALLIES))
    found = np.zeros(original.n_users)
    known = (
        CellRows(original.offsets, original.items, original.values),
        CellRows(profiles.offsets, profiles.items, profiles.values),
        match_items(profiles, original),
        original.n_items,
        np.empty(0) if release.implied is None else release.implied.astype(np.float64),
        _common_values(release) if _by_row_means(context) else np.empty(0),
        _rules(context, release),
        0.999 * original.scale.tolerance,
    )

    def read(first: int, end: int) -> None:
        read_back(first, end, starts, members, release.sizes, *known, tallies, found)

    blocks = row_blocks(profiles.offsets, CELLS_PER_BLOCK)
    with progress.task("Reading profiles back", len(blocks)) as task:
        in_threads(read, blocks, task)
    return tallies, found


def _rules(context: AuditContext, release: GroupedRelease) -> ProfileRules:
    """What the release itself says of how it was made; the scale of ratings is public anyway."""
    scale = context.original.scale
    grid = release.profiles.scale.step or float(context.public.get("grid") or 0.0)
    floor = int(context.public.get("floor") or 0)
    vague = scale.tolerance if _by_row_means(context) else 0.0
    return ProfileRules(scale.low, scale.high, scale.step or 0.0, grid / 2, floor, vague)


def _by_row_means(context: AuditContext) -> bool:
    return context.public.get("imputation") == "user-mean"


def _common_values(release: GroupedRelease) -> Floats:
    """The value that most cells of each profile have: what a cell is that nobody rated."""
    profiles = release.profiles
    common = np.full(profiles.n_users, np.nan)
    for group in range(profiles.n_users):
        values, counts = np.unique(profiles.row(group)[1], return_counts=True)
        if len(values):
            common[group] = values[counts.argmax()]
    return common


def _figures(tallies: Floats) -> list[Figure]:
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


def _by_chance(context: AuditContext) -> tuple[str, ...]:
    floor = int(context.public.get("floor") or 0)
    if floor < 2:
        return ()
    means_note = f"The release states that no label rests on fewer than {floor} ratings; "
    return (means_note + "if a value is the one that a member gave, that is by chance.",)


def _one_each(release: GroupedRelease) -> str:
    cells = release.profiles.user_counts
    places = int((cells * release.sizes).sum())
    least = int(cells.sum()) / places if places else 0.0
    return (
        "If one member alone had rated each item that a profile tells of, the chance that a member "
        f"rated it would be {least:.1%}."
    )


def _read_back_sentence(finding: Finding) -> str | None:
    """What the profiles of groups tell by themselves."""
    truly, right = finding.share("read_back"), finding.share("right")
    if truly is None:
        return None
    sure = f"; of 100 such statements {of_100(right)} are true" if right else ""
    return (
        f"From the profiles alone {of_100(truly)} of 100 ratings can be read back, though not "
        f"whose in the group they are{sure}."
    )


def _verbatim_sentence(finding: Finding, audit: Audit) -> str | None:
    """Ratings that stand in a profile as one person gave them."""
    alone, printed = finding.share("alone"), finding.share("verbatim")
    if finding.sample == 0 or alone is None or printed is None or alone.value <= 0:
        return None
    stated = audit.release.get("parameters")
    floor = stated.get("floor") if isinstance(stated, Mapping) else None
    by_chance = ""
    if isinstance(floor, int) and floor >= 2:
        by_chance = (
            f": by chance, if no label rests on fewer than {floor} ratings as the release states"
        )
    return (
        f"Of 100 ratings, {of_100(alone)} are the only one of the item in the person's group, and "
        f"{of_100(printed)} of 100 are in the profile exactly as that person gave them{by_chance}."
    )
