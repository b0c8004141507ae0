"""Attack `collusion`: all members of a group but one pool what they know to learn of the last."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from recloak.attacks.base import Attack
from recloak.attacks.collusion._derivation import (
    RULES,
    Pooled,
    Profile,
    Rule,
    derived,
    feasible,
)
from recloak.core.arrays import Floats, Indices
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.evaluation.control_group import matched_by_count
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure, Finding
from recloak.evaluation.intervals import ratio_figure
from recloak.evaluation.published_cells import PublishedCells
from recloak.releases.grouped import GroupedRelease

MOST_LEVELS = 200
SURE = 0.999

_FIGURES = (
    DeclaredFigure(
        "collusion",
        worse="more",
        heading="Collusion",
        meaning="If all members of a group but one pool their ratings: the share of the last one's "
        "ratings that follow exactly, item and value, from these and the profile.",
        sentence="If all others of a group pool their ratings, {of_100} of 100 ratings of the last "
        "one follow exactly.",
    ),
    DeclaredFigure("collusion_outsiders"),
    DeclaredFigure(
        "collusion_items",
        worse="more",
        heading="Collusion about items",
        meaning="The same for the fact that the last one rated the item, whatever they gave.",
    ),
    DeclaredFigure("collusion_items_outsiders"),
)


class CollusionParameters(Parameters):
    """How many people are tried."""

    people: int = Field(default=500, ge=1)
    """How many people, drawn at random, are attacked by the others of their group."""


class Collusion(Attack):
    """All members of a group but one pool their ratings and subtract them from its profile.

    What they derive is compared with the ratings of the last member and, as a control, with those
    of somebody of another group who has about as many. They know the method: a rule by which
    profiles are made counts only if it explains the published values.
    """

    name: ClassVar[str] = "collusion"
    summary: ClassVar[str] = "All members of a group but one work out the ratings of the last one."
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    applies_to: ClassVar[str] = "of groups"
    compared_with: ClassVar[tuple[str, ...]] = ()
    adversary_acts: ClassVar[str] = "derives the ratings of the last member of a group"
    Parameters: ClassVar[type[Parameters]] = CollusionParameters
    parameters: CollusionParameters

    @property
    def label(self) -> str:
        return "all of a group but one"

    def applies(self, context: AuditContext) -> bool:
        return isinstance(context.release, GroupedRelease)

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        with progress.task("Pooling what groups know") as task:
            task.advance()
            groups = KnownGroups.of(context)
            if isinstance(groups, str):
                return self._finding((), 0, seed, (groups,))
            rng = Randomness.from_seed(seed).generator(self.name)
            people = np.sort(rng.permutation(groups.people)[: self.parameters.people])
            strangers = groups.strangers(people, rng)
            rule = groups.rule(people)
            counts = []
            for person, stranger in zip(people, strangers, strict=True):
                counts.append(groups.counts_about(int(person), int(stranger), rule))
                task.advance()
        return self._finding(_figures(np.array(counts)), len(people), seed, _notes(groups, rule))

    def _finding(
        self, figures: tuple[Figure, ...], sample: int, seed: int, notes: tuple[str, ...]
    ) -> Finding:
        summary = "All members of a group but one pool their ratings and derive those of the last."
        return self.finding(summary, figures, sample, seed, notes)


class KnownGroups(NamedTuple):
    """Groups all of whose members are known: the profile of each person, and who shares it."""

    original: Ratings
    published: PublishedCells
    profile_of: Indices
    sizes: Indices
    people: Indices
    levels: Floats
    floor: int
    rounding: float
    implies: bool
    note: str

    @classmethod
    def of(cls, context: AuditContext) -> KnownGroups | str:
        """Or why nothing can be measured."""
        release, original = context.release, context.original
        if not isinstance(release, GroupedRelease):
            return "There are no profiles of groups: not measured."
        levels = np.unique(original.values).astype(np.float64)
        if len(levels) > MOST_LEVELS:
            return "The scale is continuous, so ratings do not follow exactly: not measured."
        published = PublishedCells.of(context)
        profile_of = np.full(original.n_users, -1)
        linked = context.linkage.linked
        profile_of[linked] = published.owned[published.offsets[linked]]
        known = np.bincount(profile_of[linked], minlength=len(release.sizes))
        people = linked[(known == release.sizes)[profile_of[linked]]]
        if len(people) == 0:
            return "There is no group of which all members are known: not measured."
        step = published.rows.scale.step
        return cls(
            original,
            published,
            profile_of,
            release.sizes,
            people,
            levels,
            _floor(context),
            step / 2 if step else 0.0,
            release.implied is not None,
            context.linkage.note,
        )

    def strangers(self, people: Indices, rng: np.random.Generator) -> Indices:
        """For each person somebody with about as many ratings, of another group if possible."""
        others = np.setdiff1d(self.people, people)
        if len(others) < len(people):
            others = self.people
        counts = self.original.user_counts
        found = others[matched_by_count(counts[others], counts[people], rng)]
        same = self.profile_of[found] == self.profile_of[people]
        swapped = np.roll(found, 1)
        return np.where(
            same & (self.profile_of[swapped] != self.profile_of[people]), swapped, found
        )

    def rule(self, people: Indices) -> Rule | None:
        """The rule that explains the profiles of these people, if one does."""
        for rule in RULES:
            if rule == "filled" and not self.implies:
                continue
            if np.mean([self._explained(int(person), rule) for person in people]) >= SURE:
                return rule
        return None

    def counts_about(self, person: int, stranger: int, rule: Rule | None) -> list[float]:
        """Ratings told exactly, items told, and all; of the person, then of the stranger."""
        profile, others = self._profile(person), self._others(person)
        if rule is None or len(profile.items) == 0:
            value = np.full(len(profile.items), np.nan)
            rated = np.zeros(len(profile.items), np.bool_)
        else:
            value, rated = derived(feasible(profile, others, self.levels, rule), self.levels)
        counts: list[float] = []
        for one in (person, stranger):
            items, values = self.original.row(one)
            _, here, there = np.intersect1d(profile.items, items, return_indices=True)
            right = np.abs(value[here] - values[there]) <= self.original.scale.tolerance / 2
            counts += [float(right.sum()), float(rated[here].sum()), float(len(items))]
        return counts

    def _explained(self, person: int, rule: Rule) -> float:
        """The share of cells in which the truth is feasible."""
        profile = self._profile(person)
        if len(profile.items) == 0:
            return 1.0
        own = Pooled.of(self.original, np.array([person]), profile.items)
        level = np.searchsorted(self.levels, own.sums)
        truth = np.where(own.raters > 0, np.minimum(level, len(self.levels) - 1) + 1, 0)
        possible = feasible(profile, self._others(person), self.levels, rule)
        return float(possible[np.arange(len(truth)), truth].mean())

    def _profile(self, person: int) -> Profile:
        group = int(self.profile_of[person])
        items, values = self.published.rows.row(group)
        implied = self.published.base[items] if self.implies else np.full(len(items), np.nan)
        return Profile(
            items,
            values.astype(np.float64),
            implied,
            int(self.sizes[group]),
            self.floor,
            self.rounding,
        )

    def _others(self, person: int) -> Pooled:
        members = self.people[self.profile_of[self.people] == self.profile_of[person]]
        items, _ = self.published.rows.row(int(self.profile_of[person]))
        return Pooled.of(self.original, members[members != person], items)


def _floor(context: AuditContext) -> int:
    floor = context.public.get("floor", 0)
    return floor if isinstance(floor, int) else 0


def _notes(groups: KnownGroups, rule: Rule | None) -> tuple[str, ...]:
    if rule is not None:
        return (groups.note,)
    return (
        groups.note,
        "The profiles are not plain means of what members rated, so nothing follows by "
        "subtraction; an adversary who computes what members would have rated may learn more.",
    )


def _figures(counts: Floats) -> tuple[Figure, ...]:
    meanings = {
        "collusion": "ratings of the last member that follow exactly",
        "collusion_items": "ratings of the last member of which the item follows",
    }
    whose = {"": "", "_outsiders": ", stated about somebody of another group"}
    figures = []
    for column, (name, meaning) in enumerate(meanings.items()):
        for side, (ending, words) in enumerate(whose.items()):
            parts, wholes = counts[:, 3 * side + column], counts[:, 3 * side + 2]
            figures.append(ratio_figure(name + ending, parts, wholes, meaning + words))
    return tuple(figures)
