"""Measure `ranking`: are the items that people liked among the first that are recommended?"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recloak.findings import Figure, Finding
from recloak.measures.base import Measure
from recloak.measures.models import RecommenderParameters, Side, trained, why_no_probe
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress
from recloak.randomness import Randomness
from recloak.ratings import Ratings
from recloak.recommenders import Recommender
from recloak.scene import Codes, Scene, Shadow
from recloak.statistics import mean_figure

CELLS_PER_BLOCK = 2_000_000  # people × items that are scored at a time
Scores = NDArray[np.float64]
_NO_VALUES = "These data have no values to learn tastes from: popularity alone makes the lists."
SIDES = {"": "by the release", "_original": "by the original", "_popular": "by popularity alone"}


class RankingParameters(RecommenderParameters):
    """How long the lists are, and for how many people."""

    top: int = Field(default=10, ge=1, le=1000)
    """How many items are recommended to each person."""

    people: int = Field(default=1000, ge=2, le=100_000)
    """For how many people at most, drawn at random."""

    liked: float = Field(default=0.75, ge=0, le=1)
    """From where on the scale an item counts as liked: .75 is 4 of 5 stars."""


class Ranking(Measure):
    """Precision, recall and nDCG of recommended lists.

    Each person gets the ``top`` items that the recommender predicts the highest ratings for, out
    of all that they have not rated; right are those of the probe that they liked. The same from
    the original, and with the most rated items for everyone, which a recommender trained for
    errors of prediction need not beat. Equal scores: the more rated item first.
    """

    name: ClassVar[str] = "ranking"
    summary: ClassVar[str] = "Precision, recall and nDCG of the items recommended first."
    figures: ClassVar[tuple[str, ...]] = tuple(
        f"{name}{side}" for side in SIDES for name in ("precision", "recall", "ndcg")
    )
    Parameters: ClassVar[type[Parameters]] = RankingParameters
    parameters: RankingParameters

    @property
    def label(self) -> str:
        return f"first {self.parameters.top} of {self.parameters.recommender}"

    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        summary = f"The {self.parameters.top} items that {self.parameters.recommender} puts first."
        shadow, trouble = scene.shadow, why_no_probe(scene)
        if shadow is None or trouble:
            return self.finding(summary, (), 0, seed, (trouble or "",))
        liked = self._liked(shadow)
        people = self._drawn(np.unique(shadow.users[liked]), seed)
        if len(people) < 2:
            told = ("Fewer than two people liked an item of the probe.",)
            return self.finding(summary, (), 0, seed, told)
        found = self._lists(shadow, people, progress)
        right = _right(shadow, liked, people)
        figures = [
            figure
            for side, lists in found.items()
            for figure in self._figures(lists, right, shadow.known.n_items, side)
        ]
        notes = (shadow.note,) if scene.original.scale.span > 0 else (shadow.note, _NO_VALUES)
        return self.finding(summary, tuple(figures), len(people), seed, notes)

    def _liked(self, shadow: Shadow) -> NDArray[np.bool_]:
        scale = shadow.known.scale
        limit = scale.low + self.parameters.liked * scale.span
        return shadow.truth >= limit - 1e-9 * max(scale.span, 1.0)

    def _drawn(self, people: Codes, seed: int) -> Codes:
        if len(people) <= self.parameters.people:
            return people
        generator = Randomness.from_seed(seed).generator("people to recommend to")
        return np.sort(generator.choice(people, self.parameters.people, replace=False))

    def _lists(self, shadow: Shadow, people: Codes, progress: Progress) -> dict[str, Codes]:
        """The lists of each side, a row for each person."""
        models: dict[Side, Recommender] = {
            side: trained(shadow, self.parameters.recommender, side, progress).recommender
            for side in ("release", "original")
        }
        size = max(1, CELLS_PER_BLOCK // max(shadow.known.n_items, 1))
        blocks = [people[start : start + size] for start in range(0, len(people), size)]
        parts: dict[str, list[Codes]] = {side: [] for side in SIDES}
        with progress.task("Recommending", len(blocks)) as task:
            for block in blocks:
                for side, scores in _scored(shadow, models, block).items():
                    parts[side].append(_best(scores, self.parameters.top))
                task.advance()
        by_rank = np.append(_by_popularity(shadow.known), -1)
        return {side: by_rank[np.concatenate(lists)] for side, lists in parts.items()}

    def _figures(self, lists: Codes, right: Codes, n_items: int, side: str) -> list[Figure]:
        cells = np.arange(len(lists))[:, None] * n_items + lists
        hits = np.isin(cells, right) & (lists >= 0)
        wanted = np.bincount(right // n_items, minlength=len(lists))
        weights = 1 / np.log2(np.arange(2, hits.shape[1] + 2))
        best = np.cumsum(weights)[np.minimum(wanted, hits.shape[1]) - 1]
        told = f"of the first {self.parameters.top} recommended {SIDES[side]}"
        outcomes = {
            "precision": (
                hits.sum(axis=1) / self.parameters.top,
                f"the share {told} that is liked",
            ),
            "recall": (hits.sum(axis=1) / wanted, f"the share of what is liked that is {told}"),
            "ndcg": (hits @ weights / best, f"nDCG {told}: 1 if what is liked comes first"),
        }
        return [
            _within_0_and_1(figure)
            for name, (outcome, meaning) in outcomes.items()
            for figure in mean_figure(f"{name}{side}", outcome, "share", meaning)
        ]


def _by_popularity(ratings: Ratings) -> Codes:
    """Items from the most rated on; equally rated ones by code."""
    return np.argsort(-ratings.item_support, kind="stable")


def _scored(shadow: Shadow, models: dict[Side, Recommender], people: Codes) -> dict[str, Scores]:
    """Scores of people × items, popular items first; what cannot be recommended is at −∞."""
    items = _by_popularity(shadow.known)
    shape = len(people), len(items)
    users, asked = np.repeat(people, len(items)), np.tile(items, len(people))
    rated = np.zeros(shape, dtype=np.bool_)
    rank = np.argsort(items)
    for at, user in enumerate(people):
        rated[at, rank[shadow.known.row(user)[0]]] = True
    in_release = shadow.item_in_release[asked]
    rows = shadow.row_for(users, asked)
    scores = {
        "": _estimated(models["release"], rows, in_release),
        "_original": _estimated(models["original"], users, asked),
        "_popular": -np.tile(np.arange(float(len(items))), len(people)),
    }
    scores[""][in_release < 0] = -np.inf
    return {side: np.where(rated, -np.inf, told.reshape(shape)) for side, told in scores.items()}


def _estimated(model: Recommender, rows: Codes, items: Codes) -> Scores:
    """What the model expects before it is cut to the scale, which would make the best all equal.

    Of implicit data it expects the same of everything, so that popularity decides.
    """
    if model.scale.span == 0:
        return np.zeros(len(rows))
    return model.estimate(rows.astype(np.int32), items.astype(np.int32), SILENT)


def _best(scores: Scores, top: int) -> Codes:
    """The columns of the highest scores of each row, in order, -1 where there are no more."""
    count = min(top, scores.shape[1])
    found = np.full((len(scores), count), -1, dtype=np.int64)
    for row, own in enumerate(scores):
        limit = np.partition(own, -count)[-count]
        candidates = np.flatnonzero((own >= limit) & (own > -np.inf))
        chosen = candidates[np.argsort(-own[candidates], kind="stable")[:count]]
        found[row, : len(chosen)] = chosen
    return found


def _right(shadow: Shadow, liked: NDArray[np.bool_], people: Codes) -> Codes:
    """The cells (place in ``people`` × items) of the probe that these people liked."""
    mine = liked & np.isin(shadow.users, people)
    places = np.searchsorted(people, shadow.users[mine])
    return places * shadow.known.n_items + shadow.items[mine]


def _within_0_and_1(figure: Figure) -> Figure:
    low, high = max(figure.low or 0.0, 0.0), min(1.0 if figure.high is None else figure.high, 1.0)
    return Figure(figure.name, figure.value, low, high, figure.unit, figure.meaning)
