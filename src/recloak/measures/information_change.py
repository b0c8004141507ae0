"""Measure `information-change`: how far published labels are from real ratings, and fake ones."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from recloak.core.arrays import Floats, Indices
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.evaluation.context import AuditContext
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure, Finding
from recloak.evaluation.intervals import Z95, clustered_mean
from recloak.evaluation.published_cells import PublishedCells, label_errors_of, why_not_by_person
from recloak.evaluation.sampled_people import MOST_RATINGS, sampled_people
from recloak.measures.base import Measure
from recloak.measures.density import Degrees

_FIGURES = (
    DeclaredFigure("label_rmse", "rating", worse="more"),
    DeclaredFigure(
        "fake_ratio",
        "count",
        worse="more",
        heading="Fake ratio, label RMSE, hidden",
        meaning="How many listed ratings were never given by the person, for each that was; how "
        "far listed ratings are from those that were given; and which share of them is not listed.",
    ),
    DeclaredFigure("hidden", worse="more"),
)


class InformationChange(Measure):
    """What anonymisation did to single ratings.

    Each rating is compared with what the release says of it in the person's row or in the profile
    of their group. A cell that is listed for a person who never rated the item is fake; a rating
    that is not listed for its person is hidden.
    """

    name: ClassVar[str] = "information-change"
    summary: ClassVar[str] = "The error of published ratings, and how many are made up or hidden."
    reference: ClassVar[str] = (
        "Chang, Thompson, Wang, Yao: Towards Publishing Recommendation Data With Predictive "
        "Anonymization. ASIACCS 2010."
    )
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    compared_with: ClassVar[tuple[str, ...]] = ()

    @property
    def label(self) -> str:
        return "published ratings"

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        summary = "Every rating against what the release says of it."
        reason = why_not_by_person(context)
        if reason:
            return self.finding(summary, (), 0, seed, (reason,))
        original, published = context.original, PublishedCells.of(context)
        notes, everyone = [context.linkage.note], original.n_ratings
        if everyone > MOST_RATINGS:
            rng = Randomness.from_seed(seed).generator(self.name)
            people = np.sort(sampled_people(original, MOST_RATINGS, rng))
            original, published = original.take_users(people), published.of_people(people)
            notes.append(f"Ratings of {len(people):,} people, drawn at random, were looked up.")
        errors = label_errors_of(original, published, progress)
        listed = Degrees.after(context).ratings * len(errors) / everyone
        figures = _figures(errors, original.user_codes().astype(np.int64), listed)
        return self.finding(summary, figures, len(original), seed, tuple(notes))


def _figures(errors: Floats, users: Indices, listed_at_all: float) -> tuple[Figure, ...]:
    listed = ~np.isnan(errors)
    hidden, hidden_error = clustered_mean((~listed).astype(np.float64), users)
    half = Z95 * hidden_error
    found = [
        Figure(
            "hidden",
            hidden,
            max(hidden - half, 0.0),
            min(hidden + half, 1.0),
            meaning="ratings that the release does not list for the person who gave them",
        )
    ]
    real = int(listed.sum())
    if real == 0:
        return tuple(found)
    fake = "ratings listed for people who never rated the item, for each that is real"
    return (
        _rmse(errors[listed], users[listed]),
        Figure("fake_ratio", listed_at_all / real - 1, unit="count", meaning=fake),
        *found,
    )


def _rmse(errors: Floats, users: Indices) -> Figure:
    mean, error = clustered_mean(np.square(errors), users)
    ends = (np.sqrt(max(mean + sign * Z95 * error, 0.0)) for sign in (-1, 1))
    low, high = map(float, ends)
    meaning = "how far listed ratings are from those that people gave (root mean square)"
    return Figure("label_rmse", float(np.sqrt(mean)), low, high, "rating", meaning)
