"""Measure `density`: how full the table is, and how many ratings people and items have."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from recloak.core.arrays import Integers
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure, Finding
from recloak.measures.base import Measure
from recloak.measures.detectability import distance
from recloak.releases.grouped import GroupedRelease

_MEANINGS = {
    "density": "the share of people × items that holds a rating",
    "user_degree": "ratings of a row, on average",
    "item_degree": "ratings of an item, on average",
}

_FIGURES = (
    DeclaredFigure("density", original="density_original"),
    DeclaredFigure("density_original"),
    DeclaredFigure("user_degree", "count", original="user_degree_original"),
    DeclaredFigure("user_degree_original", "count"),
    DeclaredFigure("item_degree", "count", original="item_degree_original"),
    DeclaredFigure("item_degree_original", "count"),
    DeclaredFigure("user_ks", worse="more"),
    DeclaredFigure("item_ks", worse="more"),
)


class Density(Measure):
    """Density and degrees before and after.

    Ratings are sparse, and recommenders and analysts rely on that. Profiles of groups list every
    item that any member rated: everyone gets more ratings, and popular and rare items become more
    alike. The Kolmogorov–Smirnov distance says how much the two distributions of degrees differ.
    All figures are exact.
    """

    name: ClassVar[str] = "density"
    summary: ClassVar[str] = "How full the table is, and how many ratings rows and items have."
    reference: ClassVar[str] = (
        "Chang, Thompson, Wang, Yao: Towards Publishing Recommendation Data With Predictive "
        "Anonymization. ASIACCS 2010."
    )
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    compared_with: ClassVar[tuple[str, ...]] = ()

    @property
    def label(self) -> str:
        return "density and degrees"

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        summary = "The density of the table and the degrees of people and items."
        with progress.task("Counting ratings", 1) as task:
            before, after = Degrees.of(context.original), Degrees.after(context)
            task.advance()
        if before.ratings == 0 or after.ratings == 0:
            return self.finding(summary, (), 0, seed, ("There are no ratings.",))
        return self.finding(summary, _figures(before, after), len(after.users), seed, ())


class Degrees(NamedTuple):
    """How many ratings rows and items have; those without any are not counted."""

    users: Integers
    items: Integers

    @classmethod
    def of(cls, ratings: Ratings) -> Degrees:
        """Of a table, every row a person."""
        return cls(_present(ratings.user_counts), _present(ratings.item_support))

    @classmethod
    def of_groups(cls, release: GroupedRelease) -> Degrees:
        """Of groups, every member a person; their rows are not written out."""
        profiles, sizes = release.profiles, release.sizes
        each = np.repeat(sizes, profiles.user_counts).astype(np.float64)
        support = np.bincount(profiles.items, each, profiles.n_items).astype(np.int64)
        return cls(_present(np.repeat(profiles.user_counts, sizes)), _present(support))

    @classmethod
    def after(cls, context: AuditContext) -> Degrees:
        """Of a release."""
        release = context.release
        return (
            cls.of_groups(release) if isinstance(release, GroupedRelease) else cls.of(context.rows)
        )

    @property
    def ratings(self) -> int:
        return int(self.users.sum())

    @property
    def density(self) -> float:
        """The share of rows × items that holds a rating."""
        return self.ratings / (len(self.users) * len(self.items))


def _present(counts: Integers) -> Integers:
    return np.sort(counts[counts > 0])


def _figures(before: Degrees, after: Degrees) -> tuple[Figure, ...]:
    found = [
        figure
        for name, meaning in _MEANINGS.items()
        for figure in (
            _figure(name, after, f"{meaning}, in the release"),
            _figure(f"{name}_original", before, f"{meaning}, in the original"),
        )
    ]
    moved = "how far the numbers of ratings differ, before and after: of"
    return (
        *found,
        Figure("user_ks", distance(before.users, after.users), meaning=f"{moved} rows"),
        Figure("item_ks", distance(before.items, after.items), meaning=f"{moved} items"),
    )


def _figure(name: str, degrees: Degrees, meaning: str) -> Figure:
    if name.startswith("density"):
        return Figure(name, degrees.density, meaning=meaning)
    counts = degrees.users if name.startswith("user") else degrees.items
    return Figure(name, float(counts.mean()), unit="count", meaning=meaning)
