"""Measure `ranking`: are the items that people liked among the first that are recommended?"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from recloak.core.arrays import Floats, Indices, Mask
from recloak.core.cache import PerTableCache
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, Rehearsal
from recloak.evaluation.figures import UTILITY, DeclaredFigure
from recloak.evaluation.findings import Figure, Finding
from recloak.evaluation.intervals import mean_figure
from recloak.measures._lists import best, hits_of, ndcg_of
from recloak.measures._models import RecommenderParameters, Side, trained, why_no_lists
from recloak.measures.base import Measure
from recloak.recommenders import Recommender

_NO_VALUES = "These data have no values to learn tastes from: popularity alone makes the lists."
SIDES = {"": "by the release", "_original": "by the original", "_popular": "by popularity alone"}


class RankingParameters(RecommenderParameters):
    """How long the lists are, and for how many people."""

    top: int = Field(default=10, ge=1, le=1000)
    """How many items are recommended to each person."""

    people: int = Field(default=1000, ge=2, le=100_000)
    """For how many people at most, drawn at random."""

    liked: float = Field(default=0.75, ge=0, le=1)
    """The point of the scale from which an item counts as liked: .75 is 4 of 5 stars."""


_FIGURES = (
    DeclaredFigure(
        "precision",
        worse="less",
        heading="Precision, recall",
        meaning=(
            "Of a list of recommended items, the share that the person liked; of the items that "
            "the person liked, the share that is in the list. Only ratings that were held out "
            "count, so both are lower than they would be for a real person."
        ),
        original="precision_original",
    ),
    DeclaredFigure("recall", worse="less", original="recall_original"),
    DeclaredFigure(
        "ndcg",
        worse="less",
        heading="nDCG",
        meaning=(
            "How near to the top of a list the liked items are: 1 if they all come first, 0 if "
            "none is in the list."
        ),
        stands_for=UTILITY,
        original="ndcg_original",
    ),
    DeclaredFigure("precision_original"),
    DeclaredFigure("recall_original"),
    DeclaredFigure("ndcg_original"),
    DeclaredFigure("precision_popular"),
    DeclaredFigure("recall_popular"),
    DeclaredFigure("ndcg_popular"),
)


_OF_ORIGINALS: PerTableCache[dict[str, Indices]] = PerTableCache()


class Ranking(Measure):
    """Precision, recall and nDCG of recommended lists.

    Each person gets the ``top`` items that the recommender predicts the highest ratings for, out
    of all that they have not rated; those of the probe that they liked are right. The same is
    measured for the original, and for the most rated items for everyone, which a recommender
    trained to predict ratings need not beat. Of equal scores, the more rated item comes first.
    """

    name: ClassVar[str] = "ranking"
    summary: ClassVar[str] = "Precision, recall and nDCG of the items recommended first."
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    takes_turns: ClassVar[str] = "recommenders of the rehearsal"
    Parameters: ClassVar[type[Parameters]] = RankingParameters
    parameters: RankingParameters
    cells_per_block: ClassVar[int] = 2_000_000
    """How many cells, people × items, are scored at a time."""

    @property
    def label(self) -> str:
        return f"first {self.parameters.top} of {self.parameters.recommender}"

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        summary = f"The {self.parameters.top} items that {self.parameters.recommender} puts first."
        rehearsal, reason = context.rehearsal, why_no_lists(context)
        if rehearsal is None or reason:
            return self.finding(summary, (), 0, seed, (reason or "",))
        liked = self._liked(rehearsal)
        people = self._drawn(np.unique(rehearsal.users[liked]), seed)
        if len(people) < 2:
            note = ("Fewer than two people liked an item of the probe.",)
            return self.finding(summary, (), 0, seed, note)
        found = self._lists(rehearsal, people, progress)
        right = _right(rehearsal, liked, people)
        figures = [
            figure
            for side, lists in found.items()
            for figure in self._figures(lists, right, rehearsal.known.n_items, side)
        ]
        notes = (
            (rehearsal.note,) if context.original.scale.span > 0 else (rehearsal.note, _NO_VALUES)
        )
        return self.finding(summary, tuple(figures), len(people), seed, notes)

    def _liked(self, rehearsal: Rehearsal) -> Mask:
        scale = rehearsal.known.scale
        limit = scale.low + self.parameters.liked * scale.span
        return rehearsal.truth >= limit - 1e-9 * max(scale.span, 1.0)

    def _drawn(self, people: Indices, seed: int) -> Indices:
        if len(people) <= self.parameters.people:
            return people
        generator = Randomness.from_seed(seed).generator("people to recommend to")
        return np.sort(generator.choice(people, self.parameters.people, replace=False))

    def _lists(
        self, rehearsal: Rehearsal, people: Indices, progress: Progress
    ) -> dict[str, Indices]:
        """The lists of each side, a row for each person; several audits share the original's."""

        def of_original() -> dict[str, Indices]:
            return self._best(rehearsal, people, "original", progress)

        key = (self.parameters.recommender, self.parameters.top, rehearsal.seed, people.tobytes())
        shared = _OF_ORIGINALS.get(rehearsal.known, key, of_original)
        return {**self._best(rehearsal, people, "release", progress), **shared}

    def _best(
        self, rehearsal: Rehearsal, people: Indices, side: Side, progress: Progress
    ) -> dict[str, Indices]:
        """The lists by the release, or by the original and by popularity."""
        model = trained(rehearsal, self.parameters.recommender, side, progress).recommender
        by_fame = _by_popularity(rehearsal.known)
        size = max(1, self.cells_per_block // max(rehearsal.known.n_items, 1))
        blocks = [people[start : start + size] for start in range(0, len(people), size)]
        parts: dict[str, list[Indices]] = {}
        with progress.task("Recommending", len(blocks)) as task:
            for block in blocks:
                for name, scores in _scored(rehearsal, model, side, block, by_fame).items():
                    parts.setdefault(name, []).append(best(scores, self.parameters.top))
                task.advance()
        by_rank = np.append(by_fame, -1)
        return {name: by_rank[np.concatenate(lists)] for name, lists in parts.items()}

    def _figures(self, lists: Indices, right: Indices, n_items: int, side: str) -> list[Figure]:
        hits = hits_of(lists, right, n_items)
        wanted = np.bincount(right // n_items, minlength=len(lists))
        which = f"of the first {self.parameters.top} recommended {SIDES[side]}"
        outcomes = {
            "precision": (
                hits.sum(axis=1) / self.parameters.top,
                f"the share {which} that is liked",
            ),
            "recall": (hits.sum(axis=1) / wanted, f"the share of what is liked that is {which}"),
            "ndcg": (ndcg_of(hits, wanted), f"nDCG {which}: 1 if what is liked comes first"),
        }
        return [
            _within_0_and_1(figure)
            for name, (outcome, meaning) in outcomes.items()
            for figure in mean_figure(f"{name}{side}", outcome, "share", meaning)
        ]


def _by_popularity(ratings: Ratings) -> Indices:
    """Items from the most rated on; equally rated ones by code."""
    return np.argsort(-ratings.item_support, kind="stable")


def _scored(
    rehearsal: Rehearsal, model: Recommender, side: Side, people: Indices, items: Indices
) -> dict[str, Floats]:
    """Scores of people × ``items``, popular ones first; what cannot be recommended is at −∞.

    They are computed by item code: what a model knows of one item is beside that of the next.
    """
    shape = len(people), len(items)
    users, asked = np.repeat(people, len(items)), np.tile(np.arange(len(items)), len(people))
    rated = np.zeros(shape, dtype=np.bool_)
    for at, user in enumerate(people):
        rated[at, rehearsal.known.row(user)[0]] = True
    if side == "release":
        in_release = rehearsal.item_in_release[asked]
        estimates = _estimated(model, rehearsal.row_for(users, asked), in_release)
        estimates[in_release < 0] = -np.inf
        scores = {"": estimates.reshape(shape)}
    else:
        rank = np.empty(len(items))
        rank[items] = np.arange(len(items))
        estimates = _estimated(model, users, asked)
        scores = {"_original": estimates.reshape(shape), "_popular": np.broadcast_to(-rank, shape)}
    return {name: np.where(rated, -np.inf, one)[:, items] for name, one in scores.items()}


def _estimated(model: Recommender, rows: Indices, items: Indices) -> Floats:
    """What the model expects before it is cut to the scale, which would make the best all equal.

    Of implicit data it expects the same of everything, so that popularity decides.
    """
    if model.scale.span == 0:
        return np.zeros(len(rows))
    return model.estimate(rows.astype(np.int32), items.astype(np.int32), SILENT)


def _right(rehearsal: Rehearsal, liked: Mask, people: Indices) -> Indices:
    """The cells (place in ``people`` × items) of the probe that these people liked."""
    mine = liked & np.isin(rehearsal.users, people)
    places = np.searchsorted(people, rehearsal.users[mine])
    return places * rehearsal.known.n_items + rehearsal.items[mine]


def _within_0_and_1(figure: Figure) -> Figure:
    low, high = max(figure.low or 0.0, 0.0), min(1.0 if figure.high is None else figure.high, 1.0)
    return Figure(figure.name, figure.value, low, high, figure.unit, figure.meaning)
