"""Measure `itemsets`: do the same items still stand together?"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from recloak.core.arrays import Indices
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, match_items
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure, Finding
from recloak.measures.base import Measure
from recloak.measures.itemsets._frequent import ItemCounts, Itemset, top_itemsets


class ItemsetsParameters(Parameters):
    """Which combinations of items are looked at."""

    top: int = Field(default=100, ge=1, le=1000)
    """How many of the most frequent sets of one to three items are compared."""

    common: int = Field(default=200, ge=2, le=1000)
    """Of how many of the original's most frequent items the pairs are counted."""


_FIGURES = (
    DeclaredFigure(
        "topk_deviation",
        worse="more",
        heading="Top-K deviation",
        meaning="The share of the most frequent combinations of items in the original that are no "
        "longer among the most frequent ones. 0 if all are kept.",
    ),
    DeclaredFigure("topk_deviation_rows", worse="more"),
    DeclaredFigure(
        "pair_error",
        worse="more",
        heading="Pair error",
        meaning="By how much the number of people who have both of two common items differs "
        "between original and release, relative to the mean of the two numbers. From 0% (no "
        "difference) to 200% (the pair is gone).",
        bounded=False,
    ),
    DeclaredFigure("pair_error_rows", worse="more", bounded=False),
)


class Itemsets(Measure):
    """How far the combinations of items in the release are those of the original.

    Top-K deviation is the share of the original's ``top`` most frequent sets (of one to three
    items) that are not among the release's: 0 if all are kept, 1 if none. The error of a pair is
    the difference between its supports in original and release over the mean of the two, between
    0 and 2; pairs that neither has are left out. Both are taken on an original that the release
    may have come from (one reconstruction, where the release is torn into pieces) and, as the
    least that a recipient can count, on the published rows themselves. Values do not matter. All
    counts are exact.

    References
    ----------
    Terrovitis, Liagouris, Mamoulis, Skiadopoulos: Privacy preservation by disassociation. PVLDB
    5(10), 2012.
    """

    name: ClassVar[str] = "itemsets"
    summary: ClassVar[str] = "Which frequent combinations of items survive."
    reference: ClassVar[str] = (
        "Terrovitis, Liagouris, Mamoulis, Skiadopoulos: Privacy Preservation by Disassociation, "
        "2012"
    )
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    compared_with: ClassVar[tuple[str, ...]] = ()
    Parameters: ClassVar[type[Parameters]] = ItemsetsParameters
    parameters: ItemsetsParameters

    @property
    def label(self) -> str:
        return f"top {self.parameters.top} sets of items"

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        summary = f"The {self.parameters.top} most frequent sets of up to three items."
        if context.original.n_ratings == 0:
            return self.finding(summary, (), 0, seed, ("There are no ratings.",))
        randomness = Randomness.from_seed(seed).child("reconstruction")
        whole = context.release.sample(randomness) if context.release else context.rows
        before = self._combinations(context.original, context.original, progress)
        after = self._combinations(context.original, whole, progress)
        torn, where = after, "the release as it stands"
        if whole is not context.rows:
            torn = self._combinations(context.original, context.rows, progress)
            where = "an original that the release may have come from"
        figures = (
            *_figures("", before, after, where),
            *_figures("_rows", before, torn, "the rows as they are published"),
        )
        return self.finding(summary, figures, len(before.sets), seed, ())

    def _combinations(self, original: Ratings, rows: Ratings, progress: Progress) -> Combinations:
        """What stands together in ``rows``, under the original's names of items."""
        common = np.argsort(-original.item_support, kind="stable")[: self.parameters.common]
        codes = match_items(original, rows)
        names = original.n_items + np.arange(rows.n_items)  # of items that the original lacks
        names[codes[codes >= 0]] = np.flatnonzero(codes >= 0)
        return Combinations(
            sets=top_itemsets(rows, names, self.parameters.top, progress),
            pairs=ItemCounts(rows, codes[common], progress).pairs,
        )


class Combinations(NamedTuple):
    """The most frequent sets of items, and how often the common items stand together in pairs."""

    sets: set[Itemset]
    pairs: Indices


def _figures(side: str, before: Combinations, after: Combinations, where: str) -> list[Figure]:
    lost = 1 - len(before.sets & after.sets) / len(before.sets)
    meaning = f"the share of the original's most frequent sets of items that is lost in {where}"
    deviation = Figure(f"topk_deviation{side}", lost, meaning=meaning)
    both = before.pairs + after.pairs
    if not both.any():
        return [deviation]
    errors = 2 * np.abs(before.pairs - after.pairs)[both > 0] / both[both > 0]
    meaning = f"mean relative error of how often two common items stand together in {where}"
    return [deviation, Figure(f"pair_error{side}", float(errors.mean()), meaning=meaning)]
