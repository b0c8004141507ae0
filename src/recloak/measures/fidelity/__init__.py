"""Measure `fidelity`: does the release look like people, beside a fresh sample of real ones?"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, in_codes
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure, Finding
from recloak.measures.base import Measure
from recloak.measures.fidelity._comparisons import COMPARISONS, FidelityMeasure

MOST_PEOPLE = 50_000
_OF_SAMPLE = "the same of a fresh sample of real people: what is possible"


def _declared() -> tuple[DeclaredFigure, ...]:
    found = []
    for one in COMPARISONS:
        found.append(
            DeclaredFigure(
                one.name,
                worse="less" if one.agreement else "more",
                heading=one.heading,
                meaning=f"{one.meaning[0].upper()}{one.meaning[1:]}; beside it, {_OF_SAMPLE}.",
            )
        )
        found.append(DeclaredFigure(f"{one.name}_sample"))
    return tuple(found)


class Fidelity(Measure):
    """Five looks that anyone would take at a table of ratings first.

    The people of the original are cut into two halves at random. The release is compared with the
    first half, and so is the second half, a fresh sample of real people: nothing that is not a
    copy can be expected to come nearer than that. A release is made from both halves, so one that
    copies comes nearer to the first than the second does. Of large data, samples of people are
    compared. All figures are exact for these samples.
    """

    name: ClassVar[str] = "fidelity"
    summary: ClassVar[str] = "How much the release looks like a fresh sample of real people."
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _declared()
    compared_with: ClassVar[tuple[str, ...]] = ()

    @property
    def label(self) -> str:
        return "beside a fresh sample of real people"

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        summary = "What the release looks like, beside a fresh sample of real people."
        original, rows = context.original, _some_rows(context, seed)
        if original.n_users < 2 or original.n_ratings == 0 or rows.n_ratings == 0:
            note = ("There are too few people to compare with each other.",)
            return self.finding(summary, (), 0, seed, note)
        order = Randomness.from_seed(seed).generator("fidelity").permutation(original.n_users)
        half = min(original.n_users // 2, MOST_PEOPLE)
        first = original.take_users(np.sort(order[:half]))
        fresh = original.take_users(np.sort(order[half : 2 * half]))
        figures: list[Figure] = []
        with progress.task("Comparing with real people", len(COMPARISONS)) as task:
            for one in COMPARISONS:
                figures += _both(one, first, rows, fresh)
                task.advance()
        return self.finding(summary, tuple(figures), half, seed, ())


def _both(
    one: FidelityMeasure, first: Ratings, released: Ratings, fresh: Ratings
) -> tuple[Figure, ...]:
    """The figure of the release and of the fresh sample; none if there is nothing to compare."""
    of_release, of_sample = one.compare(first, released), one.compare(first, fresh)
    if of_release is None or of_sample is None:
        return ()
    return (
        Figure(one.name, of_release, meaning=one.meaning),
        Figure(f"{one.name}_sample", of_sample, meaning=_OF_SAMPLE),
    )


def _some_rows(context: AuditContext, seed: int) -> Ratings:
    """Rows with the original's item codes, and items that it has; not all of very many rows."""
    rows, code = context.rows, np.full(context.rows.n_items, -1, np.int64)
    listed = np.flatnonzero(context.item_in_release >= 0)
    code[context.item_in_release[listed]] = listed
    if (code < 0).any():
        rows = rows.keep(code[rows.items] >= 0)
    present = np.flatnonzero(rows.user_counts > 0)
    if len(present) > MOST_PEOPLE:
        generator = Randomness.from_seed(seed).generator("fidelity of the release")
        present = np.sort(generator.choice(present, MOST_PEOPLE, replace=False))
    return in_codes(rows.take_users(present), code, context.original.item_labels)
