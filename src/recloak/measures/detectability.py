"""Measure `detectability`: does the release look as if something had been done to it?"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from recloak.core.arrays import Integers
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure, Finding
from recloak.measures.base import Measure

_FIGURES = (
    DeclaredFigure(
        "ks",
        worse="more",
        heading="KS distance",
        meaning="Kolmogorov–Smirnov distance: the largest gap between the shares of rows up to a "
        "length, in the original and in the release. 0% if rows are as long as before.",
    ),
    DeclaredFigure("singletons", original="singletons_original"),
    DeclaredFigure("singletons_original"),
    DeclaredFigure("median_row", "count", original="median_row_original"),
    DeclaredFigure("median_row_original", "count"),
    DeclaredFigure("rows_per_person", "count"),
)


class Detectability(Measure):
    """How many ratings rows have, before and after.

    Rows that are torn apart are short, and whoever expects the usual lengths sees it. The
    Kolmogorov–Smirnov distance is the largest gap between the two distributions of row lengths: 0
    if they are the same, 1 if every row of one is shorter than every row of the other. All figures
    are exact.
    """

    name: ClassVar[str] = "detectability"
    summary: ClassVar[str] = "Whether the lengths of rows give away that the data were changed."
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    compared_with: ClassVar[tuple[str, ...]] = ()

    @property
    def label(self) -> str:
        return "lengths of rows"

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        summary = "The lengths of rows before and after."
        with progress.task("Comparing the lengths of rows", 1) as task:
            before, after = _lengths(context.original), _lengths(context.rows)
            task.advance()
        if len(before) == 0 or len(after) == 0:
            return self.finding(summary, (), 0, seed, ("There are no ratings.",))
        return self.finding(summary, _figures(before, after), len(after), seed, ())


def _lengths(ratings: Ratings) -> Integers:
    """The lengths of all rows that hold anything, ascending."""
    return np.sort(ratings.user_counts[ratings.user_counts > 0])


def _figures(before: Integers, after: Integers) -> tuple[Figure, ...]:
    kept = "of the release"
    was = "of the original"
    per_person = "rows of the release for each person of the original"
    return (
        Figure("ks", distance(before, after), meaning="how far the lengths of rows differ"),
        Figure(
            "singletons", _single_share(after), meaning=f"the share of rows {kept} with one rating"
        ),
        Figure("singletons_original", _single_share(before), meaning=f"the share {was}"),
        _median("median_row", after, kept),
        _median("median_row_original", before, was),
        Figure("rows_per_person", len(after) / len(before), unit="count", meaning=per_person),
    )


def distance(before: Integers, after: Integers) -> float:
    """The largest gap between the shares of rows up to a length."""
    lengths = np.union1d(before, after)
    up_to = [np.searchsorted(one, lengths, side="right") / len(one) for one in (before, after)]
    return float(np.abs(up_to[0] - up_to[1]).max())


def _single_share(lengths: Integers) -> float:
    return float((lengths == 1).mean())


def _median(name: str, lengths: Integers, whose: str) -> Figure:
    meaning = f"the median number of ratings in a row {whose}"
    return Figure(name, float(np.median(lengths)), unit="count", meaning=meaning)
