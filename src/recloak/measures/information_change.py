"""Measure `information-change`: how far published labels are from real ratings, and fake ones."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recloak.findings import Figure, Finding
from recloak.measures.base import Measure
from recloak.measures.density import Degrees
from recloak.measures.published import Published, why_not
from recloak.progress import SILENT, Progress
from recloak.ratings import Ratings
from recloak.scene import Codes, Scene
from recloak.statistics import Z95, clustered_mean
from recloak.threads import in_threads, row_blocks

RATINGS_PER_BLOCK = 1_000_000


class InformationChange(Measure):
    """What anonymisation did to single ratings.

    Each rating is held against what the release says of it in the person's row or in the profile
    of their group. A cell that is listed for a person who never rated the item is fake; a rating
    that is not listed for its person is hidden.
    """

    name: ClassVar[str] = "information-change"
    summary: ClassVar[str] = "The error of published ratings, and how many are made up or hidden."
    reference: ClassVar[str] = (
        "Chang, Thompson, Wang, Yao: Towards Publishing Recommendation Data With Predictive "
        "Anonymization. ASIACCS 2010."
    )
    figures: ClassVar[tuple[str, ...]] = ("label_rmse", "fake_ratio", "hidden")

    @property
    def label(self) -> str:
        return "published ratings"

    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        summary = "Every rating against what the release says of it."
        trouble = why_not(scene)
        if trouble:
            return self.finding(summary, (), 0, seed, (trouble,))
        original = scene.original
        apart = off_by(original, Published.of(scene), progress)
        figures = _figures(apart, original.user_codes().astype(np.int64), Degrees.after(scene))
        return self.finding(summary, figures, len(original), seed, (scene.linkage.note,))


def off_by(
    original: Ratings, published: Published, progress: Progress = SILENT
) -> NDArray[np.float64]:
    """How far each rating lies from what the person's row lists; NaN where it lists nothing."""

    def compare(first: int, end: int) -> NDArray[np.float64]:
        here = slice(original.offsets[first], original.offsets[end])
        users = np.repeat(np.arange(first, end), original.user_counts[first:end])
        told = published.listed(users, original.items[here].astype(np.int64))
        return told - original.values[here]

    blocks = row_blocks(original.offsets, RATINGS_PER_BLOCK)
    with progress.task("Looking up ratings in the release", len(blocks)) as task:
        return np.concatenate(in_threads(compare, blocks, task))


def _figures(apart: NDArray[np.float64], users: Codes, after: Degrees) -> tuple[Figure, ...]:
    listed = ~np.isnan(apart)
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
        _rmse(apart[listed], users[listed]),
        Figure("fake_ratio", after.ratings / real - 1, unit="count", meaning=fake),
        *found,
    )


def _rmse(apart: NDArray[np.float64], users: Codes) -> Figure:
    mean, error = clustered_mean(np.square(apart), users)
    ends = (np.sqrt(max(mean + sign * Z95 * error, 0.0)) for sign in (-1, 1))
    low, high = map(float, ends)
    meaning = "how far the release is off where people rated and it lists it (root mean square)"
    return Figure("label_rmse", float(np.sqrt(mean)), low, high, "rating", meaning)
