"""Attack `link-existence`: who rated what, and who did not, as the profiles of groups tell it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from recloak.attacks._containment import REFERENCE
from recloak.attacks.base import Attack
from recloak.attacks.link_existence._promises import (
    WHOSE,
    absence_sentence,
    link_sentence,
    promises_of,
)
from recloak.core.arrays import Floats, Mask
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.evaluation.figures import BarChart, DeclaredFigure
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.evaluation.intervals import mean_figure, ratio_figure
from recloak.evaluation.promises import Promise
from recloak.evaluation.published_cells import PublishedCells, label_errors_of
from recloak.releases.grouped import GroupedRelease

BANDS = {"rare": 0.0, "uncommon": 0.01, "known": 0.03, "common": 0.1}
"""The least share of people who rated an item, for the items of each band."""

_BAND_NAMES = {
    "rare": "rated by < 1%",
    "uncommon": "by 1–3%",
    "known": "by 3–10%",
    "common": "by ≥ 10%",
}
_SERIES = {
    "rated": "From this release",
    "prior": "From popularity alone",
    "bound": "What the paper allows (Theorem 5.3)",
}
_NO_GROUPS = "There are no profiles of groups to read from."

_FIGURES = (
    DeclaredFigure(
        "rated_given_edge",
        worse="more",
        heading="Rated given edge, prior, promise, bound",
        meaning="How likely it is that a member of a group rated an item that its profile lists; "
        "how likely it is by the item's popularity alone; and what the literature on groups of k "
        "promises it to be at most, 1/k, or a little more where the popularity p is known and "
        "below 1/k. The promises assume that people rate independently of each other.",
    ),
    DeclaredFigure("prior"),
    DeclaredFigure("promise"),
    *(
        DeclaredFigure(f"{what}_{band}", worse="more" if what == "rated" else None)
        for band in BANDS
        for what in ("rated", "prior", "bound")
    ),
    DeclaredFigure(
        "absent",
        "count",
        worse="more",
        heading="Absent",
        meaning="How many items the profile of a person's group lacks. Nobody in the group rated "
        "them, unless the release hides what few rated.",
        original="absent_original",
    ),
    DeclaredFigure("absent_true", "count", worse="more"),
    DeclaredFigure("absent_original", "count"),
)

_BARS = BarChart(
    "Did a member rate what the profile lists?",
    "The chance that a person rated an item that their group's profile lists, by the share of all "
    "people who rated it.",
    across="Items",
    upwards="chance",
    series={
        name: {where: f"{what}_{band}" for band, where in _BAND_NAMES.items()}
        for what, name in _SERIES.items()
    },
)


class LinkExistence(Attack):
    """Knows a person's group, and takes every item in its profile for one that the person rated.

    The paper promises that this is right in at most one of k cases (Theorem 5.2), or in
    1/k + p / (2 − kp) for those who know that a share p ≤ 1/k of people rated the item (Theorem
    5.3). Both assume that people rate independently of each other. Groups are made of people who
    rate alike, so what is measured stands beside the promise, by how popular items are.

    An item that the profile lacks tells that none of its members rated it, unless the release
    hides what few rated: such facts are counted, too, and how many of them are true.
    """

    name: ClassVar[str] = "link-existence"
    summary: ClassVar[str] = "Assumes that members of a group rated what its profile lists."
    reference: ClassVar[str] = REFERENCE
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    bar_charts: ClassVar[tuple[BarChart, ...]] = (_BARS,)
    applies_to: ClassVar[str] = "of groups"
    compared_with: ClassVar[tuple[str, ...]] = ()

    @property
    def label(self) -> str:
        return "knows the person's group"

    @classmethod
    def sentences(cls, findings: Sequence[Finding], audit: Audit) -> list[str]:
        sentences = [
            link_sentence(findings),
            *(absence_sentence(one) for one in findings if one.sample),
        ]
        return [sentence for sentence in sentences[:2] if sentence]

    @classmethod
    def promises(
        cls,
        findings: Sequence[Finding],
        audit: Audit,
        rates: Sequence[tuple[Finding, Figure]],
    ) -> list[Promise]:
        return promises_of(findings, audit, rates)

    def applies(self, context: AuditContext) -> bool:
        return isinstance(context.release, GroupedRelease)

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        release, people = context.release, context.linkage.linked
        if not isinstance(release, GroupedRelease):
            return self._finding((), 0, seed, (_NO_GROUPS,))
        if len(people) == 0:
            return self._finding((), 0, seed, ("Nobody has a known group: not measured.",))
        published = PublishedCells.of(context)
        listed = ~np.isnan(label_errors_of(context.original, published, progress))
        edges = Edges.of(context.original, published, listed, int(release.sizes.min()))
        missing = _absent(context.original, published, listed)
        notes = (context.linkage.note, *edges.notes())
        return self._finding((*edges.figures(), *missing), len(people), seed, notes)

    def _finding(
        self, figures: tuple[Figure, ...], sample: int, seed: int, notes: tuple[str, ...]
    ) -> Finding:
        summary = "The adversary knows a person's group and reads its profile."
        return self.finding(summary, figures, sample, seed, notes)


class Edges(NamedTuple):
    """What profiles list, by group and band: members × items, and how many of these were rated.

    ``prior`` adds up the share of all people who rated the item, ``bound`` what Theorem 5.3 allows
    and ``beyond`` tells of which bands some items are too popular for it (p > 1/k).
    """

    k: int
    places: Floats
    rated: Floats
    prior: Floats
    bound: Floats
    beyond: Mask

    @classmethod
    def of(cls, original: Ratings, published: PublishedCells, listed: Mask, k: int) -> Edges:
        rows = published.rows
        popularity = original.item_support / max(original.n_users, 1)
        band = np.searchsorted(list(BANDS.values())[1:], popularity, side="right")
        members = np.bincount(published.owned, minlength=rows.n_users)
        cell_group, shape = rows.user_codes().astype(np.int64), (rows.n_users, len(BANDS))
        at = cell_group * len(BANDS) + band[rows.items]
        applies = popularity <= 1 / k
        allowed = 1 / k + popularity / np.where(applies, 2 - k * popularity, 1.0)

        def summed(weights: Floats) -> Floats:
            sums = np.bincount(at, weights, rows.n_users * len(BANDS))
            return sums.astype(np.float64).reshape(shape)

        each = members[cell_group].astype(np.float64)
        users = original.user_codes()[listed]
        own = published.owned[published.offsets[users]] * len(BANDS)
        rated = np.bincount(own + band[original.items[listed]], minlength=len(members) * len(BANDS))
        return cls(
            k,
            summed(each),
            rated.reshape(shape).astype(np.float64),
            summed(each * popularity[rows.items]),
            summed(each * allowed[rows.items]),
            np.bincount(band[rows.items], ~applies[rows.items], len(BANDS)) > 0,
        )

    def figures(self) -> list[Figure]:
        """Over all items, then band by band; a bound only where it holds for all items."""
        places = self.places.sum(axis=1)
        if places.sum() == 0:
            return []
        chance = "chance that a member rated an item that the group's profile lists"
        prior = "the same without the release: the share of all people who rated it"
        promise = f"what the paper promises it to be at most, with groups of {self.k}"
        found = [
            ratio_figure("rated_given_edge", self.rated.sum(axis=1), places, chance),
            ratio_figure("prior", self.prior.sum(axis=1), places, prior),
            Figure("promise", 1 / self.k, 1 / self.k, 1 / self.k, "share", promise),
        ]
        for at, (name, whose) in enumerate(WHOSE.items()):
            found += self._of_band(at, name, whose)
        return found

    def _of_band(self, at: int, name: str, whose: str) -> list[Figure]:
        places = self.places[:, at]
        if places.sum() == 0:
            return []
        parts = {
            "rated": (self.rated, f"chance that a member rated a listed item that {whose}"),
            "prior": (self.prior, f"the same without the release: items that {whose}"),
            "bound": (self.bound, f"what Theorem 5.3 allows for that chance: items that {whose}"),
        }
        if self.beyond[at]:
            parts.pop("bound")
        return [
            ratio_figure(f"{what}_{name}", sums[:, at], places, meaning)
            for what, (sums, meaning) in parts.items()
        ]

    def notes(self) -> list[str]:
        """Where the theorem says nothing."""
        beyond = [name for name, over in zip(BANDS, self.beyond, strict=True) if over]
        if not beyond:
            return []
        note = (
            f"Some items are rated by more than 1 in {self.k} people: those that are "
            f"{' or '.join(beyond)}"
        )
        return [f"{note}, for which Theorem 5.3 says nothing."]


def _absent(original: Ratings, published: PublishedCells, listed: Mask) -> list[Figure]:
    """What is missing from a person's profile, per person: items, and those truly not rated."""
    people = np.flatnonzero(np.diff(published.offsets))
    own = published.owned[published.offsets[people]]
    absent = original.n_items - published.rows.user_counts[own]
    shown = np.bincount(original.user_codes()[listed], minlength=original.n_users)[people]
    hidden = original.user_counts[people] - shown
    parts = {
        "absent": (
            absent,
            "items that a person's profile lacks, so that they are taken for unrated",
        ),
        "absent_true": (absent - hidden, "of these, items that the person really did not rate"),
        "absent_original": (
            original.n_items - original.user_counts[people],
            "items that a person did not rate, as the unprotected original tells",
        ),
    }
    return [
        figure
        for name, (counts, meaning) in parts.items()
        for figure in mean_figure(name, counts.astype(np.float64), "count", meaning)
    ]
